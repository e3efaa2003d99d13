package import SluiceModel

extension StoreDifference {
    /// A line of a difference.
    package struct Line: Hashable, Sendable {
        /// The change of the task, queue or store that the line names; `nil` for a line with
        /// details.
        package var change: Change?
        /// The line.
        package var text: String
    }

    private static let mostLines = 12

    /// The difference for people: what came with a plus, what went with a minus, fields line by
    /// line; tasks first, in their order.
    package func lines(_ names: TaskNames) -> [Line] {
        let effects = AttemptRecord.effectLines(effects).map { Line(text: $0) }
        let title = "from \(from) to \(to)"
        guard !isEmpty else { return [Line(text: "\(title): nothing differs")] + effects }
        var lines = [Line(text: title)]
        for task in tasks {
            let words = "\(names.name(task.task.id)) \(task.task.type) in \(task.task.queue)"
            lines += Self.entry(words, task.change, task.fields)
        }
        for queue in queues {
            lines += Self.entry("queue \(queue.name)", queue.change, queue.fields)
        }
        if !store.isEmpty { lines += Self.entry("the store", .changed, store) }
        return lines + effects
    }

    private static func entry(
        _ words: String, _ change: Change, _ fields: [FieldDifference]
    ) -> [Line] {
        let sign =
            switch change {
            case .added: "+"
            case .removed: "-"
            case .changed: "~"
            }
        return [Line(change: change, text: "\(sign) \(words)")]
            + fields.flatMap(told).map { Line(text: "    \($0)") }
    }

    /// A field in a line; a payload of JSON with a line for each value that differs in it.
    private static func told(_ field: FieldDifference) -> [String] {
        guard field.name == "payload", let from = field.from.string, let to = field.to.string,
            let old = try? JSONValue.parse(Array(from.utf8)),
            let new = try? JSONValue.parse(Array(to.utf8))
        else {
            let words = field.name == "network" ? networkWord : FieldDifference.shortWords
            return ["\(field.name): \(words(field.from)) → \(words(field.to))"]
        }
        let all = differences(old, new, at: field.name)
        guard !all.isEmpty else { return ["\(field.name): the same values, written otherwise"] }
        let lines = all.prefix(mostLines).map { one in
            "\(one.path): \(value(one.from)) → \(value(one.to))"
        }
        let rest = all.count - lines.count
        return lines + (rest > 0 ? ["and \(NumberText.grouped(rest)) more in \(field.name)"] : [])
    }

    /// The forced state as an argument of `network`.
    private static func networkWord(_ forced: JSONValue) -> String {
        forced.bool.map { $0 ? "on" : "off" } ?? "measured"
    }

    /// A value of a payload, cut if it is long.
    private static func value(_ value: JSONValue?) -> String {
        value.map { FieldDifference.cut($0.text) } ?? "none"
    }

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
}

extension FieldDifference {
    /// The text of a field's value in a difference.
    package static func words(_ value: JSONValue) -> String {
        switch value {
        case .null: return "none"
        case .string(let text): return text
        case .bool(let isSo): return isSo ? "yes" : "no"
        case .array(let values):
            return values.isEmpty ? "none" : values.map(words).joined(separator: ", ")
        case .object(let object):
            // The object is a skip or the reason of a parked task.
            if let person = object["by"]?.string {
                let end = object["until"]?.string.map { ", until \($0)" } ?? ""
                return "by \(person)\(end)"
            }
            let cause = [object["cause"], object["detail"]].compactMap { $0?.string }
            return cause.isEmpty ? value.text : cause.filter { !$0.isEmpty }.joined(separator: ": ")
        case .integer, .number: return value.text
        }
    }

    /// The same, cut if it is long.
    package static func shortWords(_ value: JSONValue) -> String { cut(words(value)) }

    private static let longest = 60

    /// A text of a line, cut if it is long.
    static func cut(_ text: String) -> String {
        text.count <= longest ? text : "\(text.prefix(longest - 1))…"
    }
}
