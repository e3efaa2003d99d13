import QueueControl
import QueueModel

/// What a verb did, for people and as JSON.
enum AnswerText {
    /// The answer of a verb in both forms; the exit code says whether all of it was done.
    static func reply(_ answer: Answer) -> Reply {
        var reply = Reply(.object(AnswerJSON.changes(answer)), lines(answer))
        reply.isConfirmation = answer.failed.isEmpty
        reply.exit = exit(answer)
        return reply
    }

    /// What was done, what follows, what was not done, how to take it back.
    static func lines(_ answer: Answer) -> [String] {
        var lines = answer.summary.isEmpty ? [] : [answer.summary]
        lines += answer.consequences.map { "  \($0)" }
        lines += failures(answer)
        if let undo = answer.undo { lines.append("take it back with: sluice undo \(undo)") }
        return lines.map(SafeText.visible)
    }

    /// What was not done, at most 20 of them.
    static func failures(_ answer: Answer) -> [String] {
        let shown = answer.failed.prefix(20).map { "not done: #\($0.id): \($0.error.description)" }
        let rest = answer.failed.count - shown.count
        return shown + (rest > 0 ? ["not done: \(rest) more"] : [])
    }

    /// 0 when all was done, 3 when some was, 1 when nothing was.
    static func exit(_ answer: Answer) -> ExitCode {
        guard !answer.failed.isEmpty else { return .done }
        return answer.changed.isEmpty ? .refused : .partlyDone
    }
}
