import SluiceModel
import SluiceStore

/// Due now: no timer, parking or skip (D7).
struct RetryVerb: PlainVerb {
    static let name = "retry"
    static let help = "due now: no timer, parking or skip"
    static let participle = "retried"
    static let parameters = [Parameter.over(\Self.overMilliseconds)]
    static let states: Set<TaskState.Name> = [.waiting, .failed]
    private static let mostTold = 5
    /// The time over which several are spread.
    var overMilliseconds: Int64?

    static func reason(against shown: ShownTask) -> String? {
        if let reason = shown.isNotWaitingOrFailed { return reason }
        guard let waiting = shown.task.waiting else { return nil }
        let hasNothing =
            waiting.timer == nil && waiting.parking == nil && waiting.skip == nil
            && !waiting.attemptedInRun && shown.task.expiresAt == nil
        guard hasNothing else { return nil }
        return shown.line.heldBy.map {
            "\(shown.name) has no timer to clear: \(shown.names.name($0)) holds it"
        } ?? "\(shown.name) is due already"
    }

    /// A retry repeats the effects of an interrupted attempt, and no undo reverts them.
    var caution: VerbCaution { .ofConsequences }

    var pastTense: String { Self.participle + CommandText.over(overMilliseconds) }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        if task.waiting == nil { try context.refuseTakenKey(task) }
        // Each check queries the store, so limit it to the first tasks of a bulk.
        if context.answer.changed.count < Self.mostTold,
            let sentence = try context.store.writtenAttempts(of: task.id).cutOffSentence
        {
            context.answer.consequences.append("#\(task.id): \(sentence)")
        }
        let due = try context.mutation.apply(.retry, to: task).task
        guard let over = overMilliseconds else { return }
        let moment = context.moment(from: context.slice.began, over: over)
        if moment > context.now { try context.mutation.apply(.postpone(until: moment), to: due) }
    }
}

extension Verb {
    /// Makes tasks due now, or one after the other over a time (D7, D10).
    public static func retry(_ targets: [TaskTarget], overMilliseconds: Int64? = nil) -> Verb {
        on(targets, RetryVerb(overMilliseconds: overMilliseconds))
    }
}
