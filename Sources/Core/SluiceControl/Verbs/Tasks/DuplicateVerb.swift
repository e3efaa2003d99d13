import SluiceModel
import SluiceStore

/// The task once more, as a new one at the end (D7).
struct DuplicateVerb: PlainVerb {
    static let name = "duplicate"
    static let help = "once more, at the end"
    static let participle = "made as a duplicate"
    static let states: Set<TaskState.Name> = [.waiting, .running, .succeeded, .failed]

    static func reason(against shown: ShownTask) -> String? { nil }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        let request = EnqueueRequest(
            copying: task, payload: try context.store.payload(of: task.id) ?? [])
        context.made = try context.mutation.enqueue([request], to: task.queue).ids.first
    }
}

extension Verb {
    /// Enqueues tasks once more; the answer names the new ones (D7).
    public static func duplicate(_ targets: [TaskTarget]) -> Verb { on(targets, DuplicateVerb()) }
}
