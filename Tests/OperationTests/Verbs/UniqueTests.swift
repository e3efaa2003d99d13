import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("unique keys")
struct UniqueTests {
    static func unique(_ policy: UniquePolicy, _ type: String = "t") -> EnqueueRequest {
        request(type) { ($0.uniqueKey, $0.uniquePolicy) = ("k", policy) }
    }

    @Test(
        "T5 keep gives the waiting task; another type, or one that runs, is no hindrance",
        arguments: Engine.all)
    func keep(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let first = try bench.enqueue([Self.unique(.keep)])[0]
        #expect(try bench.enqueue([Self.unique(.keep), Self.unique(.keep)]) == [first, first])
        #expect(try bench.enqueue([Self.unique(.keep, "other")])[0] != first)
        let runner = try bench.attach(types: ["t"])
        try bench.claim(runner)
        #expect(try bench.enqueue([Self.unique(.keep)])[0] != first)
    }

    @Test("T5 reject counts a running one too", arguments: Engine.all)
    func reject(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.enqueue([Self.unique(.reject)])
        #expect(try bench.refusal(.enqueue(queue: "q", [Self.unique(.reject)])) == .uniqueTaken)
        let claimed = try bench.claim(try bench.attach())
        #expect(try bench.refusal(.enqueue(queue: "q", [Self.unique(.reject)])) == .uniqueTaken)
        try bench.settle(claimed[0])
        #expect(try bench.refusal(.enqueue(queue: "q", [Self.unique(.reject)])) == nil)
    }

    @Test(
        "T5 replace takes the older one's place, however often, and no position twice",
        arguments: Engine.all)
    func replace(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([request(), Self.unique(.keep), request()])
        var last = ids[1]
        for _ in 0..<25 {
            let next = try bench.enqueue([Self.unique(.replace)])[0]
            #expect(try bench.states([last]) == [.deleted])
            last = next
            // The replacement must not take the position of a task moved directly after it.
            try bench.perform(.move(TaskTarget(ids[2]), .after(last)))
        }
        #expect(try bench.waiting() == [ids[0], last, ids[2]])
        let positions = try bench.snapshot().tasks.map(\.position)
        #expect(Set(positions).count == positions.count)
    }

    @Test(
        "T5 replace is refused when it would strand the members of a group", arguments: Engine.all)
    func replaceStart(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        var start = Self.unique(.keep)
        start.groupStart = "g"
        let ids = try bench.enqueue([start, member("g")])
        #expect(try bench.refusal(.enqueue(queue: "q", [Self.unique(.replace)])) == .uniqueTaken)
        start.uniquePolicy = .replace
        let next = try bench.enqueue([start])[0]
        #expect(try bench.waiting() == [next, ids[1]])
        #expect(try bench.task(ids[1]).isHeld)
        #expect(try bench.wronglyHeld() == [])
        // The older one is no start any more, also after its return.
        #expect(try bench.blockers(ids[1]).contains(.groupStart))
        let runner = try bench.attach()
        #expect(try bench.drain(runner) == [next, ids[1]])
    }

    @Test(
        "T5 one that would wait again beside another of its key ends as superseded",
        arguments: Engine.all)
    func superseded(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let older = try bench.enqueue([Self.unique(.keep)])[0]
        let claimed = try bench.claim(try bench.attach())[0]
        let newer = try bench.enqueue([Self.unique(.keep)])[0]
        try bench.settle(claimed, .fail)
        #expect(try bench.states([older, newer]) == [.failed, .waiting])
        #expect(try bench.task(older).lastError == "superseded")
        #expect(try bench.refusal(.retry([TaskTarget(older)])) == .uniqueTaken)
    }

    @Test("T5 undelete, move, edit and undo into a held key are refused", arguments: Engine.all)
    func heldKey(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.makeQueue("r")
        let first = try bench.enqueue([Self.unique(.keep)])[0]
        try bench.perform(.delete([TaskTarget(first)], cancelsRunning: false, members: nil))
        let second = try bench.enqueue([Self.unique(.keep)])[0]
        #expect(try bench.refusal(.undelete([TaskTarget(first)])) == .uniqueTaken)
        #expect(try bench.refusal(.undo(event: nil)) == .uniqueTaken)
        #expect(try bench.states([first, second]) == [.deleted, .waiting])
        let far = try bench.enqueue([Self.unique(.keep)], to: "r")[0]
        #expect(try bench.refusal(.moveToQueue([TaskTarget(far)], "q")) == .uniqueTaken)
        let other = try bench.enqueue([Self.unique(.keep, "other")])[0]
        let edit = Verb.edit([TaskTarget(other)], payload: nil, fields: [.type("t")])
        #expect(try bench.refusal(edit) == .uniqueTaken)
    }

    @Test(
        "T5 an undo that would bring a task back to where another waits with its key is refused",
        arguments: Engine.all)
    func undone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.makeQueue("r")
        let moved = try bench.enqueue([Self.unique(.keep)])[0]
        try bench.perform(.moveToQueue([TaskTarget(moved)], "r"))
        let second = try bench.enqueue([Self.unique(.keep)])[0]
        #expect(try bench.refusal(.undo(event: nil)) == .uniqueTaken)
        #expect(try bench.task(moved).queue == "r" && bench.waiting() == [second])
        let edited = try bench.enqueue([Self.unique(.keep, "u")])[0]
        try bench.perform(.edit([TaskTarget(edited)], payload: nil, fields: [.type("v")]))
        try bench.enqueue([Self.unique(.keep, "u")])
        #expect(try bench.refusal(.undo(event: nil)) == .uniqueTaken)
        #expect(try bench.task(edited).type == "v")
    }

    @Test("A3 a follow-up with a key is kept, never refused", arguments: Engine.all)
    func effect(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        var start = Self.unique(.keep)
        start.groupStart = "g"
        let ids = try bench.enqueue([request(), start, member("g")])
        let claimed = try bench.claim(try bench.attach())[0]
        for policy in UniquePolicy.allCases {
            let result = try bench.act {
                try $0.enqueue([Self.unique(policy)], to: "q", isEffect: true)
            }
            #expect(result.ids == [ids[1]])
        }
        try bench.settle(claimed)
        #expect(try bench.waiting() == [ids[1], ids[2]])
    }
}
