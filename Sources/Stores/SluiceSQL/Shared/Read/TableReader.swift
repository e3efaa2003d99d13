package import SluiceModel
package import SluiceStore

/// The reader of a body: one connection inside one transaction.
package class TableReader: StoreReader, InboxReader, RowSearching {
    /// A queue with its number, as tasks refer to it.
    final class QueueEntry: Sendable {
        let id: Int64
        let shared: SharedQueue
        let types: QueueTypes
        var record: QueueRecord { _read { yield shared.record } }

        init(id: Int64, record: QueueRecord, types: QueueTypes = QueueTypes()) {
            self.id = id
            shared = SharedQueue(record)
            self.types = types
        }
    }

    package let connection: any TableConnection
    let settingsCache: SettingsCache
    private var entries: [String: KnownQueue] = [:]
    private var names: [Int64: String] = [:]
    private var record: StoreRecord?
    private var attached: [ProcessRecord]?
    /// Whether the cached queues are up to date for this transaction.
    private var isListRenewed = false
    /// The counts of all queues, once several were queried.
    var allCounts: [Int64: QueueCounts]?
    var countedQueues = 0
    /// The queues covered by `allCounts`; `nil` for all.
    var countedIDs: Set<Int64>?
    /// The queues with waiting tasks, if loaded.
    var waitingQueues: Set<Int64>?

    static let fewQueues = 8

    /// The columns of a queue, as `keep` reads them.
    static let columns =
        """
        id, name, settings, pauses, run, last_run_end, barren_runs, created_at, version, wakes,
        main_type, is_mixed, paid_up, paid_keys
        """

    private enum SQL {
        static let store = Query(
            """
            SELECT identity, durability, pauses, forced_network, version, breakpoints, faults,
                filters, protected, clock, checkpoints, schedules, recording,
                \(JournalImages.limit)
            FROM sluice_store
            """, isConfiguration: true)
        static let queues = Query("SELECT \(columns) FROM sluice_queue ORDER BY name")
        /// The queues changed since a configuration number, the number of the last removal, and the
        /// last number with these records.
        static let changed = Query(
            """
            SELECT \(columns), removal, noted FROM (
                SELECT r.value AS removal, n.value AS noted FROM sluice_number r
                JOIN sluice_number n ON n.name = '\(TableHistory.notedName)'
                WHERE r.name = '\(TableHistory.removalName)') AS numbers
            LEFT JOIN sluice_queue ON changed > ?
            """)
        static let queue = Query("SELECT \(columns) FROM sluice_queue WHERE name = ?")
        static let numbered = Query("SELECT \(columns) FROM sluice_queue WHERE id = ?")
        static let busy = Query(
            """
            SELECT \(columns) FROM sluice_queue INDEXED BY sluice_queue_busy
            WHERE run IS NOT NULL OR wakes IS NOT NULL
            """)
        static let waiting = Query(
            """
            SELECT queue FROM sluice_tally INDEXED BY sluice_tally_state
            WHERE state = 0 AND queue > 0 AND (lane & ?1) = ?1
            """,
            other: "SELECT queue FROM \(Tallies.rows) AND waits AND (lane & ?1) = ?1")
        static let queueName = Query("SELECT name FROM sluice_queue WHERE id = ?")
        static let processes = Query("SELECT id, record FROM sluice_process ORDER BY id")
        static let permits = Query(
            "SELECT id, task, version, queue, issuer, runner FROM sluice_permit ORDER BY id")
    }

    init(_ connection: any TableConnection, settingsCache: SettingsCache) {
        self.connection = connection
        self.settingsCache = settingsCache
    }

    /// Clears all caches: other processes may have changed the data.
    package func forget() {
        entries.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        (record, attached, isListRenewed) = (nil, nil, false)
        forgetCounts()
    }

    func forgetQueueList() { settingsCache.list = nil }

    func forgetCounts() {
        (allCounts, countedQueues, countedIDs, waitingQueues) = (nil, 0, nil, nil)
    }

    /// Writes the tallies that an engine that writes keeps back until its commit: a question of the
    /// tables' own follows that goes by them.
    func writeTallies() throws(QueueError) {}

    /// Caches a task that was read, in a writing engine.
    func cache(_ task: QueueTask) {}

    /// The number of queues queried one by one. In a file that costs little, and the counts of all
    /// would take memory in a store of many queues; a server would take a trip for each.
    var countedOneByOne: Int { connection.isRemote ? 2 : .max }

    /// Whether changes are kept back that the tables do not show yet.
    var isWriting: Bool { false }

    /// Whether payloads read with tasks are cached for the next query.
    var keepsPayloads: Bool { false }

    func cache(_ payload: [UInt8], of id: TaskID) {}

    /// Payloads, from what an engine that writes remembers or from their rows.
    func wholePayloads(of ids: [TaskID]) throws(QueueError) -> [TaskID: [UInt8]] {
        try storedPayloads(of: ids)
    }

    /// The first tasks of a selection if cached, otherwise `nil`.
    func known(_ selection: TaskSelection, limit: Int) -> [QueueTask]? { nil }

    /// Whether `known` answers without a question.
    func isKnown(_ id: TaskID) -> Bool { false }

    /// A task, from what an engine that writes remembers or from its row.
    func known(_ id: TaskID) throws(QueueError) -> QueueTask? { try storedTask(id) }

    package func counts(of queue: String?) throws -> QueueCounts {
        guard let queue else { return try storedCounts() }
        return try entry(queue).map { try counts(of: $0.id) } ?? QueueCounts()
    }

    /// How many tasks a queue holds, as far as the tables say.
    func counts(of queue: Int64) throws(QueueError) -> QueueCounts { try storedCounts(of: queue) }

    /// Groups that have a start or a waiting member.
    package func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        try storedGroups(queue: queue, after: name, limit: limit)
    }

    package var inboxReader: (any InboxReader)? { connection.hasInbox ? self : nil }

    /// A server would send the payloads.
    package var rowSearch: (any RowSearching)? { connection.isRemote ? nil : self }

    package func hasFreshRows() throws -> Bool {
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
        found.pauses = try [Pause].read(StoredFields.parse(row.text(2)), at: "pauses")
        found.forcedNetwork = row.optionalInteger(3).map { $0 != 0 }
        found.version = row.integer(4)
        if let text = row.optionalText(5) {
            found.breakpoints = try settingsCache.breakpoints(text)
        }
        if let text = row.optionalText(6) { found.faults = try settingsCache.faults(text) }
        if let text = row.optionalText(7) {
            found.filters = try Self.filters(StoredFields.parse(text))
        }
        found.isProtected = row.integer(8) != 0
        if let text = row.optionalText(9) {
            found.clock = try ClockSetting(stored: StoredFields.parse(text))
        }
        if let text = row.optionalText(10) {
            found.checkpoints = try Checkpoints(stored: StoredFields.parse(text))
        }
        if let text = row.optionalText(11) {
            found.schedules = try settingsCache.schedules(text)
        }
        if let text = row.optionalText(12) {
            found.recording = try Recording(stored: StoredFields.parse(text))
        }
        found.journalBytes = row.optionalInteger(13) ?? found.journalBytes
        record = found
        return found
    }

    static func filters(_ value: JSONValue) throws(QueueError) -> [String: String] {
        var found: [String: String] = [:]
        for pair in value.object?.pairs ?? [] {
            found[pair.key] = try pair.value.string.orDamage("filters")
        }
        return found
    }

    /// Every queue by name: from the rows, or as they were for as long as none has changed.
    func knownQueues() throws -> [KnownQueue] {
        // Asked after something was: where a server is, the number comes with the first answer.
        let number = try connection.configuration()
        if let number, let list = settingsCache.list, list.number == number {
            (entries, names) = (list.entries, list.names)
            return list.queues
        }
        if let number, let list = try renewedList(number) {
            settingsCache.list = list
            (entries, names) = (list.entries, list.names)
            return list.queues
        }
        let row = try connection.prepare(SQL.queues)
        defer { row.reset() }
        var found: [KnownQueue] = []
        while try row.next() { found.append(try keep(row)) }
        if let number { settingsCache.list = QueueList(number: number, found) }
        return found
    }

    /// The cached list, updated with the changes since. For a server only, where each row costs a
    /// transfer. `nil` if queues were added or removed.
    private func renewedList(_ number: Int64) throws(QueueError) -> QueueList? {
        guard connection.isRemote, var list = settingsCache.list, list.number < number
        else { return nil }
        let row = try connection.prepare(SQL.changed)
        defer { row.reset() }
        row.bind(list.number)
        while try row.next() {
            guard row.integer(14) <= list.number, row.integer(15) == number else { return nil }
            if row.isNull(0) { continue }
            guard list.renew(try settingsCache.queue(row)) else { return nil }
        }
        list.number = number
        return list
    }

    /// The numbers of queues with waiting tasks that have these flags.
    func queuesWaiting(in marks: WaitFlags) throws(QueueError) -> Set<Int64> {
        let row = try connection.prepare(SQL.waiting)
        defer { row.reset() }
        row.bind(marks.rawValue)
        let found = Set(try row.integers())
        if marks.isEmpty { waitingQueues = found }
        return found
    }

    /// The queues with these numbers, by name, optionally with queues that have work without
    /// waiting tasks. A few are queried one by one, so that the others need not be loaded.
    func queues(
        numbered numbers: Set<Int64>, orBusy isBusyToo: Bool
    ) throws -> [KnownQueue] {
        if let list = settingsCache.list, try connection.configuration() == list.number {
            return list.queues(numbers, orBusy: isBusyToo)
        }
        guard !connection.isRemote, numbers.count <= Self.fewQueues else {
            return try knownQueues().filter { queue in
                numbers.contains(queue.entry.id) || isBusyToo && queue.isBusyByItself
            }
        }
        var found: [Int64: KnownQueue] = [:]
        if isBusyToo {
            for queue in try busyQueues() { found[queue.entry.id] = queue }
        }
        for number in numbers where found[number] == nil {
            if let name = names[number], let known = entries[name] {
                found[number] = known
                continue
            }
            let row = try connection.prepare(SQL.numbered)
            defer { row.reset() }
            row.bind(number)
            if try row.next() { found[number] = try keep(row) }
        }
        return found.values.sorted { $0.entry.record.name < $1.entry.record.name }
    }

    /// The queues that have work without waiting tasks.
    func busyQueues() throws -> [KnownQueue] {
        guard !connection.isRemote else { return try knownQueues().filter(\.isBusyByItself) }
        let row = try connection.prepare(SQL.busy)
        defer { row.reset() }
        var found: [KnownQueue] = []
        while try row.next() { found.append(try keep(row)) }
        return found.sorted { $0.entry.record.name < $1.entry.record.name }
    }

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

    package func slotOffers() throws -> [SlotOffer] { try storedOffers() }

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
extension TableReader {
    /// A queue from the caches, under its exact name.
    func known(queue name: String) throws(QueueError) -> KnownQueue? {
        if let known = entries[name] { return known }
        _ = try entry(spelled: name)
        return entries[name]
    }

