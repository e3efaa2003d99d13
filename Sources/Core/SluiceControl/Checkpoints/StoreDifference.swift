package import SluiceModel
import SluiceStore

/// A checkpoint as people look at it.
package struct ShownCheckpoint: Hashable, Sendable {
    package var checkpoint: Checkpoint
    /// How many tasks and queues changed, came or went since, as far as images tell.
    package var changed: Int
}

/// The difference between two moments of a store.
package struct StoreDifference: Hashable, Sendable {
    package enum Change: String, Hashable, Sendable {
        case added, removed, changed
    }
    /// A task that came, went or changed.
    package struct TaskChange: Hashable, Sendable {
        package var before: QueueTask?
        package var after: QueueTask?
        package var fields: [FieldDifference]
        package var change: Change
        /// The task, as it is or as it was last.
        package var task: QueueTask
    }
    /// A queue that came, went or changed.
    package struct QueueChange: Hashable, Sendable {
        /// Its name; empty for the whole store.
        package var name: String
        package var change: Change
        /// The settings and pauses that differ.
        package var fields: [FieldDifference]
    }
    /// The name of the first moment.
    package var from: String
    /// The name of the second.
    package var to: String
    package var tasks: [TaskChange] = []
    package var queues: [QueueChange] = []
    /// The store's own pauses, network and schedules.
    package var store: [FieldDifference] = []
    /// The executions that ended between.
    package var effects: [AttemptRecord] = []

    /// Whether nothing differs.
    package var isEmpty: Bool { tasks.isEmpty && queues.isEmpty && store.isEmpty }
}

extension Reading {
    /// The name of the present in a difference.
    package static let present = "now"

    /// The checkpoints, the oldest first: all, or those among some. For each of them all that
    /// changed since is counted.
    package func checkpoints(among wanted: [Checkpoint]? = nil) throws -> [ShownCheckpoint] {
        let all = try store.storeRecord().checkpoints.all
        return try all.filter { wanted?.contains($0) ?? true }.map { checkpoint in
            let kept = try store.imageCounts(from: checkpoint.number).subjects
            let came = try store.countTasks(.numbered(after: checkpoint.lastTask), limit: 10_000)
            return ShownCheckpoint(checkpoint: checkpoint, changed: kept + came)
        }
    }

    /// The difference between two checkpoints, or between a checkpoint and now. By default it
    /// compares the newest checkpoint with now.
    package func difference(from old: String?, to new: String?) throws -> StoreDifference {
        let known = try store.storeRecord().checkpoints
        guard old != Self.present else {
            throw QueueError(
                .badValue, "now comes second, or is left out",
                fix: "sluice \(ShellWord.command("diff", new ?? "CHECKPOINT"))")
        }
        guard let newest = known.all.last else {
            throw QueueError(
                .notLegal, "there is no checkpoint to compare with",
                fix: "sluice checkpoint takes one")
        }
        let first = try old.map { try known.named($0) } ?? newest
        let second = try new == Self.present ? nil : new.map { try known.named($0) }
        if let second, second.number < first.number {
            return try difference(from: second, to: first).turned
        }
        return try difference(from: first, to: second)
    }

    private func difference(
        from old: Checkpoint, to new: Checkpoint?
    ) throws -> StoreDifference {
        var found = StoreDifference(from: old.name, to: new?.name ?? Self.present)
        let raw = try store.difference(from: old, to: new)
        let ids = Set(raw.tasks.keys).union(raw.payloads.keys).union(raw.results.keys)
        for id in ids.sorted() {
            guard let change = try change(of: id, raw) else { continue }
            found.tasks.append(change)
        }
        found.queues = raw.queues.keys.sorted().compactMap { name in
            raw.queues[name].flatMap { StoreDifference.QueueChange(name, $0) }
        }
        found.store = FieldDifference.between(
            [
                ("pauses", PauseText.json(raw.storePauses.before ?? [])),
                ("network", JSONValue(raw.forcedNetwork.before)),
            ],
            [
                ("pauses", PauseText.json(raw.storePauses.after ?? [])),
                ("network", JSONValue(raw.forcedNetwork.after)),
            ])
        found.store += raw.schedules.differences
        found.effects = try store.executions(
            after: old.sequence, before: new?.sequence ?? .max)
        return found
    }

