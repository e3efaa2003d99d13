import SluiceModel
import SluiceStore

/// Skips the task until a person unskips it (D5).
struct SkipVerb: PlainVerb {
    static let name = "skip"
    static let help = "skip until unskipped"
    static let participle = "skipped"
    static let parameters = [
        Parameter.duration("--for", "unskip it after this", \Self.forMilliseconds)
    ]
    static let keepsQueueLength = true
    static let states: Set<TaskState.Name> = [.waiting]
    /// The duration of the skip; `nil` lasts until `unskip`.
    var forMilliseconds: Int64?

    static func unsaid(on task: QueueTask?) -> (any TaskVerb)? {
        task?.waiting?.skip == nil ? SkipVerb() : UnskipVerb()
    }

    var caution: VerbCaution { .ofStarts }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        let queue = try context.mutation.queue(task.queue)
        var isBatched = false
        if case .batched = queue.settings.start { isBatched = true }
        let skip = Skip(
            by: context.person, since: context.now,
            until: forMilliseconds.map { context.now + $0 },
            endsWithRun: isBatched && forMilliseconds == nil)
        try context.mutation.apply(.skip(skip), to: task)
        if let held = try context.heldBack(by: task, "task") {
            context.answer.consequences.append("\(held) stay held by #\(task.id)")
        }
    }
}

extension Verb {
    /// Skips tasks for a time, or until `unskip` (D5).
    public static func skip(
        _ targets: [TaskTarget], forMilliseconds: Int64? = nil
    ) -> Verb {
        on(targets, SkipVerb(forMilliseconds: forMilliseconds))
    }
}
