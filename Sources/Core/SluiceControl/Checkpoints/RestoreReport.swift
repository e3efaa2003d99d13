public import SluiceModel

/// The result of a restore or of an undone step, with the effects that remain.
public struct RestoreReport: Hashable, Sendable {
    /// The name of the restored checkpoint.
    public var name: String
    /// The number of changes: tasks, queues, and the store's own pauses as one.
    public var changed: Int
    /// The executions since the checkpoint. Their effects outside the store remain.
    public var effects: [AttemptRecord]

    package init(name: String, changed: Int, effects: [AttemptRecord]) {
        (self.name, self.changed, self.effects) = (name, changed, effects)
    }
}

extension RestoreReport {
    /// One line for each execution since the checkpoint, up to `limit`.
    package func effectLines(limit: Int) -> [String] {
        AttemptRecord.effectLines(effects, limit: limit)
    }

    /// A short description of effects outside the store; `nil` without any.
    package var staysWords: String? {
        guard let one = effects.first else { return nil }
        guard effects.count == 1 else {
            let count = NumberText.grouped(effects.count)
            return "what \(count) executions did outside stays done: next ones do it again"
        }
        return "what attempt \(one.number) of #\(one.task) did outside stays done: "
            + "a next one does it again"
    }
}

extension AttemptRecord {
    /// Describes effects outside the store, which remain: a heading, and a line for each of the
    /// first executions.
    package static func effectLines(_ effects: [AttemptRecord], limit: Int = 20) -> [String] {
        guard !effects.isEmpty else { return [] }
        let count = NumberText.grouped(effects.count)
        let executions = effects.count == 1 ? "1 execution" : "\(count) executions"
        let head = "effects outside the store stay: \(executions)"
        let shown = effects.prefix(limit).map { "  \($0.effectLine)" }
        let rest = effects.count - shown.count
        return [head] + shown + (rest > 0 ? ["  and \(NumberText.grouped(rest)) more"] : [])
    }

    private var effectLine: String {
        var words = ["#\(task)", type, "attempt \(number)"]
        if let outcome { words.append(outcome.rawValue) }
        if let endedAt { words.append("at \(TimeText.rfc3339(endedAt))") }
        return words.joined(separator: " ")
    }
}
