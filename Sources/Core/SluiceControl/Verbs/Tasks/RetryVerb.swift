package import SluiceModel
import SluiceStore

/// Due now: no timer, parking or skip (D7).
package struct RetryVerb: TaskVerb {
    package static let name = "retry"
    package static let help = "due now: no timer, parking or skip"
    package static let participle = "made due"
    package static let options = [Command.Option.over]
    package static let states: Set<TaskState.Name> = [.waiting, .failed]
    /// The time over which several are spread.
    var overMilliseconds: Int64?

    package static func reason(against task: ShownTask) -> String? {
        if let reason = task.isNotWaitingOrFailed { return reason }
        guard let waiting = task.task.waiting else { return nil }
        let hasNothing =
            waiting.timer == nil && waiting.parking == nil && waiting.skip == nil
            && !waiting.attemptedInRun && task.task.expiresAt == nil
        guard hasNothing else { return nil }
        return task.line.heldBy.map {
            "\(task.name) has no timer to clear: \(task.names.name($0)) holds it"
        } ?? "\(task.name) is due already"
    }

    package var deed: String { Self.participle + CommandText.over(overMilliseconds) }

    package func words(in text: CommandText) -> [String] {
        overMilliseconds.map { ["--over", DurationText.compact($0)] } ?? []
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        if task.waiting == nil { try context.refuseTakenKey(task) }
        let due = try context.mutation.apply(.retry, to: task).task
        guard let over = overMilliseconds else { return }
        let moment = context.moment(from: context.slice.began, over: over)
        if moment > context.now { try context.mutation.apply(.postpone(until: moment), to: due) }
    }
}

extension RetryVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        overMilliseconds = try words.options.milliseconds("--over")
    }
}

extension Verb {
    /// Makes tasks due now, or one after the other over a time (D7, D10).
    public static func retry(_ targets: [TaskTarget], overMilliseconds: Int64? = nil) -> Verb {
        on(targets, RetryVerb(overMilliseconds: overMilliseconds))
    }
}
