import SluiceControl
import SluiceModel
import SluiceStore

/// The tasks for `list`: one queue in its running order, or all queues.
struct ListPage: Hashable, Sendable {
    /// The queue, if only one was requested.
    let queue: String?
    /// The tasks with their queues.
    let entries: [Entry]
    /// Whether more tasks follow.
    let more: Bool
    let names: TaskNames
    /// The time of the read, by the store's clock.
    let now: Timestamp
    let real: Timestamp
    /// The fields that were chosen; empty for the usual ones.
    let fields: [ListField]
    /// How many tasks of a folder's queue its app removes at its next start, in words.
    private let expiring: String?
    /// Whether a filter went through the usual states alone, without tasks that ended well.
    private let omitsEnded: Bool
    /// The payloads, where a field is about them.
    private let payloads: [TaskID: [UInt8]]
    /// The summaries of tasks in queues that have one (Q12).
    private let about: [TaskID: String]

    /// A task with its queue.
    struct Entry: Hashable, Sendable {
        let line: TaskLine
        let queue: QueueRecord
    }

    /// Reads the page, and one task more to know whether there is more.
    init(_ call: ListCall, withBlockers: Bool, reading: Reading) throws {
        var scan = TaskScan(reading, withBlockers: withBlockers)
        scan.filter = try reading.ready(call.filter)
        scan.sections = Self.sections(call)
        var named = call.queue ?? call.filter?.queue
        if let after = call.after {
            let task = try reading.store.requireTask(try reading.store.resolve(after))
            guard named == nil || named == task.queue else {
                throw QueueError(
                    .badValue, "--after: #\(task.id) is in \(task.queue)",
                    fix: "name a task of \(named ?? "the queue")")
            }
            named = task.queue
            scan.place = ListPlace(
                task, order: try reading.store.requireQueue(task.queue).settings.order)
        }
        var found: [Entry] = []
        for record in try Self.queues(named, scan.sections, reading.store) {
            guard found.count <= call.limit else { break }
            found += try scan.entries(in: record, limit: call.limit + 1 - found.count)
        }
        queue = named
        entries = Array(found.prefix(call.limit))
        more = found.count > call.limit
        names = try reading.names(of: entries.map(\.line).namedTasks)
        (now, real) = (reading.now, reading.real)
        expiring =
            reading.store.naming == nil
            ? nil
            : try Self.queues(named, scan.sections, reading.store)
                .lazy.compactMap { try reading.overview($0).expiring.words }.first
        omitsEnded =
            call.filter != nil && call.state == nil
            && Set(scan.sections.map(\.state)) == Self.usualStates
        fields = call.fields
        payloads =
            fields.contains(where: \.needsPayload)
            ? try reading.store.payloads(of: entries.map(\.line.task.id)) : [:]
        let summed = entries.filter { !$0.queue.settings.summary.paths.isEmpty }
        about = fields.isEmpty ? try reading.about(summed.map(\.line.task)) : [:]
    }

    private static func queues(
        _ name: String?, _ sections: [ListSection], _ store: any StoreReader
    ) throws -> [QueueRecord] {
        if let name { return [try store.requireQueue(name)] }
        return try store.queues(.holding(Set(sections.map(\.state)))).map(\.record)
    }

    private static let usualStates: Set<TaskState.Name> = [.running, .waiting, .failed]

    private static func sections(_ call: ListCall) -> [ListSection] {
        switch call.state {
        case .all?: return ListSection.allCases
        case let state?: return ListSection.allCases.filter { $0.state.rawValue == state.rawValue }
        case nil: break
        }
        let states = call.filter?.states(usually: usualStates) ?? usualStates
        return ListSection.allCases.filter { states.contains($0.state) }
    }
}

extension ListPage {
    /// `list` of the contract; without one queue `queue` is null.
    var json: JSONValue {
        [
            "queue": JSONValue(queue),
            "tasks": .array(entries.map { .object(object($0)) }),
            "more": .bool(more),
        ]
    }

    private func object(_ entry: Entry) -> JSONObject {
        guard !fields.isEmpty else { return TaskJSON.object(entry.line, in: entry.queue) }
        return ListField.object(fields, of: entry, payloads[entry.line.task.id] ?? [])
    }

    /// The list as text, for a terminal with `width` columns.
    func lines(_ width: Int?) -> [String] {
        guard !entries.isEmpty else {
            let place = queue.map { " in \(SafeText.visible($0))" } ?? ""
            guard omitsEnded else { return ["no such tasks\(place)"] }
            return ["no such task\(place) waits, runs or failed: --state all lists ended ones too"]
        }
        let table =
            fields.isEmpty
            ? TaskText.table(
                entries, withQueue: queue == nil, about: about, names: names, now: now,
                real: real, width: width)
            : ListField.table(fields, of: entries.map { ($0.line, object($0)) }, names, width)
        let expiring = self.expiring.map { ["\($0): --filter state:expiring lists them"] } ?? []
        guard more, let last = entries.last else { return table + expiring }
        return table + expiring + ["more: --after \(names.word(last.line.task.id)), or --limit N"]
    }
}
