public import SluiceModel
import SluiceStore

/// Moves a task to the trash; `undelete` restores it (D6).
struct DeleteVerb: PlainVerb {
    static let name = "delete"
    static let help = "to the trash; undelete brings it back"
    static let participle = "deleted"
    static let parameters = [
        Parameter.flag("--cancel", "also one that runs", \Self.cancelsRunning),
        .choice("--members", "what becomes of a start's members", \.members),
    ]
    static let asksForStoreName = StoreNameQuestion.ofSeveral
    static let states: Set<TaskState.Name> = [.waiting, .failed, .succeeded]
    /// Whether to stop a running task and then delete it.
    var cancelsRunning = false
    /// The fate of a start's members; `nil` uses the queue's setting.
    var members: StartFailurePolicy?

    static func reason(against shown: ShownTask) -> String? {
        shown.task.state.name == .deleted ? "\(shown.name) is in the trash already" : nil
    }

    static func unsaid(on task: QueueTask?) -> (any TaskVerb)? {
        DeleteVerb(cancelsRunning: task?.running != nil)
    }

    var caution: VerbCaution {
        guard cancelsRunning else { return .ofStarts }
        let sentence = "it runs: it is asked to stop, then goes to the trash"
        return .always(one: sentence, several: sentence)
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        let deletion = Deletion(by: context.person, members: members)
        if task.running != nil, cancelsRunning {
            try context.mutation.apply(.requestStop(.deleted, deletion), to: task)
            context.stopping += 1
            return
        }
        let held = try context.heldBack(by: task, "member")
        let change = try context.mutation.apply(.delete(deletion), to: task)
        if let held, let policy = change.task.endedStartPolicy {
            let fate =
                switch policy {
                case .hold: "stay held"
                case .release: "are free"
                case .skipRun: "sit out the run that is open"
                case .giveUp: "are given up"
                }
            context.answer.consequences.append("\(held) \(fate)")
        }
    }
}

extension Verb {
    /// Moves tasks to the trash. Running tasks require `cancelsRunning` (D6).
    public static func delete(
        _ targets: [TaskTarget], cancelsRunning: Bool = false,
        members: StartFailurePolicy? = nil
    ) -> Verb {
        on(targets, DeleteVerb(cancelsRunning: cancelsRunning, members: members))
    }
}
