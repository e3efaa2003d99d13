package import SluiceModel
import SluiceStore

/// Tells a running task to stop; it is parked then (D7).
package struct CancelVerb: WordlessVerb {
    package static let name = "cancel"
    package static let help = "tell a running task to stop; it is parked"
    package static let participle = "told to stop"
    package static let states: Set<TaskState.Name> = [.running]
    package static let canBeUndone = false

    package init() {}

    package static func reason(against task: ShownTask) -> String? {
        task.task.running == nil ? "\(task.name) does not run" : nil
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        guard task.running != nil else {
            throw QueueError.notLegal(
                "task #\(task.id) does not run", fix: "skip or delete it instead")
        }
        try context.mutation.apply(.requestStop(.cancelled, nil), to: task)
    }
}

extension Verb {
    /// Tells running tasks to stop; they are parked then (D7).
    public static func cancel(_ targets: [TaskTarget]) -> Verb { on(targets, CancelVerb()) }
}
