public import SluiceModel

/// A checkpoint as somebody asks for it (G5).
public struct CheckpointRequest: Hashable, Sendable {
    /// Its name; nil for one that is free.
    public var name: String?
    /// Whether attached programs of older versions, which would keep no images, may be ended.
    package var endsOlder = false

    /// A checkpoint of a name, or of one that is free.
    public init(_ name: String? = nil) { self.name = name }
}

/// What a restore, or a step that was taken back, did, and what it could not undo (G5).
public struct RestoreReport: Hashable, Sendable {
    /// What the store was put back to.
    public var name: String
    /// How much was changed: tasks, queues, and the store's own pauses as one.
    public var changed: Int
    /// The executions since: what they did outside of the store stays.
    public var effects: [AttemptRecord]

    /// A report.
    package init(name: String, changed: Int, effects: [AttemptRecord]) {
        (self.name, self.changed, self.effects) = (name, changed, effects)
    }
}

extension RestoreReport {
    /// What was executed since, in lines; so many of the executions at most.
    package func effectLines(limit: Int) -> [String] {
        AttemptRecord.effectLines(effects, limit: limit)
    }

    /// What was done outside of the store, in a few words; nil where nothing was.
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
    /// What these executions did outside of the store stays: a line, and one for each of the first.
    package static func effectLines(_ effects: [AttemptRecord], limit: Int = 20) -> [String] {
        guard !effects.isEmpty else { return [] }
        let count = NumberText.grouped(effects.count)
        let executions = effects.count == 1 ? "1 execution" : "\(count) executions"
        let head = "what was done outside stays done: \(executions)"
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

extension CheckpointRequest {
    /// Reads the words of `checkpoint`.
    package init(_ arguments: Arguments) throws(QueueError) {
        self.init(try arguments.atMostOne())
        if let name { try Checkpoint.check(name: name) }
        endsOlder = arguments.has("--yes")
    }

    /// The command that asks for the same, without `sluice`.
    package var command: String {
        let word = name.map { " \(ShellWord.quoted($0))" } ?? ""
        return "checkpoint\(word)\(endsOlder ? " --yes" : "")"
    }
}
