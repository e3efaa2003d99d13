import SluiceControl
import SluiceModel

/// What differs between two moments of a store, as `--json` says it.
enum DifferenceJSON {
    /// The whole difference.
    static func value(_ difference: StoreDifference) -> JSONValue {
        [
            "from": .string(difference.from), "to": .string(difference.to),
            "tasks": .array(
                difference.tasks.map { task in
                    [
                        "id": .integer(task.task.id), "queue": .string(task.task.queue),
                        "type": .string(task.task.type), "change": .string(task.change.rawValue),
                        "fields": fields(task.fields),
                    ]
                }),
            "queues": .array(
                difference.queues.map { queue in
                    [
                        "name": .string(queue.name), "change": .string(queue.change.rawValue),
                        "fields": fields(queue.fields),
                    ]
                }),
            "store": fields(difference.store), "effects": effects(difference.effects),
        ]
    }

    /// The executions that ended between.
    static func effects(_ effects: [AttemptRecord]) -> JSONValue {
        .array(
            effects.map { attempt in
                [
                    "task": .integer(attempt.task), "type": .string(attempt.type),
                    "attempt": JSONValue(attempt.number),
                    "outcome": JSONValue(attempt.outcome?.rawValue),
                    "at": JSONValue(attempt.endedAt),
                ]
            })
    }

    private static func fields(_ fields: [FieldDifference]) -> JSONValue {
        .array(fields.map { ["name": .string($0.name), "from": $0.from, "to": $0.to] })
    }
}

/// The same for people: what came with a plus, what went with a minus, fields line by line.
struct DifferenceText {
    /// How tasks are named.
    let names: TaskNames
    /// Whether lines are coloured: where a terminal shows them.
    let isColoured: Bool

    private static let longest = 60

    /// The lines, already fit for a terminal.
    func lines(_ difference: StoreDifference) -> [String] {
        let title = SafeText.visible("from \(difference.from) to \(difference.to)")
        guard !difference.isEmpty else {
            let effects = CheckpointText.effects(difference.effects).map(SafeText.visible)
            return ["\(title): nothing differs"] + effects
        }
        var lines = [title]
        for task in difference.tasks {
            let words = "\(names.name(task.task.id)) \(task.task.type) in \(task.task.queue)"
            lines += entry(words, task.change, task.fields)
        }
        for queue in difference.queues {
            lines += entry("queue \(queue.name)", queue.change, queue.fields)
        }
        if !difference.store.isEmpty { lines += entry("the store", .changed, difference.store) }
        return lines + CheckpointText.effects(difference.effects).map(SafeText.visible)
    }

    private func entry(
        _ words: String, _ change: StoreDifference.Change, _ fields: [FieldDifference]
    ) -> [String] {
        let (sign, colour) =
            switch change {
            case .added: ("+", 32)
            case .removed: ("-", 31)
            case .changed: ("~", 33)
            }
        let head = SafeText.visible("\(sign) \(words)")
        let lines = fields.map { field in
            SafeText.visible("    \(field.name): \(text(field.from)) → \(text(field.to))")
        }
        guard isColoured else { return [head] + lines }
        return ["\u{1B}[\(colour)m\(head)\u{1B}[0m"] + lines
    }

    private func text(_ value: JSONValue) -> String {
        let text = words(value)
        return text.count <= Self.longest ? text : "\(text.prefix(Self.longest - 1))…"
    }

    private func words(_ value: JSONValue) -> String {
        switch value {
        case .null: return "none"
        case .string(let text): return text
        case .bool(let isSo): return isSo ? "yes" : "no"
        case .array(let values):
            return values.isEmpty ? "none" : values.map(words).joined(separator: ", ")
        case .object(let object):
            // A skip, or what it is parked for.
            if let person = object["by"]?.string {
                let end = object["until"]?.string.map { ", until \($0)" } ?? ""
                return "by \(person)\(end)"
            }
            let cause = [object["cause"], object["detail"]].compactMap { $0?.string }
            return cause.filter { !$0.isEmpty }.joined(separator: ": ")
        case .integer, .number: return value.text
        }
    }
}
