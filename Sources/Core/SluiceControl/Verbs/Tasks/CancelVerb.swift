import SluiceModel
import SluiceStore

/// Stops a running task and parks it (D7).
struct CancelVerb: PlainVerb {
    static let name = "cancel"
    static let help = "tell a running task to stop; it is parked"
    static let participle = "told to stop"
    static let asksForStoreName = StoreNameQuestion.ofSeveral
    static let keepsQueueLength = true
    static let states: Set<TaskState.Name> = [.running]
    static let canBeUndone = false

    var caution: VerbCaution {
        .always(
            one: "it is asked to stop; its effects stay",
            several: "they are asked to stop; their effects stay")
    }

    static func reason(against shown: ShownTask) -> String? {
        guard shown.task.running == nil else { return nil }
        let way = shown.task.waiting == nil ? "" : " · \(shown.key(.delete)) deletes it"
        return "\(shown.name) does not run\(way)"
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        guard task.running != nil else {
            throw QueueError.notLegal(
                "task #\(task.id) does not run", fix: "skip or delete it instead")
        }
        try context.mutation.apply(.requestStop(.cancelled, nil), to: task)
    }
}

extension Verb {
    /// Stops running tasks and parks them (D7).
    public static func cancel(_ targets: [TaskTarget]) -> Verb { on(targets, CancelVerb()) }
}
