package import SluiceModel
package import SluiceStore

/// Searches of payloads. If no other condition narrows a page, it reads a task's row only if the
/// payload matches.
extension TableReader {
    private enum SQL {
        static let forwards = made(isBackwards: false)
        static let backwards = made(isBackwards: true)

        private static func made(isBackwards: Bool) -> Query {
            Query(
                """
                SELECT t.id, t.rank, coalesce(
                    t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id))
                FROM sluice_task t
                WHERE t.queue = ?1 AND t.lane = ?2 AND t.rank \(isBackwards ? "<" : ">") ?3
                ORDER BY t.rank\(isBackwards ? " DESC" : "") LIMIT ?4
                """)
        }
    }

    private enum RowSQL {
        static let numbers = Query(
            "SELECT (SELECT min(id) FROM sluice_task), (SELECT max(id) FROM sluice_task)")
        static let share = Query(
            """
            SELECT coalesce(sum(n), 0), coalesce(sum(CASE WHEN queue = ?1 THEN n ELSE 0 END), 0)
            FROM \(Tallies.rows)
            """)
    }

    /// The maximum number of other queues' tasks, per task of this queue, for a scan in row order
    /// to be faster than the queue's index.
    private static let otherTasks: Int64 = 2

    package func rowNumbers(ofSearchIn queue: String?) throws -> ClosedRange<TaskID>? {
        if let queue {
            guard let entry = try entry(queue), try isLarge(entry.id) else { return nil }
        }
        let row = try connection.prepare(RowSQL.numbers)
        defer { row.reset() }
        guard try row.next(), let first = row.optionalInteger(0), let last = row.optionalInteger(1)
        else { return nil }
        return first...last
    }

    /// Whether the queue's share of all tasks is large enough for a scan in row order.
    private func isLarge(_ queue: Int64) throws -> Bool {
        let share = try connection.prepare(RowSQL.share)
        defer { share.reset() }
        share.bind(queue)
        return try share.next()
            && share.integer(0) <= share.integer(1) * (1 + Self.otherTasks)
    }

    package func look(_ search: RowSearch) throws -> RowFinding {
        var queue: Int64?
        if let name = search.queue {
            guard let entry = try entry(name) else { return RowFinding() }
            queue = entry.id
        }
        let states = search.states.reduce(UInt32(0)) { $0 | 1 << UInt32($1.code) }
        let scan = RowScan(
            numbers: search.numbers, queue: queue, states: states, condition: search.condition,
            limit: search.limit, hitLimit: search.hitLimit)
        return try connection.look(scan) ?? RowFinding()
    }

    private struct Looked {
        var id: TaskID
        var rank: OrderKey
        var isFound: Bool
    }

    package func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        let isNarrowed =
            query.waitFlags != nil || query.types != nil || query.group != nil || query.isOffline
            || !query.withoutTypes.isEmpty
        guard let text, !isNarrowed, let queue = try entry(query.queue), query.limit > 0 else {
            return try wholePage(query, holding: text)
        }
        let places =
            query.state == .waiting
            ? try buckets(of: queue.id) : [IndexBucket.number(of: query.state)]
        var looked: [Looked] = []
        for place in places { looked += try look(query, queue.id, place, for: text) }
        if places.count > 1 {
            looked.sort { query.isBackwards ? $0.rank > $1.rank : $0.rank < $1.rank }
            looked = Array(looked.prefix(query.limit))
        }
        var page = SearchPage()
        page.looked = looked.count
        page.last = looked.last?.rank
        page.tasks = try tasks(looked.filter(\.isFound).map(\.id))
        return page
    }

    private func look(
        _ query: TaskQuery, _ queue: Int64, _ place: Int64, for text: [UInt8]
    ) throws(QueueError) -> [Looked] {
        let row = try connection.prepare(query.isBackwards ? SQL.backwards : SQL.forwards)
        defer { row.reset() }
        row.bind(queue)
        row.bind(place)
        row.bind(query.after?.bytes ?? PageQuery.start(isBackwards: query.isBackwards))
        row.bind(query.limit)
        var looked: [Looked] = []
        while try row.next() {
            looked.append(
                Looked(
                    id: row.integer(0), rank: OrderKey(bytes: row.bytes(1)),
                    isFound: row.holds(text, in: 2)))
        }
        return looked
    }
}

