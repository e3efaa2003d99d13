import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceRunner

/// A rate for each value at a place of the payload (Q13).
@Suite("rates for each key")
struct KeyedRateTests {
    private func open(
        _ engine: Engine, _ rate: String, burst: Int? = nil, _ more: [SettingChange] = []
    ) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        let changes: [SettingChange] = [
            .rate(rate), .burst(burst), .per("payload.user"), .concurrency(100),
        ]
        try bench.perform(.setQueue("q", changes + more))
        return (bench, try bench.attach())
    }

    /// Enqueues a task for each user; an empty name is a payload without one.
    @discardableResult
    private func enqueue(_ bench: Bench, _ users: String...) throws -> [TaskID] {
        try users.map { user in
            let payload = user.isEmpty ? "{}" : "{\"user\":\"\(user)\"}"
            return try bench.enqueue([EnqueueRequest(type: "t", payload: Array(payload.utf8))])[0]
        }
    }

    private func claim(_ bench: Bench, _ runner: ProcessID) throws -> [TaskID] {
        let claimed = try bench.claim(runner, slots: 100)
        for one in claimed { try bench.settle(one) }
        return claimed.map(\.task.id)
    }

    @Test(
        "Q13 IDJ-37 tasks of other values overtake one whose value must wait",
        arguments: Engine.all)
    func overtaken(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "1/10s")
        let ids = try enqueue(bench, "kim", "kim", "ann", "kim", "", "")
        #expect(try claim(bench, runner) == [ids[0], ids[2], ids[4]])
        #expect(try bench.blockers(ids[1]) == [.rate])
        let now = bench.now
        let blocker = try bench.read { try Reading($0, now: now).line(ids[1]).blockers[0] }
        #expect(blocker.until == at(10_000) && blocker.fix == .step(ids[1]))
        #expect(
            blocker.text == "the rate of q, 1/10s for each payload.user, lets the next task with "
                + "its value start in 10s")
        #expect(try bench.nextMoment(runner) == at(10_000))
        bench.pass(9999)
        #expect(try claim(bench, runner) == [])
        let joe = try enqueue(bench, "joe")
        #expect(try claim(bench, runner) == joe)
        bench.pass(1)
        #expect(try claim(bench, runner) == [ids[1], ids[5]])
        #expect(try bench.nextMoment(runner) == at(20_000))
        bench.pass(10_000)
        #expect(try claim(bench, runner) == [ids[3]])
    }

    @Test(
        "Q13 one, two and eight workers never exceed the rate of a key, and keep 0.95 of it",
        arguments: Engine.all, [1, 2, 8])
    func shared(_ engine: Engine, workers: Int) throws {
        var random = SeededRandom(seed: workers)
        let (count, period) = random.pick([(10, 1000), (7, 3000), (50, 1000)])
        let burst = random.pick([nil, 1, 4])
        let (bench, first) = try open(engine, "\(count)/\(period)ms", burst: burst)
        let runners = try [first] + (1..<workers).map { _ in try bench.attach() }
        let users = ["a", "b", "c"]
        var owners: [TaskID: String] = [:]
        for place in 0..<36 { owners[try enqueue(bench, users[place % 3])[0]] = users[place % 3] }
        var times: [String: [Int64]] = [:]
        var left = 36
        while left > 0 {
            for runner in runners {
                let claimed = try bench.claim(runner, slots: 1 + random.below(4))
                for one in claimed {
                    times[owners[one.task.id] ?? "", default: []].append(bench.now - at(0))
                    try bench.settle(one)
                }
                left -= claimed.count
            }
            // A worker looks again when a task may start by its last look, and a little later.
            let next = try bench.nextMoment(first).map { $0 - bench.now } ?? 1
            bench.pass(max(1, next) + Int64(random.below(2)))
        }
        let rate = try #require(Rate(count, each: Int64(period), burst: burst))
        let together = rate.burst ?? max(1, (count * 200 + period - 1) / period)
        let ideal = Double(12 - together) * Double(period) / Double(count)
        for user in users {
            let own = try #require(times[user])
            #expect(own.count == 12)
            for (last, end) in own.enumerated() {
                let tooMany = own[...last].enumerated().filter { first, begin in
                    let allowed = together + Int((end - begin + 1) * Int64(count) / Int64(period))
                    return last - first + 1 > allowed
                }
                #expect(tooMany.isEmpty, "\(user): up to \(end)")
            }
            #expect(Double(own[11]) <= ideal / 0.95 + 10, "\(user): \(own[11]) of \(ideal)")
        }
    }

    @Test("Q13 under a clock that jumps no key has more than its rate", arguments: 0..<40)
    func clocks(_ seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let burst = random.pick([nil, 1, 2])
        let (bench, runner) = try open(.memory, "2/1000ms", burst: burst)
        let rate = try #require(Rate(2, each: 1000, burst: burst))
        var starts: [Int64] = []
        for _ in 0..<60 {
            try enqueue(bench, "kim")
            starts += try claim(bench, runner).map { _ in bench.now - at(0) }
            switch random.below(12) {
            case 0:
                bench.pass(-Int64(random.below(5_000_000)))
                let wait = try bench.nextMoment(runner).map { $0 - bench.now } ?? 0
                #expect(wait <= Int64(rate.burst ?? 1) * 500, "a step back costs one burst")
                starts = []
            case 1: bench.pass(Int64(random.below(5_000_000)))
            default: bench.pass(Int64(random.below(400)))
            }
            for (place, begin) in starts.enumerated() {
                let most = (rate.burst ?? 1) + Int((bench.now - at(0) - begin) / 500)
                #expect(starts.count - place <= most, "since \(begin)")
            }
        }
    }

    @Test("Q13 a key is forgotten when its starts are paid for", arguments: Engine.all)
    func bounded(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "1/10s")
        for user in 0..<50 { try enqueue(bench, "user \(user)") }
        #expect(try claim(bench, runner).count == 50)
        #expect(try bench.record().paidKeys.times.count == 50)
        bench.pass(10_000)
        try enqueue(bench, "kim")
        #expect(try claim(bench, runner).count == 1)
        #expect(try bench.record().paidKeys.times.count == 1)
        try bench.perform(.setQueue("q", [.rate(nil)]))
        #expect(try bench.record().paidKeys.isEmpty)
    }

    @Test("Q13 the place stays with another rate, and can be taken away", arguments: Engine.all)
    func changed(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, "1/1h")
        let ids = try enqueue(bench, "kim", "kim", "kim", "kim")
        #expect(try claim(bench, runner) == [ids[0]])
        try bench.perform(.setQueue("q", [.rate("1/10s")]))
        #expect(try bench.record().settings.rate?.perText == "payload.user")
        #expect(try claim(bench, runner) == [])
        bench.pass(10_000)
        #expect(try claim(bench, runner) == [ids[1]])
        let answer = try bench.perform(.setQueue("q", [.per(nil)]))
        #expect(try bench.record().settings.rate == Rate(1, each: 10_000))
        #expect(try bench.record().paidKeys.isEmpty)
        #expect(try claim(bench, runner) == [ids[2]])
        #expect(try claim(bench, runner) == [])
        try bench.perform(.undo(event: answer.undo))
        #expect(try bench.record().settings.rate?.perText == "payload.user")
        try bench.perform(.setQueue("q", [.rate(nil)]))
        #expect(try bench.refusal(.setQueue("q", [.per("user")])) == .badValue)
        #expect(try claim(bench, runner) == [ids[3]])
    }

    @Test("Q13 a step passes the rate of its key and counts in it", arguments: Engine.all)
    func stepped(_ engine: Engine) throws {
        let stepper = try Stepper(engine) {
            $0.rate = Rate(1, each: 60_000, per: PayloadPath([.key("user")]))
        }
        try stepper.pause()
        let bench = stepper.bench
        let ids = try enqueue(bench, "kim", "kim", "ann")
        #expect(try stepper.step().stepped.map(\.id) == [ids[0]])
        #expect(try bench.blockers(ids[1]).contains(.rate))
        #expect(try !bench.blockers(ids[2]).contains(.rate))
        #expect(try stepper.step().stepped.map(\.id) == [ids[1]])
        try stepper.end()
    }

    @Test("Q13 in strict order a key that must wait holds the queue", arguments: Engine.all)
    func strict(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, "1/10s", [.afterFailure(.block), .concurrency(1)])
        let ids = try enqueue(bench, "kim", "kim", "ann")
        #expect(try claim(bench, runner) == [ids[0]])
        #expect(try claim(bench, runner) == [])
        #expect(try bench.nextMoment(runner) == at(10_000))
        bench.pass(10_000)
        #expect(try claim(bench, runner) == [ids[1]])
        #expect(try claim(bench, runner) == [ids[2]])
    }

    @Test("Q13 the forecast says when each key's tasks start", arguments: Engine.all)
    func forecast(_ engine: Engine) throws {
        let (bench, _) = try open(engine, "1/1m")
        let ids = try enqueue(bench, "kim", "kim", "ann", "kim")
        let now = bench.now
        let lines = try bench.read {
            try Reading($0, now: now).forecast(queue: "q", limit: 9).lines
        }
        #expect(lines.map(\.id) == [ids[0], ids[2], ids[1], ids[3]])
        #expect(lines.map(\.at) == [at(0), at(0), at(60_000), at(120_000)])
    }

    @Test(
        "Q13 Q4 N3 a task that waits for its rate keeps the run open for a task that becomes due",
        arguments: Engine.all)
    func openRun(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, "1/1m", [.start(.batched), .batchCount(3), .batchDelay(10_000)])
        let ids = try enqueue(bench, "kim", "kim", "ann")
        try bench.perform(.postpone([TaskTarget(ids[2])], until: at(15_000)))
        let now = bench.now
        let lines = try bench.read {
            try Reading($0, now: now).forecast(queue: "q", limit: 9).lines
        }
        #expect(lines.map(\.id) == [ids[0], ids[2], ids[1]])
        #expect(lines.map(\.at) == [at(10_000), at(15_000), at(70_000)])
        for (wait, id) in [(10_000, ids[0]), (5000, ids[2]), (55_000, ids[1])] {
            #expect(try claim(bench, runner) == [])
            bench.pass(Int64(wait))
            #expect(try claim(bench, runner) == [id])
        }
        #expect(try bench.record().run == nil)
    }

    @Test("Q13 a claim finds the first other value among a thousand that must wait")
    func deep() throws {
        let (bench, runner) = try open(.sqlite, "1/1h")
        try bench.enqueue(
            (0..<1000).map { _ in
                EnqueueRequest(type: "t", payload: Array(#"{"user":"kim"}"#.utf8))
            })
        let last = try enqueue(bench, "ann")
        #expect(try claim(bench, runner).count == 2)
        #expect(try bench.task(last[0]).waiting == nil)
    }

    @Test("Q13 a place is a path, with or without the word payload")
    func places() {
        #expect(Rate.place("payload.user") == PayloadPath([.key("user")]))
        #expect(Rate.place("user") == PayloadPath([.key("user")]))
        #expect(Rate.place("payload[0].id") == PayloadPath([.index(0), .key("id")]))
        for text in ["", "payload.", "a,b", "a..b", "a[x]"] {
            #expect(Rate.place(text) == nil, "\(text)")
            let error = #expect(throws: QueueError.self) { try QueueSetting.per.change(text) }
            #expect(error?.fix == "allowed: none, or a path such as payload.user")
        }
    }
}
