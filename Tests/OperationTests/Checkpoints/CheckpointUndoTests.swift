import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Taking checkpoints back, and bringing them back (G5, D9).
@Suite("Undo of checkpoints")
struct CheckpointUndoTests {
    /// A queue of three tasks, and checkpoints between changes of their priorities.
    private struct Scene {
        let bench: Bench
        let ids: [TaskID]

        init(_ engine: Engine) throws {
            bench = try Bench(engine)
            try bench.makeQueue()
            ids = try bench.enqueue(3)
        }

        @discardableResult
        func take(_ name: String) throws -> Answer {
            try bench.perform(.takeCheckpoint(CheckpointRequest(name)))
        }

        @discardableResult
        func remove(_ names: String...) throws -> Answer {
            try bench.perform(.removeCheckpoints(names))
        }

        /// A change by another person, so that `undo` ignores it.
        func change(_ priority: PriorityWord, of place: Int = 0) throws {
            try bench.perform(.priority([TaskTarget(ids[place])], priority), by: "bob")
        }

        var names: [String] {
            get throws { try bench.read { try $0.storeRecord().checkpoints.all.map(\.name) } }
        }

        var images: Int {
            get throws { try bench.read { try $0.imageCounts(from: .min).subjects } }
        }

        /// The priorities that a checkpoint says of the tasks that changed since.
        func priorities(at name: String) throws -> [JSONValue] {
            let now = bench.now
            let found = try bench.read {
                try Reading($0, now: now).difference(from: name, to: nil)
            }
            return found.tasks.flatMap(\.fields).filter { $0.name == "priority" }.map(\.from)
        }

        func error(_ verb: Verb) -> QueueError? {
            #expect(throws: QueueError.self) { try bench.perform(verb) }
        }
    }

    @Test("G5 undo ends a checkpoint that was taken, with its images", arguments: Engine.large)
    func takenBack(_ engine: Engine) throws {
        let scene = try Scene(engine)
        try scene.bench.perform(.priority([TaskTarget(scene.ids[1])], 9))
        let taken = try scene.take("a")
        #expect(taken.undo == (try scene.bench.events().last?.sequence))
        try scene.change(4)
        #expect(try scene.images == 1)
        let answer = try scene.bench.perform(.undo(event: nil))
        #expect(answer.summary == "undone by ann: checkpoint a taken by ann")
        #expect(try scene.names == [] && scene.images == 0)
        // Changes by others stay, and the next undo reverts the verb before it.
        #expect(try scene.bench.task(scene.ids[0]).priority == 4)
        try scene.bench.perform(.undo(event: nil))
        #expect(try scene.bench.task(scene.ids[1]).priority == 0)
    }

    @Test("G5 a checkpoint that was taken back does not come again", arguments: Engine.large)
    func notDoneAgain(_ engine: Engine) throws {
        let scene = try Scene(engine)
        try scene.take("a")
        try scene.bench.perform(.undo(event: nil))
        let error = scene.error(.redo)
        #expect(error?.code == .notLegal)
        #expect(error?.message.contains("checkpoint a cannot come back") == true)
        #expect(error?.fix == "sluice checkpoint a takes a new one")
        #expect(try scene.names == [])
    }

    @Test("G5 an undo of a checkpoint that has ended since says so", arguments: Engine.large)
    func endedSince(_ engine: Engine) throws {
        let scene = try Scene(engine)
        let taken = try scene.take("a")
        try scene.remove("a")
        let error = scene.error(.undo(event: taken.undo))
        #expect(error?.code == .changed)
        #expect(error?.message == "checkpoint a has ended since")
    }

    @Test(
        "G5 a removed checkpoint between two others comes back with what it knew",
        arguments: Engine.large)
    func comesBack(_ engine: Engine) throws {
        let scene = try Scene(engine)
        for (name, priority) in [("a", 1), ("b", 2), ("c", 3)] as [(String, PriorityWord)] {
            try scene.take(name)
            try scene.change(priority)
        }
        let removed = try scene.remove("b")
        #expect(removed.undo == (try scene.bench.events().last?.sequence))
        try scene.change(5)
        try scene.change(6, of: 1)
        try scene.bench.perform(.undo(event: nil))
        #expect(try scene.names == ["a", "b", "c"])
        #expect(try scene.priorities(at: "a") == [.integer(0), .integer(0)])
        #expect(try scene.priorities(at: "b") == [.integer(1), .integer(0)])
        #expect(try scene.priorities(at: "c") == [.integer(2), .integer(0)])
        try scene.bench.perform(.redo)
        #expect(try scene.names == ["a", "c"])
        try scene.bench.perform(.undo(event: nil))
        #expect(try scene.names == ["a", "b", "c"])
        try scene.bench.perform(.restore("b"))
        #expect(try scene.bench.task(scene.ids[0]).priority == 1)
    }

    @Test(
        "G5 what a removed checkpoint knew is gone with it where it was the oldest or the newest",
        arguments: Case.all([["a"], ["c"], ["a", "b", "c"], ["b", "c"]], on: Engine.large))
    func imagesGone(_ example: Case<[String]>) throws {
        let scene = try Scene(example.engine)
        for name in ["a", "b", "c"] {
            try scene.take(name)
            try scene.change(.number(scene.names.count))
        }
        let removed = try scene.bench.perform(.removeCheckpoints(example.value))
        #expect(removed.undo == nil)
        #expect(removed.consequences.count == example.value.count)
        #expect(removed.consequences.allSatisfy { $0.contains("cannot come back") })
        let event = try scene.bench.events().last
        let left = try scene.names
        let error = scene.error(.undo(event: event?.sequence))
        #expect(error?.code == .notLegal)
        #expect(error?.message.contains("(checkpointRemove) cannot be undone") == true)
        #expect(error?.fix.contains("images") == true)
        #expect(try scene.names == left)
    }

    @Test(
        "G5 of several removed ones those come back whose images are there; the rest is named",
        arguments: Engine.large)
    func someComeBack(_ engine: Engine) throws {
        let scene = try Scene(engine)
        for name in ["a", "b", "c", "d"] { try scene.take(name) }
        let removed = try scene.remove("a", "c")
        #expect(removed.consequences.count == 1)
        #expect(removed.consequences.first?.hasPrefix("checkpoint a cannot come back") == true)
        let answer = try scene.bench.perform(.undo(event: nil))
        #expect(try scene.names == ["b", "c", "d"])
        #expect(answer.consequences.first?.hasPrefix("checkpoint a cannot come back") == true)
    }

    @Test(
        "G5 a checkpoint whose neighbours ended, or whose name is taken, does not come back",
        arguments: Engine.large)
    func neighboursEnded(_ engine: Engine) throws {
        let scene = try Scene(engine)
        for name in ["a", "b", "c"] { try scene.take(name) }
        let first = try scene.remove("b")
        try scene.remove("c")
        // A newer checkpoint exists now, but did not exist all the time.
        try scene.take("d")
        #expect(scene.error(.undo(event: first.undo))?.code == .notLegal)
        let other = try Scene(engine)
        for name in ["a", "b", "c"] { try other.take(name) }
        let second = try other.remove("b")
        try other.take("b")
        #expect(other.error(.undo(event: second.undo))?.code == .changed)
        #expect(try other.names == ["a", "c", "b"])
    }
}
