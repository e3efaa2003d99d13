import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// Two people at a queue of one store; one of them edits.
struct EditScene {
    let bench: Bench
    let editor: Attachment
    let runner: Attachment
    let ids: [TaskID]

    init(
        _ engine: Engine, _ requests: [EnqueueRequest] = [request(), request()],
        _ change: @escaping @Sendable (inout QueueSettings) -> Void = { _ in }
    ) throws {
        bench = try Bench(engine)
        try bench.makeQueue("q", change)
        ids = try bench.enqueue(requests)
        editor = try Attachment(to: bench.store, role: .console, now: bench.now)
        runner = try Attachment(to: bench.store, role: .runner, now: bench.now) { $0.slots = 8 }
    }

    /// The current version of the task.
    func target(_ id: TaskID) throws -> TaskTarget { TaskTarget(try bench.task(id)) }

    @discardableResult
    func begin(_ id: TaskID, instant: Int64 = 0) throws -> TaskTarget {
        let target = try target(id)
        _ = try bench.control().beginEdit(target, in: editor, instant: instant)
        return target
    }

    func save(_ target: TaskTarget, _ text: String = "[1]") -> Verb {
        .edit([target], payload: Array(text.utf8), fields: [])
    }

    /// The runner's claim now.
    func claim() throws -> [TaskID] {
        try bench.claim(runner.process.id, slots: 8).map(\.task.id)
    }

    func why(_ id: TaskID) throws -> [Blocker] {
        let now = bench.now
        return try bench.read { try Reading($0, now: now).line(id).blockers }
    }
}

extension Bench {
    /// Begins an edit in a process that dies without ending it.
    func dieEditing(_ id: TaskID) throws {
        let editor = try editor()
        _ = try control().beginEdit(TaskTarget(id), in: editor, instant: 0)
    }

    func editor() throws -> Attachment {
        try Attachment(to: store, role: .console, now: now)
    }
}
