package import SluiceModel
import SluiceStore

/// The result of a task was collected, its session knows of it.
package struct AcknowledgeVerb: WordlessVerb {
    package static let name = "acknowledge"
    package static let help = "its result was collected, its session knows"
    package static let participle = "acknowledged"
    package static let states: Set<TaskState.Name> = [.succeeded, .failed, .deleted]
    package static let canBeUndone = false

    package init() {}

    package static func reason(against task: ShownTask) -> String? {
        guard task.task.endedAt != nil else { return "\(task.name) has no result to collect yet" }
        return task.task.isAcknowledged ? "\(task.name) was acknowledged already" : nil
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        try context.mutation.acknowledge(task)
    }
}

extension Verb {
    /// Says that the results of tasks were collected.
    public static func acknowledge(_ targets: [TaskTarget]) -> Verb {
        on(targets, AcknowledgeVerb())
    }
}
