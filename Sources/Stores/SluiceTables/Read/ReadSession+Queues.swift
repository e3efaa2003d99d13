import SluiceModel
import SluiceStore

/// What is asked of many queues at once, answered from indexes. Who works at a server knows all
/// queues in any case, and looks at those.
extension ReadSession {
    private enum SQL {
        static let highest = Query("SELECT max(priority) FROM sluice_queue")
        static let holding = Query(
            """
            SELECT queue FROM sluice_tally INDEXED BY sluice_tally_state
            WHERE state = ? AND queue > 0
            """)
        static let count = Query("SELECT count(*) FROM sluice_queue")
        static let before = Query(
            """
            SELECT (SELECT count(*) FROM sluice_queue WHERE priority > ?1)
                + (SELECT count(*) FROM sluice_queue WHERE priority = ?1 AND name < ?2)
            """)
        static let page = Query(
            """
            SELECT \(ReadSession.columns) FROM sluice_queue INDEXED BY sluice_queue_order
            ORDER BY priority DESC, name LIMIT ? OFFSET ?
            """)
        static let moments = Query(
            """
            SELECT \(ReadSession.columns) FROM sluice_queue INDEXED BY sluice_queue_moment
            WHERE \(hasMoment)
            """)
        static let tallies = Query("SELECT state, lane, n FROM sluice_tally WHERE queue > 0")
    }

    /// What the index of the queues with moments of their own goes by.
    package static let hasMoment =
        """
        instr(pauses, '"until":') > 0 OR instr(settings, '"mode":"batched"') > 0
        """

    package func queues(holding states: Set<TaskState.Name>) throws -> [QueueRecord] {
        guard !connection.joinsRows else { return try queues() }
        try writeTallies()
        var numbers: Set<Int64> = []
        for state in states {
            let row = try connection.prepare(SQL.holding)
            defer { row.reset() }
            row.bind(state.code)
            numbers.formUnion(try row.integers())
        }
        return try queues(numbered: numbers, orBusy: false).map(\.entry.record)
    }

    package func highestPriority() throws -> Int64? {
        guard !connection.joinsRows else { return try queues().map(\.settings.priority).max() }
        let row = try connection.prepare(SQL.highest)
        defer { row.reset() }
        return try row.next() ? row.optionalInteger(0) : nil
    }

    package func countQueues() throws -> Int {
        guard !connection.joinsRows else { return try queues().count }
        let row = try connection.prepare(SQL.count)
        defer { row.reset() }
        return try row.next() ? row.int(0) : 0
    }

    package func countQueues(before queue: QueueRecord) throws -> Int {
        guard !connection.joinsRows else {
            return try queues().count { $0.isSeen(before: queue) }
        }
        let row = try connection.prepare(SQL.before)
        defer { row.reset() }
        row.bind(queue.settings.priority)
        row.bind(queue.name)
        return try row.next() ? row.int(0) : 0
    }

    package func queues(behind count: Int, limit: Int) throws -> [QueueRecord] {
        guard !connection.joinsRows else {
            return Array(
                try queues().sorted { $0.isSeen(before: $1) }.dropFirst(count).prefix(limit))
        }
        let row = try connection.prepare(SQL.page)
        defer { row.reset() }
        row.bind(limit)
        row.bind(count)
        var found: [QueueRecord] = []
        while try row.next() { found.append(try keep(row).entry.record) }
        return found
    }

    package func queuesWithMoments() throws -> [QueueRecord] {
        guard !connection.joinsRows else { return try queues() }
        let row = try connection.prepare(SQL.moments)
        defer { row.reset() }
        var found: [QueueRecord] = []
        while try row.next() { found.append(try keep(row).entry.record) }
        return found.sorted { $0.name < $1.name }
    }

    package func counts() throws -> QueueCounts {
        try writeTallies()
        let row = try connection.prepare(SQL.tallies)
        defer { row.reset() }
        var counts = QueueCounts()
        while try row.next() {
            let (state, count) = (try TaskState.Name(code: row.integer(0)), row.int(2))
            guard count != 0 else { continue }
            counts.states[state, default: 0] += count
            guard state == .waiting else { continue }
            counts.lanes[Lane(rawValue: row.int(1)), default: 0] += count
        }
        return counts
    }
}