    private func change(
        of id: TaskID, _ raw: CheckpointDifference
    ) throws -> StoreDifference.TaskChange? {
        var (before, after): (QueueTask?, QueueTask?)
        if let pair = raw.tasks[id] {
            (before, after) = (pair.before, pair.after)
        } else {
            after = try store.task(id)
            before = after
        }
        guard let task = after ?? before else { return nil }
        var fields: [FieldDifference] = []
        if let before, let after {
            fields = after.differences(from: before.asPutBack(over: after))
            if let pair = raw.payloads[id], pair.before != pair.after {
                fields.append(.bytes("payload", pair))
            }
            if let pair = raw.results[id], pair.before != pair.after {
                fields.append(.bytes("result", pair))
            }
            guard !fields.isEmpty else { return nil }
        }
        return StoreDifference.TaskChange(
            before: before, after: after, fields: fields,
            change: before == nil ? .added : after == nil ? .removed : .changed, task: task)
    }
}

extension StoreDifference {
    /// The same from the second moment to the first.
    fileprivate var turned: StoreDifference {
        var turned = self
        (turned.from, turned.to) = (to, from)
        turned.tasks = tasks.map { task in
            var other = task
            (other.before, other.after) = (task.after, task.before)
            (other.fields, other.change) = (task.fields.map(\.turned), task.change.turned)
            return other
        }
        turned.queues = queues.map { queue in
            QueueChange(
                name: queue.name, change: queue.change.turned, fields: queue.fields.map(\.turned))
        }
        turned.store = store.map(\.turned)
        return turned
    }
}

extension StoreDifference.Change {
    fileprivate var turned: Self {
        switch self {
        case .added: .removed
        case .removed: .added
        case .changed: .changed
        }
    }
}

extension FieldDifference {
    fileprivate var turned: FieldDifference {
        FieldDifference(name: name, from: to, to: from)
    }

    fileprivate static func bytes(
        _ name: String, _ pair: CheckpointDifference.Pair<[UInt8]>
    ) -> FieldDifference {
        FieldDifference(name: name, from: .text(of: pair.before), to: .text(of: pair.after))
    }
}

extension StoreDifference.QueueChange {
    /// `nil` if no setting of the queue changed.
    fileprivate init?(_ name: String, _ pair: CheckpointDifference.Pair<QueueRecord>) {
        self.name = name
        switch (pair.before, pair.after) {
        case (nil, nil): return nil
        case (nil, _): (change, fields) = (.added, [])
        case (_, nil): (change, fields) = (.removed, [])
        case (let before?, let after?):
            change = .changed
            fields = FieldDifference.between(before.shownFields, after.shownFields)
            if fields.isEmpty { return nil }
        }
    }
}

extension QueueRecord {
    fileprivate var shownFields: [(name: String, value: JSONValue)] {
        QueueSetting.allCases.map { ($0.name, JSONValue(settings.change(for: $0)?.text)) } + [
            ("types", JSONValue(settings.typeText)),
            ("network", JSONValue(settings.forcedNetwork)),
            ("pauses", PauseText.json(pauses.filter { $0.cause != .breakpoint })),
            ("run", JSONValue(run.map { "since \(TimeText.rfc3339($0.since))" })),
        ]
    }
}

extension CheckpointDifference.Pair<Schedules> {
    /// The schedules that someone added, removed or changed. Ignores the next due time.
    fileprivate var differences: [FieldDifference] {
        guard let before, let after else { return [] }
        let names = Set(before.all.map(\.name)).union(after.all.map(\.name)).sorted()
        return names.flatMap { name in
            let (old, new) = (before[name], after[name])
            return FieldDifference.between(
                [
                    ("schedule \(name)", JSONValue(old?.told)),
                    ("payload of schedule \(name)", .text(of: old?.givenPayload)),
                ],
                [
                    ("schedule \(name)", JSONValue(new?.told)),
                    ("payload of schedule \(name)", .text(of: new?.givenPayload)),
                ])
        }
    }
}

extension Schedule {
    /// The payload; `nil` if empty.
    fileprivate var givenPayload: [UInt8]? { payload.isEmpty ? nil : payload }

    /// The schedule's settings in one line.
    fileprivate var told: String {
        sentence + ", missed \(missed.rawValue)" + (isPaused ? ", paused" : "")
    }
}

extension JSONValue {
    /// Bytes as a text if they are one, else as base64.
    fileprivate static func text(of bytes: [UInt8]?) -> JSONValue {
        guard let bytes else { return .null }
        return .string(String(validating: bytes, as: UTF8.self) ?? Base64.encode(bytes))
    }
}

/// Pauses in words.
private enum PauseText {
    static func json(_ pauses: [Pause]) -> JSONValue {
        .array(
            pauses.map { pause in
                var words = "\(pause.cause.rawValue) by \(pause.by)"
                if let reason = pause.reason { words += ": \(reason)" }
                if pause.direction != .work { words += " (\(pause.direction.rawValue))" }
                return .string(words)
            })
    }
}

extension StoreDifference {
    package struct Line: Hashable, Sendable {
        /// The change of the task, queue or store that the line names; `nil` for a line with
        /// details.
        package var change: Change?
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
