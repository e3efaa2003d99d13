import SluiceModel
import SluiceStore

/// Marks a task's result as collected by its session.
struct AcknowledgeVerb: PlainVerb {
    static let name = "acknowledge"
    static let help = "its result was collected, its session knows"
    static let participle = "acknowledged"
    static let states: Set<TaskState.Name> = [.succeeded, .failed, .deleted]
    static let canBeUndone = false

    static func reason(against shown: ShownTask) -> String? {
        guard shown.task.endedAt != nil else { return "\(shown.name) has no result to collect yet" }
        return shown.task.isAcknowledged ? "\(shown.name) was acknowledged already" : nil
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        try context.mutation.acknowledge(task)
    }
}

extension Verb {
    /// Marks the results of tasks as collected.
    public static func acknowledge(_ targets: [TaskTarget]) -> Verb {
        on(targets, AcknowledgeVerb())
    }
}
