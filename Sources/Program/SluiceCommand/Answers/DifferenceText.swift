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
    private static let mostLines = 12

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
        let lines = fields.flatMap(told).map { "    \(SafeText.visible($0))" }
        guard isColoured else { return [head] + lines }
        return ["\u{1B}[\(colour)m\(head)\u{1B}[0m"] + lines
    }

    /// A field in a line; a payload of JSON with a line for each value that differs in it.
    private func told(_ field: FieldDifference) -> [String] {
        guard field.name == "payload", let from = field.from.string, let to = field.to.string,
            let old = try? JSONValue.parse(Array(from.utf8)),
            let new = try? JSONValue.parse(Array(to.utf8))
        else { return ["\(field.name): \(text(field.from)) → \(text(field.to))"] }
        let all = Self.differences(old, new, at: field.name)
        guard !all.isEmpty else { return ["\(field.name): the same values, written otherwise"] }
        let lines = all.prefix(Self.mostLines).map { one in
            "\(one.path): \(one.from.map(value) ?? "none") → \(one.to.map(value) ?? "none")"
        }
        let rest = all.count - lines.count
        return lines + (rest > 0 ? ["and \(NumberText.grouped(rest)) more in \(field.name)"] : [])
    }

    /// A value of a payload, cut where it is long.
    private func value(_ value: JSONValue) -> String { Self.cut(value.text) }

    /// The values that differ, by their places in the payload.
    private static func differences(
        _ old: JSONValue, _ new: JSONValue, at path: String
    ) -> [(path: String, from: JSONValue?, to: JSONValue?)] {
        if old == new { return [] }
        if let old = old.object, let new = new.object {
            let names = old.keys + new.keys.filter { old[$0] == nil }
            return names.flatMap { name in
                let place = "\(path).\(name)"
                if let one = old[name], let other = new[name] {
                    return differences(one, other, at: place)
                }
                return [(place, old[name], new[name])]
            }
        }
        if let old = old.array, let new = new.array, old.count == new.count {
            return zip(old, new).enumerated().flatMap { index, pair in
                differences(pair.0, pair.1, at: "\(path)[\(index)]")
            }
        }
        return [(path, old, new)]
    }

    private func text(_ value: JSONValue) -> String { Self.cut(words(value)) }

    private static func cut(_ text: String) -> String {
        text.count <= longest ? text : "\(text.prefix(longest - 1))…"
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
