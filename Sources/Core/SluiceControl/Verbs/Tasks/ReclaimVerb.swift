package import SluiceModel
import SluiceStore

/// Takes a task from an owner that a person knows to be dead (D7).
package struct ReclaimVerb: WordlessVerb {
    package static let name = "reclaim"
    package static let help = "take a task from an owner that you know to be dead"
    package static let participle = "reclaimed"
    package static let states: Set<TaskState.Name> = [.waiting, .running]
    package static let canBeUndone = false

    package init() {}

    package static func reason(against task: ShownTask) -> String? {
        let hasOwner = task.task.running != nil || task.task.waiting?.lingering != nil
        return hasOwner ? nil : "nothing of \(task.name) runs anywhere"
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        if let lease = task.running {
            var completion = Completion(task: task.id, token: lease.token, ending: .lost)
            completion.chance = context.chance
            _ = try context.mutation.settle([completion])
        } else {
            try context.mutation.apply(.endLingering, to: task)
        }
    }
}

extension Verb {
    /// Takes tasks from an owner that a person knows to be dead (D7).
    public static func reclaim(_ targets: [TaskTarget]) -> Verb { on(targets, ReclaimVerb()) }
}
