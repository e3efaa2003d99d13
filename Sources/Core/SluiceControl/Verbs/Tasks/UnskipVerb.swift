package import SluiceModel
import SluiceStore

/// Takes a skipped task back in (D5).
package struct UnskipVerb: WordlessVerb {
    package static let name = "unskip"
    package static let help = "take a skipped task back in"
    package static let participle = "taken back in"
    package static let states: Set<TaskState.Name> = [.waiting]

    package init() {}

    package static func reason(against task: ShownTask) -> String? {
        task.task.waiting?.skip == nil ? "\(task.name) is not skipped" : nil
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        try context.mutation.apply(.unskip, to: task)
    }
}

extension Verb {
    /// Takes skipped tasks back in (D5).
    public static func unskip(_ targets: [TaskTarget]) -> Verb { on(targets, UnskipVerb()) }
}
