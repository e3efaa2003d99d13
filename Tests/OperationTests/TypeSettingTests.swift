import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Settings of a queue for one type (Q14), and the ranks of types (Q15).
@Suite("settings of types")
struct TypeSettingTests {
    private func open(
        _ engine: Engine, _ changes: [SettingChange]
    ) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.perform(.setQueue("q", changes))
        return (bench, try bench.attach())
    }

    @Test(
        "Q14 the retry rule of a type is its own, other types keep the queue's",
        arguments: Engine.all)
    func retry(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine,
            [
                .retry(.fixed(milliseconds: 7_000)),
                .ofType("send", .retry(.linear(baseMilliseconds: 100, stepMilliseconds: 50))),
            ])
        let ids = try bench.enqueue([request("send"), request("draw")])
        for _ in ids { try bench.settle(try bench.claimOne(runner), .fail) }
        func waits(_ id: TaskID) throws -> Int64? {
            try bench.task(id).waiting?.timer.map { $0.until - bench.now }
        }
        #expect(try ids.map(waits) == [100, 7_000])
        let now = bench.now
        let texts = try bench.read { store in
            try ids.map { try Reading(store, now: now).line($0).blockers.first?.text }
        }
        #expect(texts[0]?.hasSuffix(", by the rule of its type") == true)
        #expect(texts[1]?.hasSuffix("in 7s") == true)
        bench.pass(100)
        try bench.settle(try bench.claimOne(runner), .fail)
        #expect(try waits(ids[0]) == 150)
    }

    @Test(
        "Q14 the attempts of a type hold for it, and a task's own go before", arguments: Engine.all)
    func attempts(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine,
            [
                .attempts(1), .retry(.fixed(milliseconds: 0)), .ofType("send", .attempts(3)),
                .ofType("keep", .attempts(nil)),
            ])
        let ids = try bench.enqueue([
            request("send"), request("send") { $0.attemptLimit = 2 }, request("draw"),
            request("keep"),
        ])
        try bench.drain(runner, limit: 12) { _ in .fail }
        #expect(try ids.map { try bench.task($0).attempts } == [3, 2, 1, 6])
        #expect(try bench.states(ids) == [.failed, .failed, .failed, .waiting])
    }

    @Test("Q14 the timeout of a type is read when its task starts", arguments: Engine.all)
    func timeout(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine,
            [
                .concurrency(9), .timeout(60_000 as Int64?),
                .ofType("send", .timeout(5_000 as Int64?)),
                .ofType("keep", .timeout(nil as Int64?)), .ofType("send", .attempts(4)),
            ])
        try bench.enqueue([request("send"), request("draw"), request("keep")])
        let claimed = try bench.claim(runner, slots: 9)
        #expect(claimed.map(\.timeoutMilliseconds) == [5_000, 60_000, nil])
        #expect(claimed.map(\.attemptLimit) == [4, 10, 10])
    }

    @Test(
        "Q14 a change holds for tasks that wait, and default follows the queue",
        arguments: Engine.all)
    func changed(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, [.attempts(5), .retry(.fixed(milliseconds: 0)), .concurrency(2)])
        let ids = try bench.enqueue([request("send"), request("send")])
        let hands = try bench.claim(runner, slots: 2)
        try bench.perform(.setQueue("q", [.ofType("send", .attempts(1))]))
        try bench.settle(hands[0], .fail)
        #expect(try bench.states(ids) == [.failed, .running])
        let answer = try bench.perform(.setQueue("q", [.likeQueue(type: "send", "attempts")]))
        #expect(answer.summary.hasSuffix("attempts of send default"))
        #expect(try bench.record().settings.types.isEmpty)
        try bench.settle(hands[1], .fail)
        #expect(try bench.states(ids) == [.failed, .waiting])
        try bench.perform(.undo(event: nil))
        #expect(try bench.record().settings.types["send"]?.attempts == .most(1))
    }

    @Test(
        "Q14 IDJ-36 a type has its own places, and others overtake it while they are taken",
        arguments: Engine.all,
        [("send", nil), ("draw", nil), ("draw", ["draw", "mail", "send"])] as [(String, [String]?)])
    func places(_ engine: Engine, _ order: (first: String, handled: [String]?)) throws {
        let (first, handled) = order
        // An index has the first type of a queue apart from the others.
        let (bench, all) = try open(
            engine, [.concurrency(9), .ofType("send", .concurrency(2)), .order(.priority)])
        try bench.enqueue([request(first)])
        try bench.settle(try bench.claimOne(all))
        let runner = handled == nil ? all : try bench.attach(types: handled)
        let ids = try bench.enqueue(
            (0..<5).map { _ in request("send") { $0.priority = 1 } }
                + [request("draw"), request("mail"), request("draw")])
        let hands = try bench.claim(runner, slots: 4)
        #expect(hands.map(\.task.id) == [ids[0], ids[1], ids[5], ids[6]])
        #expect(try bench.blockers(ids[2]) == [.noSlot])
        let now = bench.now
        let why = try bench.read { try Reading($0, now: now).line(ids[2]).blockers[0] }
        #expect(why.text == "in its queue, send's 2 places are taken by #\(ids[0]) and #\(ids[1])")
        #expect(why.fix == .why(ids[0]))
        #expect(try bench.claim(runner, slots: 4).map(\.task.id) == [ids[7]])
        #expect(try bench.claim(runner, slots: 4) == [])
        try bench.settle(hands[0])
        try bench.settle(hands[1], .fail)
        #expect(try bench.claim(runner, slots: 4).map(\.task.id) == [ids[2], ids[3]])
        try bench.perform(.setQueue("q", [.ofType("send", .concurrency(3))]))
        #expect(try bench.claim(runner, slots: 4).map(\.task.id) == [ids[4]])
        try bench.perform(.setQueue("q", [.likeQueue(type: "send", "concurrency")]))
        bench.pass(60_000)
        #expect(try bench.claim(runner, slots: 4).map(\.task.id) == [ids[1]])
    }

    @Test("Q14 in strict order a type without a free place blocks", arguments: Engine.all)
    func strictPlaces(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, [.concurrency(3), .afterFailure(.block), .ofType("send", .concurrency(1))])
        let ids = try bench.enqueue([request("send"), request("send"), request("draw")])
        let hands = try bench.claim(runner, slots: 3)
        #expect(hands.map(\.task.id) == [ids[0]])
        #expect(try bench.blockers(ids[2]) == [.headOfQueue])
        try bench.settle(hands[0])
        #expect(try bench.claim(runner, slots: 3).map(\.task.id) == [ids[1], ids[2]])
    }

    @Test("Q14 a run ends only when the tasks of a full type have run too", arguments: Engine.all)
    func runOfPlaces(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, [.concurrency(3), .start(.manual), .ofType("send", .concurrency(1))])
        try bench.enqueue((0..<3).map { _ in request("send") })
        try bench.perform(.run(queue: "q", limit: nil))
        for _ in 0..<3 {
            let hands = try bench.claim(runner, slots: 3)
            #expect(hands.count == 1)
            for one in hands { try bench.settle(one) }
        }
        #expect(try bench.claim(runner, slots: 3) == [])
        #expect(try bench.record().run == nil)
    }

    @Test("Q14 a setting that only a queue has is refused for a type")
    func refused() throws {
        let bench = try Bench(.memory)
        try bench.enqueue(1)
        for change: SettingChange in [
            .priority(2), .preset(.startup), .rank("a"), .ofType("b", .attempts(1)),
            .attempts(0),
        ] {
            #expect(try bench.refusal(.setQueue("q", [.ofType("send", change)])) == .badValue)
        }
        #expect(try bench.refusal(.setQueue("q", [.ofType("", .attempts(1))])) == .badName)
        #expect(try bench.refusal(.setQueue("q", [.likeQueue(type: "t", "order")])) == .badValue)
        let many = (0...TypeSettings.limit).map { SettingChange.ofType("t\($0)", .attempts(2)) }
        #expect(try bench.refusal(.setQueue("q", many)) == .badValue)
        #expect(try bench.record().settings == QueueSettings())
    }

    @Test("Q14 Q15 an accent in both spellings names one type", arguments: Engine.all)
    func composed(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine,
            [.order(.priority), .ofType("cafe\u{301}", .attempts(1)), .rank("cafe\u{301}")])
        let ids = try bench.enqueue([request("a"), request("caf\u{E9}")])
        #expect(try bench.claimOne(runner).task.id == ids[1])
        try bench.act { try $0.detach(runner) }
        #expect(try bench.record().settings.types.keys.sorted() == ["caf\u{E9}"])
    }

    @Test(
        "Q15 tasks run in the order of their types, equal ones as they came", arguments: Engine.all)
    func ranked(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, [.preset(.startup), .start(.continuous), .rank("network,login,push=scheme")])
        let types = ["other", "scheme", "login", "push", "network"]
        let ids = try bench.enqueue(types.map { request($0) })
        #expect(try bench.drain(runner) == [4, 2, 1, 3, 0].map { ids[$0] })
        let own = try bench.enqueue([
            request("network") { $0.priority = 0 }, request("push"),
            request("other") { $0.priority = 5_000 },
        ])
        #expect(try bench.drain(runner) == [own[2], own[1], own[0]])
    }

    @Test(
        "Q15 a type between two others changes no number, so waiting tasks keep their places",
        arguments: Engine.all)
    func between(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, [.order(.priority), .rank("network,login,push")])
        let ids = try bench.enqueue([request("push"), request("login"), request("network")])
        let answer = try bench.perform(.setQueue("q", [.rank("network,location,login,push")]))
        #expect(answer.consequences.contains { $0.contains("keep their priority") })
        let late = try bench.enqueue([request("location")])[0]
        #expect(try bench.drain(runner) == [ids[2], late, ids[1], ids[0]])
    }

    @Test("Q15 an order without priorities says that ranks have no effect", arguments: Engine.all)
    func noEffect(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let answer = try bench.perform(.setQueue("q", [.rank("a,b")]))
        #expect(answer.consequences.contains { $0.contains("ranks have no effect") })
        let second = try bench.perform(.setQueue("q", [.order(.priority)]))
        #expect(second.consequences == [])
    }

    @Test(
        "Q14 Q15 settings and ranks of types are kept whole",
        arguments: Engine.all)
    func kept(_ engine: Engine) throws {
        let changes: [SettingChange] = [
            .ofType(
                "send",
                .retry(
                    .exponential(
                        baseMilliseconds: 1, factor: 1.5, capMilliseconds: 9, jitter: 0.25))),
            .ofType("send", .attempts(nil)), .ofType("send", .timeout(9 as Int64?)),
            .ofType("draw", .attempts(2)), .rank("a=b,c"),
        ]
        let (bench, _) = try open(engine, changes)
        var expected = QueueSettings()
        for change in changes { try expected.apply(change) }
        #expect(try bench.record().settings == expected)
        #expect(expected.types.count == 2 && expected.ranks.text == "a=b,c")
        #expect(try bench.perform(.setQueue("q", [.ofType("draw", .attempts(2))])).changed == [])
    }
}
