import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("move")
struct MoveTests {
    /// Six equal tasks, and what the move of the fifth one shown makes of them.
    static let places: [(MovePlace, [Int])] = [
        (.first, [4, 0, 1, 2, 3, 5]), (.last, [0, 1, 2, 3, 5, 4]),
        (.before(1), [0, 4, 1, 2, 3, 5]), (.after(1), [0, 1, 4, 2, 3, 5]),
        (.before(5), [0, 1, 2, 3, 4, 5]), (.after(5), [0, 1, 2, 3, 5, 4]),
        (.after(3), [0, 1, 2, 3, 4, 5]), (.before(0), [4, 0, 1, 2, 3, 5]),
    ]

    private static func place(_ place: MovePlace, _ ids: [TaskID]) -> MovePlace {
        switch place {
        case .before(let index): .before(ids[Int(index)])
        case .after(let index): .after(ids[Int(index)])
        case .first, .last: place
        }
    }

    @Test(
        "Q1 move means the order that the screen shows, in every order",
        arguments: Case.all(QueueOrder.allCases))
    func everyOrder(_ test: Case<QueueOrder>) throws {
        for (place, expected) in Self.places {
            let bench = try Bench(test.engine)
            let order = test.value
            try bench.makeQueue { $0.order = order }
            try bench.enqueue(6)
            let shown = try bench.waiting()
            try bench.perform(.move(TaskTarget(shown[4]), Self.place(place, shown)))
            #expect(try bench.waiting() == expected.map { shown[$0] }, "\(place)")
            try bench.perform(.undo(event: nil))
            #expect(try bench.waiting() == shown, "\(place) undone")
        }
    }

    @Test(
        "Q1 among unequal priorities or keys a move is refused with the word to use instead",
        arguments: Case.all([QueueOrder.priority, .key]))
    func unequal(_ test: Case<QueueOrder>) throws {
        let bench = try Bench(test.engine)
        let order = test.value
        try bench.makeQueue { $0.order = order }
        // Positions run against the order, so a neighbour's position would mislead.
        let ids = try bench.enqueue(
            [3, 3, 2, 2, 1, 9].map { rank in
                request {
                    $0.priority = -rank
                    $0.sortKey = .integer(Int64(rank))
                }
            })
        let shown = [ids[4], ids[2], ids[3], ids[0], ids[1], ids[5]]
        #expect(try bench.waiting() == shown)
        #expect(try bench.refusal(.move(TaskTarget(ids[5]), .first)) == .notLegal)
        #expect(try bench.refusal(.move(TaskTarget(ids[0]), .before(ids[2]))) == .notLegal)
        try bench.perform(.move(TaskTarget(ids[3]), .before(ids[2])))
        try bench.perform(.move(TaskTarget(ids[0]), .after(ids[1])))
        #expect(try bench.waiting() == [ids[4], ids[3], ids[2], ids[1], ids[0], ids[5]])
    }

    @Test(
        "Q1 where there is no room the tasks are spread, and nothing else changes",
        arguments: Case.all([QueueOrder.fifo, .lifo]))
    func spread(_ test: Case<QueueOrder>) throws {
        let bench = try Bench(test.engine)
        let order = test.value
        try bench.makeQueue { $0.order = order }
        try bench.enqueue(5)
        let done = try bench.enqueue(1)[0]
        try bench.perform(.delete([TaskTarget(done)], cancelsRunning: false, members: nil))
        var model = try bench.waiting()
        for turn in 0..<70 {
            let moved = model.remove(at: turn % 2 == 0 ? 4 : 3)
            model.insert(moved, at: 1)
            try bench.perform(.move(TaskTarget(moved), .after(model[0])))
            #expect(try bench.waiting() == model)
        }
        let positions = try bench.snapshot().tasks.map(\.position)
        #expect(Set(positions).count == positions.count)
    }

    @Test(
        "Q1 the only waiting task stays where it is, beside those that ended",
        arguments: Engine.all)
    func alone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: false, members: nil))
        try bench.perform(.move(TaskTarget(ids[1]), .first))
        let positions = try bench.snapshot().tasks.map(\.position)
        #expect(Set(positions).count == 2)
    }

    @Test("Q1 B5 a move over a start changes who is held", arguments: Engine.all)
    func groups(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([request(), member(start: "g"), member("g"), member("g")])
        try bench.perform(.move(TaskTarget(ids[3]), .first))
        #expect(try bench.wronglyHeld() == [])
        #expect(try !bench.task(ids[3]).isHeld)
        try bench.perform(.move(TaskTarget(ids[1]), .last))
        #expect(try bench.wronglyHeld() == [])
        #expect(try !bench.task(ids[2]).isHeld)
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(ids[2]).isHeld)
        try bench.perform(.move(TaskTarget(ids[1]), .first))
        #expect(try bench.task(ids[3]).isHeld)
        #expect(try bench.wronglyHeld() == [])
    }

    @Test(
        "Q1 a task with a group stays in its queue, another takes nothing of its run along",
        arguments: Engine.all)
    func otherQueue(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.start = .manual }
        try bench.makeQueue("r")
        let ids = try bench.enqueue([request(), request(), member("g")])
        #expect(try bench.refusal(.moveToQueue([TaskTarget(ids[2])], "r")) == .notLegal)
        #expect(try bench.refusal(.moveToQueue([TaskTarget(ids[0])], "x")) == .unknownQueue)
        let runner = try bench.attach(queues: ["q"])
        try bench.perform(.run(queue: "q", limit: nil))
        let claimed = try bench.claimOne(runner)
        try bench.settle(claimed, .retry(afterMilliseconds: 0, error: nil))
        #expect(try bench.task(ids[0]).waiting?.attemptedInRun == true)
        try bench.perform(.moveToQueue([TaskTarget(ids[0])], "r"))
        #expect(try bench.task(ids[0]).queue == "r")
        #expect(try bench.drain(try bench.attach(queues: ["r"])) == [ids[0]])
    }
}
