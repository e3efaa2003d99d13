package import SluiceModel
package import SluiceStore

/// Queries over many queues, answered from indexes. A process at a server caches all queues anyway
/// and filters them.
extension TableReader {
    private enum SQL {
        static let holding = Query(
            """
            SELECT queue FROM sluice_tally INDEXED BY sluice_tally_state
            WHERE state = ? AND queue > 0
            """)
        static let waitingPage = Query(
            """
            SELECT queue FROM sluice_tally INDEXED BY sluice_tally_state
            WHERE state = 0 AND queue > ? ORDER BY queue LIMIT ?
            """)
        static let count = Query("SELECT count(*) FROM sluice_queue")
        static let before = Query(
            """
            SELECT (SELECT count(*) FROM sluice_queue WHERE priority > ?1)
                + (SELECT count(*) FROM sluice_queue WHERE priority = ?1 AND name < ?2)
            """)
        static let page = Query(
            """
            SELECT \(TableReader.columns) FROM sluice_queue INDEXED BY sluice_queue_order
            ORDER BY priority DESC, name LIMIT ? OFFSET ?
            """)
        static let moments = Query(
            """
            SELECT \(TableReader.columns) FROM sluice_queue INDEXED BY sluice_queue_moment
            WHERE \(hasMomentOrRate)
            """)
        static let tallies = Query("SELECT state, lane, n FROM sluice_tally WHERE queue > 0")
    }

    /// The condition of the index of queues with timed pauses or batched runs.
    package static let hasMoment =
        """
        instr(pauses, '"until":') > 0 OR instr(settings, '"mode":"batched"') > 0
        """
    /// The same with rates. It begins as the former one, so that older programs use its index.
    package static let hasMomentOrRate = "\(hasMoment) OR instr(settings, '\"rate\":') > 0"

    package func queues(_ selection: QueueSelection) throws -> [SharedQueue] {
        switch selection {
        case .all: try knownQueues().map(\.shared)
        case .named(let name): try entry(name).map { [$0.shared] } ?? []
        case .inUse(let marks): try queues(inUse: marks)
        case .busy: try busyQueues().map(\.shared)
        case .holding(let states): try queues(holding: states)
        case .withMoments: try queuesWithMoments()
        case .page(let behind, let limit): try queues(behind: behind, limit: limit)
        }
    }

    private func queues(inUse marks: WaitFlags) throws -> [SharedQueue] {
        // Rare flags are usually set in no queue. Then the queues need not be loaded.
        if connection.isRemote {
            if !marks.isEmpty, try queuesWaiting(in: marks).isEmpty { return [] }
            // At a server all queues are loaded in any case.
            let all = try knownQueues()
            guard all.count > Self.fewQueues else { return all.map(\.shared) }
        }
        return try queues(numbered: try queuesWaiting(in: marks), orBusy: marks.isEmpty)
            .map(\.shared)
    }

    /// The first few in use are read alone. So a caller that finds work in one of them costs no
    /// list of all queues.
    package func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws {
        if isWriting || connection.isRemote {
            for queue in try queues(.inUse([])) where try !body(queue) { return }
            return
        }
        let busy = try busyQueues()
        for queue in busy where try !body(queue.shared) { return }
        let seen = Set(busy.map(\.entry.id))
        var (last, size): (Int64, Int) = (0, Self.fewQueues)
        while true {
            let numbers = try queuesWaiting(after: last, limit: size)
            for queue in try queues(numbered: Set(numbers).subtracting(seen), orBusy: false)
            where try !body(queue.shared) { return }
            guard numbers.count >= size, let next = numbers.last else { return }
            (last, size) = (next, Self.manyQueues)
        }
    }

    private static let manyQueues = 1024

    /// A queue has a row for each set of flags, so numbers may repeat.
    private func queuesWaiting(after number: Int64, limit: Int) throws(QueueError) -> [Int64] {
        let row = try connection.prepare(SQL.waitingPage)
        defer { row.reset() }
        row.bind(number)
        row.bind(limit)
        return try row.integers()
    }

    private func queues(holding states: Set<TaskState.Name>) throws -> [SharedQueue] {
        guard !connection.isRemote else { return try queues(.all) }
        try writeTallies()
        var numbers: Set<Int64> = []
        for state in states {
            let row = try connection.prepare(SQL.holding)
            defer { row.reset() }
            row.bind(state.code)
            numbers.formUnion(try row.integers())
        }
        return try queues(numbered: numbers, orBusy: false).map(\.shared)
    }