/// Whether the rows are what their indexes say (P3).
extension TableReader {
    package func problems(_ check: StoreCheck) throws -> [String] {
        switch check {
        case .file: try connection.integrityProblems(isQuick: false)
        case .fileQuickly: try connection.integrityProblems(isQuick: true)
        case .tasks: try taskProblems()
        case .counts: try countProblems()
        case .surroundings: []
        }
    }

    private func taskProblems() throws -> [String] {
        try writeTallies()
        let problems = try connection.problems(
            in: [
                "sluice_task", "sluice_queue", "sluice_role", "sluice_group", "sluice_tally",
                "sluice_store", "sluice_failure",
            ])
        guard problems.isEmpty else { return problems }
        let counts = try countProblems() + misplacedTasks()
        guard counts.isEmpty else { return counts }
        let failures = try TableWriter.wrongFailures(connection)
        return failures > 0
            ? ["queues whose counts of errors do not follow from the tasks: \(failures)"] : []
    }

    private func countProblems() throws -> [String] {
        try writeTallies()
        let wrong = try TallyCheck.wrong(connection)
        return wrong > 0 ? ["counts of tasks that do not follow from the tasks: \(wrong)"] : []
    }

    private func misplacedTasks() throws -> [String] {
        let row = try connection.prepare(TallyCheck.misplaced)
        defer { row.reset() }
        let count = try row.next() ? row.int(0) : 0
        return count > 0 ? ["\(count) tasks are in the place of another state"] : []
    }

    /// Tasks that an index named for a page: the engine itself looks at the index alone, so a
    /// damaged one could name what does not wait, or the same page for ever.
    func trusted(
        _ tasks: [QueueTask], for query: TaskQuery, order: QueueOrder
    ) throws(QueueError) -> [QueueTask] {
        for task in tasks where task.state.name != query.state || task.queue != query.queue {
            throw QueueError.damagedRow("an index names #\(task.id) where it is not")
        }
        guard let after = query.after, let last = tasks.last else { return tasks }
        let key = last.orderKey(order)
        guard query.isBackwards ? key < after : key > after else {
            throw QueueError.damagedRow("an index names #\(last.id) twice")
        }
        return tasks
    }

    /// Tasks that an index named for any other selection.
    func trusted(_ tasks: [QueueTask], in selection: TaskSelection) throws -> [QueueTask] {
        for task in tasks {
            let isIncluded = try selection.includes(
                task, entry(task.queue)?.record.settings ?? QueueSettings())
            if !isIncluded {
                throw QueueError.damagedRow("an index names #\(task.id) where it is not")
            }
        }
        return tasks
    }
}

/// Whether the stored counts match the tasks.
enum TallyCheck {
    /// The counts of all tasks, from the index of lanes in its order. A count by other columns
    /// would sort all tasks in memory.
    static let counted =
        """
        SELECT queue, CASE WHEN lane < 0 THEN -lane ELSE 0 END,
            CASE WHEN lane < 0 THEN 0 ELSE lane & \(IndexBucket.otherType - 1) END,
            CAST(sum(n) AS BIGINT)
        FROM (SELECT queue, lane, count(*) AS n FROM sluice_task GROUP BY queue, lane) AS lanes
        GROUP BY 1, 2, 3
        """

    private static let unequal = Query(
        """
        SELECT CAST(count(*) AS DOUBLE PRECISION) FROM (
            SELECT * FROM (
                \(counted) EXCEPT SELECT queue, state, lane, n FROM \(Tallies.rows)) AS surplus
            UNION ALL
            SELECT * FROM (
                SELECT queue, state, lane, n FROM \(Tallies.rows) AND n <> 0 EXCEPT \(counted))
                AS missing) AS wrong
        """)