    func entry(_ name: String) throws(QueueError) -> QueueEntry? {
        if let known = entries[name] { return known.entry }
        if let entry = try entry(spelled: name) { return entry }
        // Stored names are composed (T6); the caller may use another form.
        let composed = Names.composed(name)
        return composed.utf8.elementsEqual(name.utf8) ? nil : try entry(spelled: composed)
    }

    /// On a server, fetches only the queues changed since the cached revision.
    private func renewList() throws(QueueError) {
        guard connection.isRemote, !isListRenewed, let list = settingsCache.list,
            let number = try connection.configuration()
        else { return }
        isListRenewed = true
        let renewed = number == list.number ? list : try renewedList(number)
        settingsCache.list = renewed
        if let renewed { (entries, names) = (renewed.entries, renewed.names) }
    }

    private func entry(spelled name: String) throws(QueueError) -> QueueEntry? {
        try renewList()
        if let known = entries[name] { return known.entry }
        let row = try connection.prepare(SQL.queue)
        defer { row.reset() }
        row.bind(name)
        return try row.next() ? try keep(row).entry : nil
    }

    func requireEntry(_ name: String) throws -> QueueEntry {
        guard let entry = try entry(name) else {
            throw QueueError.unknownQueue(name, known: try queues().map(\.name))
        }
        return entry
    }

    func queueName(_ id: Int64) throws(QueueError) -> String {
        // A number is never reused for another queue.
        if let name = names[id] ?? settingsCache.list?.names[id] { return name }
        let row = try connection.prepare(SQL.queueName)
        defer { row.reset() }
        row.bind(id)
        guard try row.next() else { throw StoredFields.damage("a task's queue is missing") }
        let name = row.text(0)
        names[id] = name
        return name
    }

    func keep(_ row: any BoundStatement) throws(QueueError) -> KnownQueue {
        let queue = try settingsCache.queue(row)
        keep(queue)
        return queue
    }

    func keep(_ entry: QueueEntry) { keep(KnownQueue(entry)) }

    private func keep(_ queue: KnownQueue) {
        entries[queue.entry.record.name] = queue
        names[queue.entry.id] = queue.entry.record.name
    }

    func forgetQueue(_ name: String) { entries[name] = nil }

    func forgetStoreRecord() { record = nil }

    func forgetProcesses() { attached = nil }
}
