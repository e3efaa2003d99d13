import SluiceControl
import SluiceModel

/// The result of a verb, as text and as JSON.
enum AnswerText {
    /// The answer of a verb in both forms; the exit code says whether all of it was done.
    static func reply(_ answer: Answer, _ names: TaskNames = TaskNames()) -> Reply {
        var reply = Reply(.object(AnswerJSON.changes(answer, names)), lines(answer, names))
        reply.isConfirmation = answer.failed.isEmpty && answer.stop == nil
        reply.exit = exit(answer)
        return reply
    }

    static func undoLine(_ event: Int64) -> String { "undo with: sluice undo \(event)" }

    /// The summary, the consequences, the failures, and the undo command.
    static func lines(_ answer: Answer, _ names: TaskNames = TaskNames()) -> [String] {
        var lines = answer.summary.isEmpty ? [] : [answer.summary]
        lines += answer.consequences.map { "  \($0)" }
        lines += failures(answer, names) + stop(answer)
        if let undo = answer.undo { lines.append(undoLine(undo)) }
        return lines.map(SafeText.visible)
    }

    /// The failures, at most 20.
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

    /// The rest of a bulk operation that stopped early.
    private static func stop(_ answer: Answer) -> [String] {
        guard let stop = answer.stop else { return [] }
        let count = NumberText.tasks(stop.left.count)
        let left = stop.left.isEmpty ? "" : ": \(count) left as they were"
        guard let error = stop.error else { return ["stopped" + left] }
        return ["ended by an error" + left, "  \(error.description)"]
    }

    /// 0 if every task was changed, 3 if some were, 1 if none was, 130 if the user stopped it.
    static func exit(_ answer: Answer) -> ExitCode {
        if let stop = answer.stop {
            if stop.error == nil { return .interrupted }
            return answer.changed.isEmpty ? .refused : .partlyDone
        }
        guard !answer.failed.isEmpty else { return .done }
        return answer.changed.isEmpty ? .refused : .partlyDone
    }
}
