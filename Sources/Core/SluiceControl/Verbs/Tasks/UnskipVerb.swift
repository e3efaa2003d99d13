import SluiceModel
import SluiceStore

/// Takes a skipped task back in (D5).
struct UnskipVerb: PlainVerb {
    static let name = "unskip"
    static let help = "take a skipped task back in"
    static let participle = "taken back in"
    static let keepsQueueLength = true
    static let states: Set<TaskState.Name> = [.waiting]

    static func reason(against shown: ShownTask) -> String? {
        shown.task.waiting?.skip == nil ? "\(shown.name) is not skipped" : nil
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        guard task.waiting?.skip != nil else {
            throw QueueError.notLegal(
                "task #\(task.id) is not skipped",
                fix: "there is nothing to take back: sluice show \(task.id) says what it does")
        }
        try context.mutation.apply(.unskip, to: task)
    }
}

extension Verb {
    /// Takes skipped tasks back in (D5).
    public static func unskip(_ targets: [TaskTarget]) -> Verb { on(targets, UnskipVerb()) }
}
