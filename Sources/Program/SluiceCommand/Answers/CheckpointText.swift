import SluiceControl
import SluiceModel

/// Checkpoints as `--json` says them.
enum CheckpointJSON {
    /// Several, in their order.
    static func object(_ checkpoints: [ShownCheckpoint]) -> JSONObject {
        ["checkpoints": .array(checkpoints.map(value))]
    }

    private static func value(_ shown: ShownCheckpoint) -> JSONValue {
        [
            "name": .string(shown.checkpoint.name), "at": JSONValue(shown.checkpoint.at),
            "by": .string(shown.checkpoint.by), "changed": JSONValue(shown.changed),
        ]
    }
}

/// Checkpoints for people.
enum CheckpointText {
    /// What there are.
    static func lines(_ checkpoints: [ShownCheckpoint], now: Timestamp, width: Int?) -> [String] {
        guard !checkpoints.isEmpty else {
            return ["no checkpoint: sluice checkpoint takes one"]
        }
        var table = TextTable([
            .words("NAME", limit: 64), .words("TAKEN"), .numbers("CHANGED"),
            .words("BY", limit: 30),
        ])
        table.rows = checkpoints.map { shown in
            [
                shown.checkpoint.name, ClockText.relative(shown.checkpoint.at, now: now),
                "\(shown.changed)", shown.checkpoint.by,
            ]
        }
        return table.lines(width)
    }

    /// The executions whose effects stay, at most 20 of them.
    static func effects(_ effects: [AttemptRecord]) -> [String] {
        guard !effects.isEmpty else { return [] }
        let count = NumberText.grouped(effects.count)
        let head = "stays in the world: \(count) execution\(effects.count == 1 ? "" : "s")"
        let shown = effects.prefix(20).map { "  \(line($0))" }
        let rest = effects.count - shown.count
        return [head] + shown + (rest > 0 ? ["  and \(NumberText.grouped(rest)) more"] : [])
    }

    private static func line(_ attempt: AttemptRecord) -> String {
        var words = ["#\(attempt.task)", attempt.type, "attempt \(attempt.number)"]
        if let outcome = attempt.outcome { words.append(outcome.rawValue) }
        if let at = attempt.endedAt { words.append("at \(TimeText.rfc3339(at))") }
        return words.joined(separator: " ")
    }
}
