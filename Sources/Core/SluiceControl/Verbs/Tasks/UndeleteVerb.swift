import SluiceModel
import SluiceStore

/// Brings a task back from the trash (D6).
struct UndeleteVerb: PlainVerb {
    static let name = "undelete"
    static let help = "bring it back from the trash"
    static let participle = "brought back"
    static let states: Set<TaskState.Name> = [.deleted]

    static func reason(against shown: ShownTask) -> String? {
        shown.task.state.name == .deleted ? nil : "\(shown.name) is not in the trash"
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
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
