import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceRunner

/// A queue with a rate limit for starts (Q13).
@Suite("rates of queues")
struct RateTests {
    private func open(
        _ engine: Engine, _ rate: String, burst: Int? = nil, _ more: [SettingChange] = []
    ) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        let changes: [SettingChange] = [.rate(rate), .burst(burst), .concurrency(100)] + more
        try bench.perform(.setQueue("q", changes))
        return (bench, try bench.attach())
    }

    /// Advances time to each wake of the runner. Returns the start times of tasks.
    private func starts(
        _ bench: Bench, _ runner: ProcessID, late: Int64 = 0, slots: Int = 100
    ) throws -> [Int64] {
        var times: [Int64] = []
        while true {
            let claimed = try bench.claim(runner, slots: slots)
            times += claimed.map { _ in bench.now - at(0) }
            for one in claimed { try bench.settle(one) }
            guard let next = try bench.nextMoment(runner) else { return times }
            bench.pass(next - bench.now + late)
        }
    }

    @Test(
        "Q13 tasks start one by one, each at the moment for which its worker wakes",
        arguments: Engine.all)
    func paced(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "2/10s")
        let ids = try bench.enqueue(4)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[0]])
        #expect(try bench.blockers(ids[1]) == [.rate])
        let now = bench.now
        let blocker = try bench.read { try Reading($0, now: now).line(ids[1]).blockers[0] }
        #expect(blocker.until == at(5000) && blocker.fix == .step(ids[1]))
        #expect(blocker.text == "the rate of q, 2/10s, lets the next task start in 5s")
        #expect(try bench.nextMoment(runner) == at(5000))
        bench.pass(4999)
        #expect(try bench.claim(runner, slots: 8) == [])
        bench.pass(1)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[1]])
        #expect(try starts(bench, runner) == [10_000, 15_000])
    }

    @Test("Q13 after a rest a burst starts together, and is paid for", arguments: Engine.all)
    func burst(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "6/60s", burst: 3)
        try bench.enqueue(6)
        #expect(try starts(bench, runner) == [0, 0, 0, 10_000, 20_000, 30_000])
        bench.pass(15_000)
        try bench.enqueue(4)
        #expect(try starts(bench, runner) == [45_000, 50_000, 60_000, 70_000])
    }

    @Test(
        "Q13 IDJ-35 one, two and eight workers never exceed it, and keep 0.95 of it",
        arguments: Engine.all, [1, 2, 8])
    func shared(_ engine: Engine, workers: Int) throws {
        var random = SeededRandom(seed: workers)
        let (count, period) = random.pick([(10, 1000), (7, 3000), (50, 1000)])
        let burst = random.pick([nil, 1, 4])
        let (bench, first) = try open(engine, "\(count)/\(period)ms", burst: burst)
        let runners = try [first] + (1..<workers).map { _ in try bench.attach() }
        try bench.enqueue(90)
        var times: [Int64] = []
        while times.count < 90 {
            for runner in runners {
                let claimed = try bench.claim(runner, slots: 1 + random.below(4))
                times += claimed.map { _ in bench.now - at(0) }
                for one in claimed { try bench.settle(one) }
            }
            // Workers look several times between two starts, and when the next may start.
            let next = try bench.nextMoment(first).map { $0 - bench.now } ?? 1
            bench.pass(max(1, min(next, 1 + Int64(random.below(period / count)))))
        }
        let rate = try #require(Rate(count, each: Int64(period), burst: burst))
        let together = rate.burst ?? max(1, (count * 200 + period - 1) / period)
        var tooMany: [String] = []
        for (last, end) in times.enumerated() {
            for (first, begin) in times[...last].enumerated() {
                let allowed = together + Int((end - begin + 1) * Int64(count) / Int64(period))
                if last - first + 1 > allowed { tooMany.append("\(begin) to \(end)") }
            }
        }
        #expect(tooMany == [])
        let ideal = Double(90 - together) * Double(period) / Double(count)
        #expect(Double(times[89]) <= ideal / 0.95 + 10, "\(times[89]) of \(ideal)")
    }

    @Test("Q13 a step passes the rate and counts in it", arguments: Engine.all)
    func stepped(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { $0.rate = Rate(1, each: 60_000) }
        try stepper.pause()
        let bench = stepper.bench
        let ids = try bench.enqueue(3)
        #expect(try stepper.step().stepped.map(\.id) == [ids[0]])
        #expect(try bench.blockers(ids[1]).contains(.rate))
        #expect(try stepper.step().stepped.map(\.id) == [ids[1]])
        try stepper.end()
    }

    @Test("Q13 a clock that was set back costs one burst at most", arguments: Engine.all)
    func clockBack(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "1/10s")
        try bench.enqueue(3)
        #expect(try bench.claim(runner, slots: 8).count == 1)
        bench.pass(-86_400_000)
        #expect(try bench.claim(runner, slots: 8) == [])
        #expect(try bench.nextMoment(runner) == at(10_000 - 86_400_000))
        bench.pass(10_000)
        #expect(try bench.claim(runner, slots: 8).count == 1)
    }

    @Test(
        "Q13 G3 while the clock stands a rate gives one burst, and its next moment the next start",
        arguments: Engine.all)
    func standing(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "2/20s")
        let ids = try bench.enqueue(3)
        try bench.clock(.freeze)
        for (place, id) in ids.enumerated() {
            #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [id])
            bench.pass(3_600_000)
            #expect(try bench.claim(runner, slots: 8) == [])
            #expect(try bench.nextMoment(runner) == nil)
            guard place < 2 else { continue }
            let timer = try #require(bench.clockFacts().next)
            #expect(timer.kind == .rate && timer.at == at(Int64(place + 1) * 10_000))
            try bench.clock(.next(queue: nil))
        }
        let (fast, worker) = try open(engine, "1000000/1s")
        try fast.enqueue(5)
        try fast.clock(.freeze)
        #expect(try fast.claim(worker, slots: 8).count == 5)
    }

    @Test("Q13 a rate can be changed and taken away while tasks wait", arguments: Engine.all)
    func changed(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "1/1h")
        let ids = try bench.enqueue(4)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[0]])
        try bench.perform(.setQueue("q", [.rate("1/10s")]))
        bench.pass(10_000)
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == [ids[1]])
        try bench.perform(.setQueue("q", [.rate(nil)]))
        #expect(try bench.blockers(ids[2]) == [])
        #expect(try bench.claim(runner, slots: 8).map(\.task.id) == Array(ids[2...]))
        let settings = try bench.record().settings
        #expect(settings.rate == nil)
        #expect(try bench.refusal(.setQueue("q", [.burst(2)])) == .badValue)
        #expect(try bench.refusal(.setQueue("q", [.rate("0/1s")])) == .badValue)
    }

    @Test("Q13 the forecast says when each task starts", arguments: Engine.all)
    func forecast(_ engine: Engine) throws {
        let (bench, _) = try open(engine, "1/1m")
        try bench.enqueue(3)
        let now = bench.now
        let lines = try bench.read {
            try Reading($0, now: now).forecast(queue: "q", limit: 9).lines
        }
        #expect(lines.map(\.at) == [at(0), at(60_000), at(120_000)])
    }

    @Test(
        "Q13 the next start by a rate is a timer, and the clock can go there", arguments: Engine.all
    )
    func timers(_ engine: Engine) throws {
        for per in [nil, "user"] {
            let (bench, runner) = try open(engine, "1/1m", [.per(per)])
            let ids = try bench.enqueue(2)
            func lines() throws -> [TimerLine] {
                let now = bench.now
                return try bench.read { try Reading($0, now: now).timers() }
                    .filter { $0.kind == .rate }
            }
            #expect(try lines() == [])
            try bench.settle(try #require(bench.claim(runner).first))
            let line = try #require(lines().first)
            #expect(try lines().count == 1 && line.kind == .rate && line.queue == "q")
            #expect(line.at == at(60_000) && line.since == at(0))
            let now = bench.now
            let next = try bench.read { try Reading($0, now: now).comingMoment() }
            #expect(next?.at == at(60_000) && next?.kind == .rate)
            #expect(next?.sentence { "#\($0)" } == "the next start by the rate of q")
            try bench.perform(.pause(PauseRequest(.queue("q"))))
            #expect(try lines() == [])
            try bench.perform(.resume(.queue("q")))
            bench.pass(60_000)
            #expect(try lines() == [])
            #expect(try bench.claim(runner).map(\.task.id) == [ids[1]])
            bench.pass(1)
            #expect(try lines() == [], "nothing waits")
        }
    }

    @Test(
        "Q13 a rate that is none is refused with what is allowed",
        arguments: [
            "0/1m", "-1/1m", "1000000001/1s", "10/0s", "10", "10/", "/1m", "10/1m/2", "10/367d",
            "1.5/1s", "ten/1m", "+1/1m",
        ])
    func refused(_ text: String) {
        #expect(Rate(text: text) == nil)
        let error = #expect(throws: QueueError.self) { try QueueSetting.rate.change(text) }
        #expect(error?.code == .badValue)
        #expect(error?.fix.hasPrefix("allowed: none, or N/D such as 10/1m") == true)
    }

    @Test("Q13 a burst is 1 to the rate's count")
    func bursts() throws {
        let rate = try #require(Rate(text: "10/1m"))
        #expect(rate.text == "10/1m" && rate.burst == nil)
        #expect(Rate(10, each: 60_000, burst: 0) == nil)
        #expect(Rate(10, each: 60_000, burst: 11) == nil)
        #expect(Rate(10, each: 60_000, burst: 10)?.burst == 10)
        #expect(Rate(text: "1000000/1s")?.count == 1_000_000)
    }
}

extension Bench {
    /// When an idle runner wakes next; `nil` if it does not.
    func nextMoment(_ runner: ProcessID) throws -> Timestamp? {
        let now = now
        return try read {
            try RunnerPoll($0, runner: runner, now: now, wantsWork: true, inFlight: 0).nextMoment
        }
    }
}