    private func queuesWithMoments() throws -> [SharedQueue] {
        guard !connection.isRemote else { return try queues(.all) }
        let row = try connection.prepare(SQL.moments)
        defer { row.reset() }
        var found: [SharedQueue] = []
        while try row.next() { found.append(try keep(row).shared) }
        return found.sorted { $0.record.name < $1.record.name }
    }

    private func queues(behind count: Int, limit: Int) throws -> [SharedQueue] {
        guard !connection.isRemote else {
            let all = try queues(.all).sorted { $0.record.isSeen(before: $1.record) }
            return Array(all.dropFirst(count).prefix(limit))
        }
        let row = try connection.prepare(SQL.page)
        defer { row.reset() }
        row.bind(limit)
        row.bind(count)
        var found: [SharedQueue] = []
        while try row.next() { found.append(try keep(row).shared) }
        return found
    }

    package func countQueues(before queue: QueueRecord?) throws -> Int {
        guard !connection.isRemote else {
            return try queues(.all).count { other in
                queue.map { other.record.isSeen(before: $0) } ?? true
            }
        }
        let row = try connection.prepare(queue == nil ? SQL.count : SQL.before)
        defer { row.reset() }
        if let queue {
            row.bind(queue.settings.priority)
            row.bind(queue.name)
        }
        return try row.next() ? row.int(0) : 0
    }

    func storedCounts() throws -> QueueCounts {
        try writeTallies()
        let row = try connection.prepare(SQL.tallies)
        defer { row.reset() }
        var counts = QueueCounts()
        while try row.next() {
            let (state, count) = (try TaskState.Name(code: row.integer(0)), try tally(row, 2))
            guard count != 0 else { continue }
            counts.states[state, default: 0] += count
            guard state == .waiting else { continue }
            counts.waitingByFlags[WaitFlags(rawValue: row.int(1)), default: 0] += count
        }
        return counts
    }
}

/// Groups: starts that hold, and members by position.
extension TableReader {
    private enum GroupSQL {
        static let starts = Query(
            """
            SELECT task FROM sluice_role WHERE queue = ? AND name = ? AND holds = 1
            ORDER BY position
            """)
        static let groups = Query(
            """
            SELECT name, waiting + running FROM sluice_group
            WHERE queue = ? AND name > ? AND (starts > 0 OR waiting > 0)
            ORDER BY name LIMIT ?
            """)
    }

    func storedGroups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        guard let queue = try entry(queue) else { return [] }
        var found: [GroupSummary] = []
        let row = try connection.prepare(GroupSQL.groups)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(name ?? "")
        row.bind(limit)
        while try row.next() {
            let name = row.text(0)
            found.append(
                GroupSummary(
                    name: name, starts: try starts(of: name, queueID: queue.id),
                    members: row.int(1)))
        }
        return found
    }

    private func starts(of group: String, queueID: Int64) throws(QueueError) -> [TaskID] {
        let row = try connection.prepare(GroupSQL.starts)
        defer { row.reset() }
        row.bind(queueID)
        row.bind(group)
        var found: [TaskID] = []
        while try row.next() { found.append(row.integer(0)) }
        return found
    }
}

/// Queries by position. Tasks waiting in arrival order are found by their rank, which equals the
/// position there. Running tasks are found among the few that run, and all others by a separate
/// index. Arrival-ordered tasks thus need one index less.
extension TableReader {
    private enum PositionSQL {
        /// The tasks in the position index and the running ones, after and before a position.
        static let behind = sources(">", "")
        static let before = sources("<", " DESC")

        private static func sources(_ comparison: String, _ direction: String) -> [Query] {
            [
                TaskColumns.select(
                    """
                    FROM sluice_task t INDEXED BY sluice_task_position
                    WHERE t.queue = ? AND t.position \(comparison) ? AND \(condition)
                    ORDER BY t.position\(direction) LIMIT ?
                    """),
                TaskColumns.select(
                    """
                    FROM sluice_task t INDEXED BY sluice_task_lane
                    WHERE t.queue = ? AND t.lane = \(IndexBucket.number(of: .running))
                        AND t.position \(comparison) ? LIMIT ?
                    """),
            ]
        }

