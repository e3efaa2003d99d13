package import SluiceModel
import SluiceStore

/// Brings a task back from the trash (D6).
package struct UndeleteVerb: WordlessVerb {
    package static let name = "undelete"
    package static let help = "bring it back from the trash"
    package static let participle = "brought back"
    package static let states: Set<TaskState.Name> = [.deleted]

    package init() {}

    package static func reason(against task: ShownTask) -> String? {
        task.task.state.name == .deleted ? nil : "\(task.name) is not in the trash"
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        if case .deleted(let trash) = task.state, case .waiting = trash.former {
            try context.refuseTakenKey(task)
        }
        try context.mutation.apply(.undelete, to: task)
    }
}

extension Verb {
    /// Brings tasks back from the trash (D6).
    public static func undelete(_ targets: [TaskTarget]) -> Verb { on(targets, UndeleteVerb()) }
}
