import SluiceControl
import SluiceModel

/// What a verb did, for people and as JSON.
enum AnswerText {
    /// The answer of a verb in both forms; the exit code says whether all of it was done.
    static func reply(_ answer: Answer, _ names: TaskNames = TaskNames()) -> Reply {
        var reply = Reply(.object(AnswerJSON.changes(answer, names)), lines(answer, names))
        reply.isConfirmation = answer.failed.isEmpty && answer.stop == nil
        reply.exit = exit(answer)
        return reply
    }

    /// What stands before the number by which a verb is taken back.
    static let undoWords = "take it back with: sluice undo"

    /// What was done, what follows, what was not done, how to take it back.
    static func lines(_ answer: Answer, _ names: TaskNames = TaskNames()) -> [String] {
        var lines = answer.summary.isEmpty ? [] : [answer.summary]
        lines += answer.consequences.map { "  \($0)" }
        lines += failures(answer, names) + stop(answer)
        if let undo = answer.undo { lines.append("\(undoWords) \(undo)") }
        return lines.map(SafeText.visible)
    }

    /// What was not done, at most 20 of them.
    static func failures(_ answer: Answer, _ names: TaskNames) -> [String] {
        let shown = answer.failed.prefix(20).map { failure in
            // Another system has its own reasons, and a task that it refuses stays as it is.
            let isLeft = names.isForeign && failure.error.isRefusal
            let word = isLeft ? "left alone" : "not done"
            return "\(word): \(names.name(failure.id)): \(failure.error.description)"
        }
        let rest = answer.failed.count - shown.count
        return shown + (rest > 0 ? ["not done: \(rest) more"] : [])
    }

    /// Where a bulk ended before its end.
    private static func stop(_ answer: Answer) -> [String] {
        guard let stop = answer.stop else { return [] }
        let count = NumberText.tasks(stop.left.count)
        let left = stop.left.isEmpty ? "" : ": \(count) left as they were"
        guard let error = stop.error else { return ["stopped" + left] }
        return ["ended by an error" + left, "  \(error.description)"]
    }

    /// 0 when all was done, 3 when some was, 1 when nothing was, 130 when somebody stopped it.
    static func exit(_ answer: Answer) -> ExitCode {
        if let stop = answer.stop {
            if stop.error == nil { return .interrupted }
            return answer.changed.isEmpty ? .refused : .partlyDone
        }
        guard !answer.failed.isEmpty else { return .done }
        return answer.changed.isEmpty ? .refused : .partlyDone
    }
}