        /// The exact condition of the position index.
        private static let condition = "(t.state > 1 OR (t.state = 0 AND length(t.rank) <> 8))"
    }

    func storedLastPosition(of queue: Int64) throws(QueueError) -> Int64 {
        let row = try connection.prepare(LastPositions.one)
        defer { row.reset() }
        row.bind(queue)
        return try row.next() ? row.integer(0) : 0
    }

    /// Tasks after or before a position, nearest first.
    func arrived(
        _ name: String, from position: Int64?, isBackwards: Bool, limit: Int
    ) throws -> [QueueTask] {
        guard let entry = try entry(name), limit > 0 else { return [] }
        var found = try line(in: entry, from: position, isBackwards: isBackwards, limit: limit)
        for (place, query) in (isBackwards ? PositionSQL.before : PositionSQL.behind).enumerated() {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(entry.id)
            row.bind(position ?? .min)
            // Few run, in the order of their begins.
            row.bind(place == 0 ? limit : .max)
            found += try tasks(of: row)
        }
        found.sort { isBackwards ? $0.position > $1.position : $0.position < $1.position }
        return Array(found.prefix(limit))
    }

    /// The waiting tasks after or before a position, nearest first, if the queue is in order of
    /// positions.
    private func line(
        in queue: QueueEntry, from position: Int64?, isBackwards: Bool, limit: Int
    ) throws -> [QueueTask] {
        let order = queue.record.settings.order
        guard order == .fifo || order == .lifo else { return [] }
        var query = TaskQuery(queue: queue.record.name, state: .waiting, limit: limit)
        query.isBackwards = isBackwards == (order == .fifo)
        query.after = position.map {
            OrderKey(position: $0, priority: 0, sortKey: nil, order: order)
        }
        return try page(query)
    }
}

/// Origins of tasks: the text while the task exists, afterwards only its hash (`TaskOrigin.key`).
extension TableReader {
    private enum OriginSQL {
        static let origin = Query("SELECT origin FROM sluice_origin WHERE task = ?")
        static let known = Query("SELECT task FROM sluice_origin WHERE origin = ?")
        static let gone = Query("SELECT task FROM sluice_known WHERE key = ?")
    }

    package func origin(of id: TaskID) throws -> String? {
        let row = try connection.prepare(OriginSQL.origin)
        defer { row.reset() }
        row.bind(id)
        return try row.next() ? row.text(0) : nil
    }

    package func task(ofOrigin origin: String) throws -> TaskID? {
        let row = try connection.prepare(OriginSQL.known)
        defer { row.reset() }
        row.bind(origin)
        if try row.next() { return row.integer(0) }
        let gone = try connection.prepare(OriginSQL.gone)
        defer { gone.reset() }
        gone.bind(TaskOrigin.key(of: origin))
        return try gone.next() ? gone.integer(0) : nil
    }
}

extension TableWriter {
    /// After a task's removal its origin remains as a hash. Rows of older versions have none and
    /// stay unchanged.
    private enum Put {
        static let origin = Query(
            .insert(into: "sluice_origin", ["origin", "task", "key"], replacing: ["origin"]))
        static let shorten = statements("task = ?")
        static let shortenQueue = statements(
            "task IN (SELECT id FROM sluice_task WHERE queue = ?)")

        private static func statements(_ tasks: String) -> [Query] {
            [
                """
                INSERT INTO sluice_known (key, task)
                SELECT key, task FROM sluice_origin WHERE \(tasks) AND key IS NOT NULL
                ON CONFLICT (key) DO UPDATE SET task = excluded.task
                """,
                "DELETE FROM sluice_origin WHERE \(tasks) AND key IS NOT NULL",
            ].map { Query($0) }
        }
    }

    func putOrigin(_ origin: String, of id: TaskID) throws {
        let row = try connection.prepare(Put.origin)
        row.bind(origin)
        row.bind(id)
        row.bind(TaskOrigin.key(of: origin))
        try row.run()
        memory.apart?.origins = true
    }

    /// Says that a task goes.
    func shortenOrigin(of id: TaskID) throws(QueueError) {
        for statement in Put.shorten { try change(statement, id) }
    }

    /// Says that all tasks of a queue go.
    func shortenOrigins(ofQueue id: Int64) throws(QueueError) {
        guard try rowsApart().origins else { return }
        for statement in Put.shortenQueue { try change(statement, id) }
    }
}
