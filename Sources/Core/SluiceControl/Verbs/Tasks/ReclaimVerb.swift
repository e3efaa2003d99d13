import SluiceModel
import SluiceStore

/// Takes a task from an owner that a person knows to be dead (D7).
struct ReclaimVerb: PlainVerb {
    static let name = "reclaim"
    static let help = "take a task from an owner that you know to be dead"
    static let participle = "reclaimed"
    static let states: Set<TaskState.Name> = [.waiting, .running]
    static let canBeUndone = false

    static func reason(against shown: ShownTask) -> String? {
        let hasOwner = shown.task.running != nil || shown.task.waiting?.lingering != nil
        return hasOwner ? nil : "nothing of \(shown.name) runs anywhere"
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
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
