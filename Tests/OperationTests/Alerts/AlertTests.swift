import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Conditions of queues that `watch --on` reports.
@Suite("alerts of queues")
struct AlertTests {
    private func alerts(_ bench: Bench) throws -> [String] {
        let now = bench.now
        return try bench.read {
            try Reading($0, now: now).alerts(Set(QueueAlert.Kind.allCases)).map(\.text)
        }
    }

    @Test("a queue without a worker, a stuck one, and a failing one", arguments: Engine.all)
    func conditions(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.attemptLimit = 1 }
        #expect(try alerts(bench) == [])
        try bench.enqueue(20)
        #expect(try alerts(bench).first?.hasPrefix("q waits: no worker") == true)
        let runner = try bench.attach()
        #expect(try alerts(bench) == [])
        for place in 0..<11 {
            let one = try #require(try bench.claim(runner, slots: 1).first)
            try bench.settle(one, place < 8 ? .done : .fail)
        }
        #expect(
            try alerts(bench) == [
                "q is failing: 3 of 11 attempts of the last ten minutes failed"
            ])
        _ = try bench.claim(runner, slots: 1)
        bench.pass(5 * 60_000 + 1)
        #expect(try alerts(bench).contains("q is stuck: a task runs or blocks it for too long"))
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        bench.pass(11 * 60_000)
        let last = try alerts(bench)
        #expect(!last.contains { $0.contains("failing") })
    }

    @Test("a condition that comes back within a minute is one alert; a clock may go back")
    func track() {
        var track = AlertTrack()
        let alert = QueueAlert(subject: .init(kind: .stuck, queue: "q"), text: "q is stuck")
        func update(_ alerts: [QueueAlert], _ seconds: Int64) -> [Int] {
            let (begun, ended) = track.update(alerts, at: at(1000 * seconds))
            return [begun.count, ended.count]
        }
        #expect(update([alert], 0) == [1, 0])
        #expect(update([], 30) == [0, 0])
        #expect(update([alert], 59) == [0, 0])
        #expect(update([], 118) == [0, 0])
        #expect(update([], 119) == [0, 1])
        #expect(update([], 200) == [0, 0])
        #expect(update([alert], 200) == [1, 0])
        #expect(update([], 100) == [0, 0])
        #expect(update([], 160) == [0, 1])
    }
}
