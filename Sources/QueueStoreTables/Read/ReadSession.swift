import QueueModel
import QueueStore

/// What a body reads with: one connection inside one transaction.
package class ReadSession: StoreReader {
    /// A queue with the number by which tasks name it.
    struct QueueEntry {
        var id: Int64
        var record: QueueRecord
        var types = QueueTypes()
    }

    package let connection: any TableConnection
    private let settingsCache: SettingsCache
    private var entries: [String: QueueEntry] = [:]
    private var names: [Int64: String] = [:]
    private var record: StoreRecord?
    private var attached: [ProcessRecord]?
    /// What all queues hold, where several were asked about.
    var allCounts: [Int64: QueueCounts]?
    var countedQueues = 0

    private enum SQL {
        static let columns =
            """
            id, name, settings, pauses, run, last_run_end, barren_runs, created_at, version, wakes,
            main_type, is_mixed
            """
        static let store = Query(
            "SELECT identity, durability, pauses, forced_network, version FROM sluice_store")
        static let queues = Query("SELECT \(columns) FROM sluice_queue ORDER BY name")
        static let queue = Query("SELECT \(columns) FROM sluice_queue WHERE name = ?")
        static let queueName = Query("SELECT name FROM sluice_queue WHERE id = ?")
        static let processes = Query("SELECT id, record FROM sluice_process ORDER BY id")
        static let permits = Query(
            "SELECT id, task, version, queue, issuer, runner FROM sluice_permit ORDER BY id")
    }

    package init(_ connection: any TableConnection, settingsCache: SettingsCache) {
        self.connection = connection
        self.settingsCache = settingsCache
    }

    /// Forgets all that was read: others may have changed it.
    package func forget() {
        entries.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        record = nil
        attached = nil
        (allCounts, countedQueues) = (nil, 0)
    }

    /// What an engine that writes remembers of a task that was read.
    func note(_ task: QueueTask) {}

    /// Whether `known` answers without a question.
    func isKnown(_ id: TaskID) -> Bool { false }

    /// A task, from what an engine that writes remembers or from its row.
    func known(_ id: TaskID) throws(QueueError) -> QueueTask? { try storedTask(id) }

    /// How many tasks a queue holds, as far as the tables say.
    package func counts(queue: String) throws -> QueueCounts {
        guard let entry = try entry(queue) else { return QueueCounts() }
        return try storedCounts(of: entry.id)
    }

    /// Groups that have a start or a waiting member.
    package func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        try storedGroups(queue: queue, after: name, limit: limit)
    }

    package func hasFreshInbox() throws -> Bool {
        guard connection.hasInbox else { return false }
        let row = try connection.prepare(InboxSQL.isFresh)
        defer { row.reset() }
        return try row.next() && row.int(0) != 0
    }

    package func lastPosition(queue: String) throws -> Int64 {
        try entry(queue).map { try storedLastPosition(of: $0.id) } ?? 0
    }

    package func storeRecord() throws -> StoreRecord {
        if let record { return record }
        let row = try connection.prepare(SQL.store)
        defer { row.reset() }
        guard try row.next(),
            let durability = StoreRecord.Durability(rawValue: row.text(1))
        else { throw StoredFields.damage("what holds for the store is missing") }
        var found = StoreRecord(identity: row.text(0))
        found.durability = durability
        found.pauses = try [Pause](stored: StoredFields.parse(row.text(2)))
        found.forcedNetwork = row.optionalInteger(3).map { $0 != 0 }
        found.version = row.integer(4)
        record = found
        return found
    }

    package func queues() throws -> [QueueRecord] {
        let row = try connection.prepare(SQL.queues)
        defer { row.reset() }
        var found: [QueueRecord] = []
        while try row.next() { found.append(try keep(row).record) }
        return found
    }

    package func queue(named name: String) throws -> QueueRecord? { try entry(name)?.record }

    package func processes() throws -> [ProcessRecord] {
        if let attached { return attached }
        let row = try connection.prepare(SQL.processes)
        defer { row.reset() }
        var found: [ProcessRecord] = []
        while try row.next() {
            found.append(try settingsCache.process(row.text(1), of: row.integer(0)))
        }
        attached = found
        return found
    }

    package func offers() throws -> [Offer] { try storedOffers() }

    package func permits() throws -> [Permit] {
        let row = try connection.prepare(SQL.permits)
        defer { row.reset() }
        var found: [Permit] = []
        while try row.next() {
            found.append(
                Permit(
                    id: row.integer(0), task: row.integer(1), version: row.integer(2),
                    queue: row.text(3), issuer: row.integer(4), runner: row.integer(5)))
        }
        return found
    }
}