    static let misplaced = Query(
        """
        SELECT count(*) FROM sluice_task
        WHERE CASE WHEN state = 0 THEN lane < 0 ELSE lane <> -state END
        """)

    /// How many counts differ.
    static func wrong(_ connection: any TableConnection) throws(QueueError) -> Int {
        let row = try connection.prepare(unequal)
        defer { row.reset() }
        return try row.next() ? Int(row.optionalDouble(0) ?? 0) : 0
    }
}

/// The tables that an application writes to (T4).
extension TableReader {
    package enum InboxSQL {
        package static let isFresh = Query(
            """
            SELECT EXISTS (SELECT 1 FROM sluice_inbox WHERE error IS NULL)
                OR EXISTS (SELECT 1 FROM sluice_removed WHERE error IS NULL)
            """)
        /// Whether there is any row at all, refused or not.
        static let isUsed = Query(
            """
            SELECT EXISTS (SELECT 1 FROM sluice_inbox) OR EXISTS (SELECT 1 FROM sluice_removed)
            """)
        static let queues = Query(
            "SELECT queue, 1 FROM sluice_inbox WHERE error IS NULL ORDER BY id LIMIT ?",
            other: """
                SELECT \(InboxRow.plain("queue")), count(*) FROM (
                    SELECT queue FROM sluice_inbox WHERE error IS NULL ORDER BY id LIMIT ?
                ) AS fresh GROUP BY queue
                """)
        static let removals = Query(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM sluice_removed WHERE error IS NULL ORDER BY id LIMIT ?
            ) AS fresh
            """)
        static let refused = Query(
            "SELECT id, queue, error FROM sluice_inbox WHERE error IS NOT NULL LIMIT ?")
        static let refusedRemovals = Query(
            "SELECT id, queue, error FROM sluice_removed WHERE error IS NOT NULL LIMIT ?")
    }

    package func inboxSummary() throws -> InboxSummary {
        var summary = InboxSummary()
        guard connection.hasInbox, try isInboxUsed() else { return summary }
        let row = try connection.prepare(InboxSQL.queues)
        defer { row.reset() }
        row.bind(InboxSummary.limit)
        while try row.next() { summary.tasks[row.text(0), default: 0] += row.int(1) }
        let removals = try connection.prepare(InboxSQL.removals)
        defer { removals.reset() }
        removals.bind(InboxSummary.limit)
        if try removals.next() { summary.removals = removals.int(0) }
        for (query, table) in [
            (InboxSQL.refused, InboxEntry.Table.inbox), (InboxSQL.refusedRemovals, .removed),
        ] {
            let rows = try refusals(query, table)
            summary.hasMoreRefused =
                summary.hasMoreRefused || rows.count > InboxSummary.refusedLimit
            summary.refused += rows.prefix(InboxSummary.refusedLimit)
        }
        return summary
    }

    private func isInboxUsed() throws(QueueError) -> Bool {
        let row = try connection.prepare(InboxSQL.isUsed)
        defer { row.reset() }
        return try row.next() && row.int(0) != 0
    }

    package func name(of table: InboxEntry.Table) -> String {
        connection.tablePrefix + table.rawValue
    }

    /// The refused rows of a table, oldest first; one beyond the limit shows that more exist.
    private func refusals(
        _ query: Query, _ table: InboxEntry.Table
    ) throws(QueueError) -> [InboxSummary.Refusal] {
        let row = try connection.prepare(query)
        defer { row.reset() }
        row.bind(InboxSummary.refusedLimit + 1)
        var found: [InboxSummary.Refusal] = []
        while try row.next() {
            found.append(
                InboxSummary.Refusal(
                    table: name(of: table), row: row.integer(0), queue: row.optionalText(1),
                    error: row.text(2)))
        }
        return found.sorted { $0.row < $1.row }
    }
}
