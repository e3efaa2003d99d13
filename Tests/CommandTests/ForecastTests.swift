import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

@Suite("When the coming starts are expected")
struct ForecastTests {
    /// The commands for the queue `q`, and the seconds until each task starts, by task number.
    /// `nil` if the task needs a fix first.
    struct Case: Sendable, CustomTestStringConvertible {
        let lines: [String]
        let starts: [(id: Int64, seconds: Int64?)]
        var testDescription: String { lines.joined(separator: "; ") }

        init(_ lines: String..., starts: [(Int64, Int64?)]) {
            (self.lines, self.starts) = (lines, starts.map { (id: $0.0, seconds: $0.1) })
        }
    }

    static let batched = "queue set q --start batched --batch-count 3 --batch-delay 30s"
    static let cases = [
        Case("enqueue q t", "enqueue q t", starts: [(1, 0), (2, 0)]),
        Case(batched, "enqueue q t", "enqueue q t", starts: [(1, 30), (2, 30)]),
        Case(
            batched, "enqueue q t", "enqueue q t", "enqueue q t",
            starts: [(1, 0), (2, 0), (3, 0)]),
        Case(batched, "enqueue q t --not-before +10s", starts: [(1, 40)]),
        Case(batched, "enqueue q t", "enqueue q t --not-before +10s", starts: [(1, 30), (2, 30)]),
        Case(batched, "enqueue q t", "enqueue q t --not-before +50s", starts: [(1, 30), (2, 80)]),
        Case(batched, "enqueue q t", "pause q --for 10m", starts: [(1, 600)]),
        Case("enqueue q t", "pause q --for 10m", starts: [(1, 600)]),
        Case("enqueue q t", "pause --all --for 1m", "pause q --for 10m", starts: [(1, 600)]),
        Case(
            "enqueue q t --not-before +5m", "enqueue q t", "pause q --for 10m",
            starts: [(1, 600), (2, 600)]),
        Case("enqueue q t --not-before +15m", "pause q --for 10m", starts: [(1, 900)]),
        Case("enqueue q t", "pause q", starts: [(1, nil)]),
        Case("enqueue q t", "pause q --for 10m --direction enqueues", starts: [(1, 0)]),
        Case("queue set q --start manual", "enqueue q t", starts: [(1, nil)]),
        Case("enqueue q t", "skip 1 --for 2m", starts: [(1, 120)]),
        Case("enqueue q t", "skip 1", starts: []),
        Case(
            "enqueue q t --group-start g --not-before +5m", "enqueue q t --group g",
            "enqueue q t", starts: [(3, 0), (1, 300), (2, 300)]),
        Case(
            "enqueue q t --group-start g", "enqueue q t --group g", starts: [(1, 0), (2, nil)]),
        Case(
            "enqueue q t --group-start g", "skip 1", "enqueue q t --group g", starts: [(2, nil)]),
    ]

    @Test("N3 a start is expected when the last of its blockers ends by itself", arguments: cases)
    func starts(_ one: Case) {
        let bench = Bench()
        if !one.lines[0].hasPrefix("enqueue") { _ = bench("queue set q") }
        for line in one.lines { #expect(bench(line).exit == .done, "\(line)") }
        let found = bench("forecast q --json").json["starts"]?.array ?? []
        #expect(found.compactMap { $0["id"]?.integer } == one.starts.map(\.id))
        let expected = one.starts.map { start in
            JSONValue(start.seconds.map { Bench.start + $0 * 1000 })
        }
        #expect(found.compactMap { $0["at"] } == expected)
    }

    @Test("N3 behind a task that has the only place, each task waits for the one before it")
    func fullQueue() throws {
        let bench = Bench()
        for _ in 0..<3 { _ = bench("enqueue q t") }
        _ = bench("queue set q --concurrency 1")
        _ = try bench.store.transactBlocking(at: Bench.start) { mutation in
            let process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: mutation.now)
            let runner = try mutation.attach(process).id
            _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        let lines = bench("forecast q").output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[1].contains("when #1 ends") && lines[2].contains("after #2"), "\(lines)")
        let starts = bench("forecast q --json").json["starts"]?.array ?? []
        #expect(starts.map { $0["behind"] } == [1, 1])
    }

    @Test("N3 what timers knows of a queue's next run or pause, forecast knows")
    func timers() {
        for line in [Self.batched, "pause q --for 10m"] {
            let bench = Bench()
            _ = bench("queue set q")
            _ = bench(line)
            _ = bench("enqueue q t")
            let timer = bench("timers --json").json["timers"]?[0]?["at"]
            #expect(timer != nil)
            #expect(bench("forecast q --json").json["starts"]?[0]?["at"] == timer, "\(line)")
        }
    }

    @Test("N1 timers has the ends of skips and the expiries to which clock next goes")
    func taskTimers() {
        let bench = Bench()
        for line in [
            "queue set q", "enqueue q t --expires +1h", "enqueue q t --not-before +3h",
            "skip 2 --for 2h",
        ] {
            #expect(bench(line).exit == .done)
        }
        let timers = bench("timers --json").json["timers"]?.array ?? []
        #expect(timers.compactMap { $0["kind"]?.string } == ["expiry", "skip", "notBefore"])
        #expect(timers.compactMap { $0["id"]?.integer } == [1, 2, 2])
        for timer in timers.prefix(2) {
            #expect(bench("clock next --json").json["clock"]?["now"] == timer["at"])
        }
        #expect(bench("timers --json").json["timers"]?.array?.count == 1)
    }
}