/// Queues by name and number.
extension ReadSession {
    func entry(_ name: String) throws(QueueError) -> QueueEntry? {
        if let entry = entries[name] { return entry }
        if let entry = try entry(spelled: name) { return entry }
        // It is kept composed (T6), and who asks may spell it otherwise.
        let composed = Names.composed(name)
        return composed.utf8.elementsEqual(name.utf8) ? nil : try entry(spelled: composed)
    }

    private func entry(spelled name: String) throws(QueueError) -> QueueEntry? {
        let row = try connection.prepare(SQL.queue)
        defer { row.reset() }
        row.bind(name)
        return try row.next() ? try keep(row) : nil
    }

    func requireEntry(_ name: String) throws -> QueueEntry {
        guard let entry = try entry(name) else {
            throw QueueError.unknownQueue(name, known: try queues().map(\.name))
        }
        return entry
    }

    func queueName(_ id: Int64) throws(QueueError) -> String {
        if let name = names[id] { return name }
        let row = try connection.prepare(SQL.queueName)
        defer { row.reset() }
        row.bind(id)
        guard try row.next() else { throw StoredFields.damage("a task's queue is missing") }
        let name = row.text(0)
        names[id] = name
        return name
    }

    private func keep(_ row: any BoundStatement) throws(QueueError) -> QueueEntry {
        let id = row.integer(0)
        var queue = QueueRecord(
            name: row.text(1), settings: try settingsCache.settings(row.text(2), of: id),
            createdAt: row.moment(7))
        let pauses = row.text(3)
        if pauses != "[]" { queue.pauses = try [Pause](stored: StoredFields.parse(pauses)) }
        if !row.isNull(4) { queue.run = try Run(stored: StoredFields.parse(row.text(4))) }
        queue.lastRunEnd = row.optionalMoment(5)
        queue.barrenRuns = row.int(6)
        queue.version = row.integer(8)
        if !row.isNull(9) { queue.wakes = try [GroupWake](stored: StoredFields.parse(row.text(9))) }
        let types = QueueTypes(main: row.optionalText(10), isMixed: row.integer(11) != 0)
        let entry = QueueEntry(id: id, record: queue, types: types)
        keep(entry)
        return entry
    }

    func keep(_ entry: QueueEntry) {
        entries[entry.record.name] = entry
        names[entry.id] = entry.record.name
    }

    func forgetQueue(_ name: String) { entries[name] = nil }

    func forgetStoreRecord() { record = nil }

    func forgetProcesses() { attached = nil }
}

/// The settings of queues and the processes, decoded once for as long as their text stays the same.
package final class SettingsCache {
    package init() {}

    private var known: [Int64: (text: String, settings: QueueSettings)] = [:]

    private var processes: [ProcessID: (text: String, record: ProcessRecord)] = [:]
    /// So many are remembered; processes come and go.
    private static let processLimit = 256

    func process(_ text: String, of id: ProcessID) throws(QueueError) -> ProcessRecord {
        if let entry = processes[id], entry.text == text { return entry.record }
        let record = try ProcessRecord(stored: StoredFields.parse(text))
        if processes.count >= Self.processLimit { processes.removeAll() }
        processes[id] = (text, record)
        return record
    }

    func settings(_ text: String, of queue: Int64) throws(QueueError) -> QueueSettings {
        if let entry = known[queue], entry.text == text { return entry.settings }
        let settings = try QueueSettings(stored: StoredFields.parse(text))
        known[queue] = (text, settings)
        return settings
    }
}
