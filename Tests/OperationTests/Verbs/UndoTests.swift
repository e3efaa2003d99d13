import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// `undo` all the way back, and `redo` forward again (D9).
@Suite("undo and redo")
struct UndoTests {
    /// A queue with one task, and its initial state.
    private struct Scene {
        let bench: Bench
        let target: TaskTarget

        init(_ engine: Engine) throws {
            bench = try Bench(engine)
            try bench.makeQueue()
            target = TaskTarget(try bench.enqueue(1)[0])
        }

        var task: QueueTask { get throws { try bench.task(target.id) } }
        var payload: [UInt8]? {
            get throws { try bench.read { try $0.payload(of: target.id) } }
        }

        func undo() throws { try bench.perform(.undo(event: nil)) }
        func redo() throws { try bench.perform(.redo) }
    }

    @Test("D9 undo again and again takes back verb after verb of one task", arguments: Engine.all)
    func allTheWayBack(_ engine: Engine) throws {
        let scene = try Scene(engine)
        let former = try scene.task
        for verb in [
            Verb.priority([scene.target], 5), .priority([scene.target], 7),
            .skip([scene.target], forMilliseconds: nil),
            .edit([scene.target], payload: Array("b".utf8), fields: []),
            .delete([scene.target], cancelsRunning: false, members: nil),
        ] {
            try scene.bench.perform(verb)
        }
        try scene.undo()
        #expect(try scene.task.state.name == .waiting)
        try scene.undo()
        #expect(try scene.payload == Array("{}".utf8))
        try scene.undo()
        #expect(try scene.task.waiting?.skip == nil)
        try scene.undo()
        #expect(try scene.task.priority == 5)
        try scene.undo()
        #expect(try scene.task.unversioned == former.unversioned)
    }

    @Test(
        "D9 B10 what was attempted in a run that is over is free when a verb is undone",
        arguments: Engine.all)
    func afterTheRun(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.start = .manual }
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        try bench.perform(.run(queue: "q", limit: nil))
        try bench.settle(
            try bench.claimOne(runner), .retry(afterMilliseconds: 0, error: nil))
        #expect(try bench.task(ids[0]).waiting?.attemptedInRun == true)
        try bench.perform(.priority([TaskTarget(ids[0])], 5))
        #expect(try bench.drain(runner) == [ids[1]])
        #expect(try bench.record().run == nil)
        try bench.perform(.undo(event: nil))
        let task = try bench.task(ids[0])
        #expect(task.priority == 0 && task.waiting?.attemptedInRun == false)
        try bench.perform(.run(queue: "q", limit: nil))
        #expect(try bench.drain(runner) == [ids[0]])
    }

    @Test("D9 redo goes forward again, until a new verb ends that", arguments: Engine.all)
    func forward(_ engine: Engine) throws {
        let scene = try Scene(engine)
        try scene.bench.perform(.priority([scene.target], 5))
        try scene.bench.perform(
            .edit([scene.target], payload: Array("b".utf8), fields: [.label("x")]))
        try scene.bench.perform(.pause(PauseRequest(.queue("q"))))
        for _ in 0..<3 { try scene.undo() }
        #expect(try scene.task.priority == 0 && scene.bench.record().pauses == [])
        try scene.redo()
        #expect(try scene.task.priority == 5)
        try scene.redo()
        #expect(try scene.task.label == "x" && scene.payload == Array("b".utf8))
        try scene.redo()
        #expect(try scene.bench.record().pauses.count == 1)
        #expect(try scene.bench.refusal(.redo) == .notLegal)
        // Back and forth as often as one likes.
        for _ in 0..<2 { try scene.undo() }
        #expect(try scene.task.label == nil && scene.payload == Array("{}".utf8))
        try scene.redo()
        #expect(try scene.task.label == "x")
        try scene.undo()
        try scene.bench.perform(.priority([scene.target], 9))
        #expect(try scene.bench.refusal(.redo) == .notLegal)
        #expect(try scene.task.label == nil)
    }

    @Test("D9 a verb of which nothing can be undone does not hide those before it")
    func passedOver() throws {
        let scene = try Scene(.memory)
        let other = TaskTarget(try scene.bench.enqueue(1)[0])
        try scene.bench.perform(.priority([other], 3))
        try scene.bench.perform(.priority([scene.target], 5))
        try scene.bench.perform(.priority([scene.target], 6), by: "bob")
        #expect(try scene.bench.refusal(.undo(event: nil)) == .changed)
        #expect(try scene.task.priority == 6)
        try scene.undo()
        #expect(try scene.bench.task(other.id).priority == 0)
    }

    @Test(
        "D9 a payload that somebody else changed since is not written over", arguments: Engine.all)
    func payload(_ engine: Engine) throws {
        let scene = try Scene(engine)
        let bench = scene.bench
        let first = try bench.perform(
            .edit([scene.target], payload: Array("a".utf8), fields: []))
        try bench.perform(
            .edit([scene.target], payload: Array("b".utf8), fields: []), by: "bob")
        #expect(try bench.refusal(.undo(event: first.undo)) == .changed)
        #expect(try scene.payload == Array("b".utf8))
    }

    @Test("D9 an execution in between stands in the way", arguments: Engine.all)
    func execution(_ engine: Engine) throws {
        let scene = try Scene(engine)
        let bench = scene.bench
        let first = try bench.perform(.priority([scene.target], 5))
        let runner = try bench.attach()
        let claimed = try #require(try bench.claim(runner).first)
        try bench.settle(claimed, .retry(afterMilliseconds: 0, error: "no"))
        try bench.perform(.priority([scene.target], 6))
        try scene.undo()
        #expect(try bench.refusal(.undo(event: first.undo)) == .changed)
        #expect(try scene.task.priority == 5)
    }

    @Test("D9 D10 a bulk is undone and done again as one")
    func bulk() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        let ids = try bench.enqueue(2500)
        try bench.perform(.priority(ids.map { TaskTarget($0) }, 4))
        try bench.perform(.undo(event: nil))
        #expect(try bench.read { try $0.tasks(ids) }.allSatisfy { $0.priority == 0 })
        try bench.perform(.redo)
        #expect(try bench.read { try $0.tasks(ids) }.allSatisfy { $0.priority == 4 })
        try bench.perform(.undo(event: nil))
        #expect(try bench.read { try $0.tasks(ids) }.allSatisfy { $0.priority == 0 })
    }
}
