import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("order")
struct OrderTests {
    static let keys: [SortKey?] = [
        .text("b"), .integer(2), nil, .text("a\u{0}"), .text("a"), .integer(-1), .text("é"),
    ]

    @Test("Q1 tasks run in the queue's order", arguments: Case.all(QueueOrder.allCases))
    func order(_ test: Case<QueueOrder>) throws {
        let bench = try Bench(test.engine)
        let order = test.value
        try bench.makeQueue { $0.order = order }
        let priorities = [0, 5, -3, 5, 0, 10, 0]
        let ids = try bench.enqueue(
            priorities.indices.map { place in
                request {
                    $0.priority = priorities[place]
                    $0.sortKey = Self.keys[place]
                }
            })
        let expected: [QueueOrder: [Int]] = [
            .fifo: [0, 1, 2, 3, 4, 5, 6], .lifo: [6, 5, 4, 3, 2, 1, 0],
            .priority: [5, 1, 3, 0, 4, 6, 2], .key: [5, 1, 4, 3, 0, 6, 2],
        ]
        #expect(try bench.waiting() == expected[order]?.map { ids[$0] })
        #expect(try bench.drain(try bench.attach()) == expected[order]?.map { ids[$0] })
    }

    @Test("Q1 a new order sorts what waits", arguments: Engine.all)
    func changed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([request(), request { $0.priority = 1 }, request()])
        try bench.perform(.setQueue("q", [.order(.priority)]))
        #expect(try bench.waiting() == [ids[1], ids[0], ids[2]])
        try bench.perform(.setQueue("q", [.order(.lifo)]))
        #expect(try bench.drain(try bench.attach()) == [ids[2], ids[1], ids[0]])
    }

    @Test("Q2 no more than its concurrency runs at once", arguments: Case.all([1, 2, 3, 4]))
    func concurrency(_ test: Case<Int>) throws {
        let bench = try Bench(test.engine)
        let limit = test.value
        try bench.makeQueue { $0.concurrency = limit }
        let ids = try bench.enqueue(5)
        let runners = [try bench.attach(), try bench.attach()]
        let first = try bench.claim(runners[0], slots: 8)
        #expect(first.map(\.task.id) == Array(ids.prefix(limit)))
        #expect(try bench.claim(runners[1], slots: 8) == [])
        #expect(try bench.blockers(ids[4]) == [.noSlot])
        let said = try bench.read { try Reading($0, now: at(0)).line(ids[4]).blockers[0].text }
        let places = limit == 1 ? "one place is" : "\(limit) places are"
        let named = ids.prefix(limit).prefix(3).map { "#\($0)" }
        let names = WordList.and(named + (limit > 3 ? ["1 more"] : []))
        #expect(said == "its queue's \(places) taken by \(names)")
        try bench.settle(first[0])
        #expect(try bench.claim(runners[1], slots: 8).map(\.task.id) == [ids[limit]])
    }

    @Test(
        "A2 N1 N3 of a place that a task of a dead worker takes that is said, and what frees it",
        arguments: Engine.all)
    func deadPlaces(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 2 }
        let ids = try bench.enqueue(3)
        let runners = [try bench.attach(), try bench.attach()]
        for runner in runners { #expect(try bench.claim(runner).count == 1) }
        func look(_ dead: [ProcessID]) throws -> (blocker: Blocker, start: ForecastLine) {
            let now = bench.now
            return try bench.read { store in
                let said = Dictionary(uniqueKeysWithValues: dead.map { ($0, Vitality.dead) })
                let reading = try Reading(store, now: now, signs: VitalSigns(saying: said))
                let line = try reading.line(ids[2])
                let start = try reading.forecast(queue: "q", limit: 9).lines.first
                return (
                    try #require(line.blockers.first { $0.kind == .noSlot }), try #require(start)
                )
            }
        }
        let taken = "its queue's 2 places are taken by #\(ids[0]) and #\(ids[1])"
        let none = try look([])
        #expect(none.blocker.text == taken && none.blocker.fix == .why(ids[0]))
        #expect(none.start.id == ids[2] && none.start.at == nil)
        #expect(none.start.blocker == .noSlot && none.start.behind == ids[0])
        // A live task may end at any moment.
        let one = try look([runners[1]])
        #expect(one.blocker.text == taken + "; #\(ids[1]) is lost: its worker died")
        #expect(one.blocker.fix == .doctor && one.blocker.cause == nil)
        #expect(one.start.at == nil && one.start.behind == ids[0])
        let both = try look(runners)
        let lost = "; #\(ids[0]) and #\(ids[1]) are lost: their workers died"
        #expect(both.blocker.text == taken + lost)
        #expect(both.blocker.fix == .doctor && both.blocker.cause == "dead")
        #expect(both.start.id == ids[2] && both.start.at == nil)
        #expect(both.start.blocker == .noSlot)
    }

    @Test("Q5 the larger queue is served first, equal ones in turn", arguments: Engine.all)
    func queues(_ engine: Engine) throws {
        let bench = try Bench(engine)
        for (name, priority) in [("a", 0), ("b", 0), ("c", 0), ("z", 5)] {
            try bench.makeQueue(name) { $0.priority = priority }
            try bench.enqueue(2, to: name)
        }
        let runner = try bench.attach()
        var served: [String] = []
        var turn = RoundRobin()
        for _ in 0..<8 {
            var request = ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0)
            request.turn = turn
            let claimed = try bench.claimOne(request)
            served.append(claimed.task.queue)
            turn.record([claimed.task.queue])
            try bench.settle(claimed)
        }
        #expect(served == ["z", "z", "a", "b", "c", "a", "b", "c"])
    }

    @Test(
        "Q5 a queue of one task at a time does not wait behind those that fill every slot",
        arguments: Engine.all)
    func narrow(_ engine: Engine) throws {
        let bench = try Bench(engine)
        for name in ["a", "b"] {
            try bench.makeQueue(name) { $0.concurrency = 8 }
            try bench.enqueue(12, to: name)
        }
        for name in ["s", "t", "u"] {
            try bench.makeQueue(name)
            try bench.enqueue(2, to: name)
        }
        var claim = ClaimRequest(runner: try bench.attach(), freeSlots: 4, inFlight: 0)
        claim.turn = RoundRobin(["a", "b", "t", "u", "s"])
        // Two of the narrow ones at most, in turn, so that they leave room for the others.
        let first = try bench.claim(claim)
        #expect(first.map(\.task.queue) == ["t", "u", "a", "a"])
        for claimed in first { try bench.settle(claimed) }
        claim.turn = RoundRobin(["b", "s", "t", "u", "a"])
        #expect(try bench.claim(claim).map(\.task.queue) == ["s", "t", "b", "b"])
        try bench.perform(.setQueue("a", [.priority(1)]))
        claim.freeSlots = 3
        #expect(try bench.claim(claim).map(\.task.queue) == ["a", "a", "a"])
    }

    @Test("B6 B9 a worker takes only what it handles and can do", arguments: Engine.all)
    func runners(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([
            request("a") { $0.requires = [.network] }, request("b"), request("a"),
        ])
        #expect(try bench.blockers(ids[1]) == [.noRunner])
        #expect(try bench.display(ids[0]) == .next)
        let able = try bench.attach(types: ["a"])
        #expect(try bench.blockers(ids[1]) == [.noRunner])
        #expect(try bench.display(ids[1]) == .blocked)
        try bench.perform(.network(forced: false))
        #expect(try bench.blockers(ids[0]) == [.requirement])
        #expect(try bench.claim(able).map(\.task.id) == [ids[2]])
        try bench.perform(.network(forced: nil))
        let stranger = try bench.attach(queues: ["other"])
        #expect(try bench.claim(stranger, slots: 3) == [])
    }

    @Test(
        "A3 an offline outcome makes its worker pass over what needs the network, for 30 s",
        arguments: Engine.all)
    func offline(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 3 }
        let ids = try bench.enqueue([
            request { $0.requires = [.network] }, request { $0.requires = [.network] }, request(),
        ])
        let runner = try bench.attach()
        let first = try bench.claimOne(runner)
        try bench.settle(first, .offline(error: "no route"))
        #expect(try bench.task(ids[0]).attempts == 0)
        bench.pass(29_999)
        #expect(try bench.blockers(ids[0]) == [.requirement])
        #expect(try bench.claim(runner, slots: 3).map(\.task.id) == [ids[2]])
        bench.pass(1)
        #expect(try bench.claim(runner, slots: 3).map(\.task.id) == [ids[0], ids[1]])
    }
}
