import SluiceModel
import SluiceStore

/// Tasks by number and by their place.
extension ReadSession {
    private enum SQL {
        static let task = TaskColumns.select("FROM sluice_task t WHERE t.id = ?")
        static let many = TaskColumns.select("FROM sluice_task t WHERE t.id = ANY (?)")
        static let behind = TaskColumns.select(
            "FROM sluice_task t WHERE t.id > ? ORDER BY t.id LIMIT ?")
        static let newest = TaskColumns.select(
            "FROM sluice_task t ORDER BY t.id DESC LIMIT ?")
        static let payload = Query(
            """
            SELECT coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id))
            FROM sluice_task t WHERE t.id = ?
            """)
        static let payloads = Query(
            """
            SELECT t.id, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id))
            FROM sluice_task t WHERE t.id = ANY (?)
            """)
        static let result = Query("SELECT result FROM sluice_result WHERE task = ?")
        static let tally = Query(
            "SELECT state, lane, n, queue FROM sluice_tally WHERE queue = ?")
        static let someTallies = Query(
            "SELECT state, lane, n, queue FROM sluice_tally WHERE queue = ANY (?)")
        static let allTallies = Query(
            "SELECT state, lane, n, queue FROM \(Tallies.rows)")
        /// Each is the next one behind the last, found by its index.
        static let shelves = Query(
            """
            WITH RECURSIVE shelf (number) AS (
                SELECT min(t.lane) FROM sluice_task t WHERE t.queue = ?1 AND t.lane >= 0
                UNION ALL
                SELECT (SELECT min(t.lane) FROM sluice_task t
                    WHERE t.queue = ?1 AND t.lane > shelf.number)
                FROM shelf WHERE shelf.number IS NOT NULL)
            SELECT number FROM shelf WHERE number IS NOT NULL
            """)
        static let unique = Query(
            """
            SELECT id, state FROM sluice_task INDEXED BY sluice_task_unique
            WHERE queue = ? AND unique_key = ? AND type = ? AND state <= 1 ORDER BY id
            """)
        static let followUps = Query("SELECT id FROM sluice_task WHERE parent = ? ORDER BY id")
        /// Those that run are few: an index of their owners would be changed by every claim and
        /// every end.
        private static let running =
            """
            sluice_tally y INDEXED BY sluice_tally_state
            CROSS JOIN sluice_task t INDEXED BY sluice_task_lane
            WHERE y.state = 1 AND y.queue > 0
                AND t.queue = y.queue AND t.lane = \(Shelf.number(of: .running)) AND t.owner = ?
            """
        static let run = TaskColumns.select(
            "FROM \(running)", other: "FROM sluice_task t WHERE t.owner = ? AND t.state = 1")
        static let leases = Query(
            "SELECT t.id, t.token, t.detail FROM \(running)",
            other: "SELECT id, token, detail FROM sluice_task WHERE owner = ? AND state = 1")
        static let lingering = TaskColumns.select(
            "FROM sluice_task t WHERE t.owner = ? AND t.lane >= 0 ORDER BY t.id")
        static let awaited = TaskColumns.select(
            """
            FROM sluice_task t INDEXED BY sluice_task_session
            WHERE t.session = ? AND t.state = ? AND t.id > ? AND t.marks & 4 = 0
            ORDER BY t.id LIMIT ?
            """)
    }

    package func tasks(behind id: TaskID?, limit: Int) throws -> [QueueTask] {
        let row = try connection.prepare(id == nil ? SQL.newest : SQL.behind)
        defer { row.reset() }
        if let id { row.bind(id) }
        row.bind(limit)
        let found = try tasks(of: row)
        return id == nil ? found.reversed() : found
    }

    /// The tasks of a statement whose values are bound.
    package func tasks(of row: any BoundStatement) throws(QueueError) -> [QueueTask] {
        var found: [QueueTask] = []
        while try row.next() { found.append(try readTask(row)) }
        return found
    }

    private func readTask(_ row: any BoundStatement) throws(QueueError) -> QueueTask {
        let task = try TaskRow.read(row) { id throws(QueueError) in try queueName(id) }
        note(task)
        return task
    }

    func storedTask(_ id: TaskID) throws(QueueError) -> QueueTask? {
        let row = try connection.prepare(SQL.task)
        defer { row.reset() }
        row.bind(id)
        return try row.next() ? try readTask(row) : nil
    }

    package func tasks(_ ids: [TaskID]) throws -> [QueueTask] {
        var found: [QueueTask] = []
        found.reserveCapacity(ids.count)
        if ids.count > 1, let row = try connection.many(SQL.many, ids.filter { !isKnown($0) }) {
            defer { row.reset() }
            let fetched = try Dictionary(uniqueKeysWithValues: tasks(of: row).map { ($0.id, $0) })
            return try ids.compactMap { try fetched[$0] ?? known($0) }
        }
        for id in ids {
            if let task = try known(id) { found.append(task) }
        }
        return found
    }

    /// Fetches tasks whose rows are needed, all at once, where a question is a way to a server.
    func fetchTasks(_ ids: [TaskID]) throws(QueueError) {
        guard let row = try connection.many(SQL.many, ids) else { return }
        defer { row.reset() }
        while try row.next() { _ = try readTask(row) }
    }

    package func payload(of id: TaskID) throws -> [UInt8]? {
        let row = try connection.prepare(SQL.payload)
        defer { row.reset() }
        row.bind(id)
        guard try row.next() else { return nil }
        // What has none holds no bytes, which is something else.
        if row.isNull(0) { throw QueueError.damagedRow("the payload of #\(id) is gone") }
        return row.bytes(0)
    }

    func storedPayloads(of ids: [TaskID]) throws -> [TaskID: [UInt8]] {
        var found: [TaskID: [UInt8]] = [:]
        found.reserveCapacity(ids.count)
        guard ids.count > 1, let row = try connection.many(SQL.payloads, ids) else {
            for id in ids { found[id] = try payload(of: id) }
            return found
        }
        defer { row.reset() }
        while try row.next() { found[row.integer(0)] = row.optionalBytes(1) }
        return found
    }

    package func result(of id: TaskID) throws -> [UInt8]? { try bytes(SQL.result, id) }

    private func bytes(_ query: Query, _ id: TaskID) throws(QueueError) -> [UInt8]? {
        let row = try connection.prepare(query)
        defer { row.reset() }
        row.bind(id)
        return try row.next() ? row.bytes(0) : nil
    }

    package func tasks(matching query: TaskQuery) throws -> [QueueTask] {
        guard let queue = try entry(query.queue), query.limit > 0 else { return [] }
        if try isEmpty(query) { return [] }
        if let fetched = try fetched(for: query) { return fetched }
        // Who claims asks for their payloads next.
        let takesPayloads = query.state == .waiting && query.lane == .ready && keepsPayloads
        let pages = try PageQuery.pages(of: query, types: queue.types) {
            () throws(QueueError) in try shelves(of: queue.id)
        }
        var found: [QueueTask] = []
        for page in pages {
            let takes = takesPayloads && !query.isBackwards
            if takes, pages.count == 1, let tasks = try foreseen(page, queue: queue.id) {
                return tasks
            }
            let row = try connection.prepare(takes ? page.queryWithPayloads : page.query)
            defer { row.reset() }
            page.bind(queueID: queue.id, to: row)
            found += try takes ? tasksWithPayloads(of: row) : tasks(of: row)
        }
        let order = queue.record.settings.order
        guard pages.count > 1 else { return try trusted(found, for: query, order: order) }
        let keyed = found.map { (key: $0.orderKey(order), task: $0) }.sorted {
            query.isBackwards ? $0.key > $1.key : $0.key < $1.key
        }
        return try trusted(
            keyed.prefix(query.limit).map(\.task), for: query, order: order)
    }

    func tasksWithPayloads(of row: any BoundStatement) throws(QueueError) -> [QueueTask] {
        var found: [QueueTask] = []
        while try row.next() {
            let task = try readTask(row)
            let payload = row.optionalBytes(TaskColumns.payloadPlace)
            if let payload { note(payload, of: task.id) }
            found.append(task)
        }
        return found
    }

    /// Whether the counts say already that there is nothing, where a question is a way to a server.
    private func isEmpty(_ query: TaskQuery) throws -> Bool {
        guard connection.joinsRows, query.state == .waiting, query.group == nil,
            let lane = query.lane
        else { return false }
        return try counts(queue: query.queue).lanes[lane] ?? 0 == 0
    }

    /// The shelves on which tasks of a queue wait.
    func shelves(of queue: Int64) throws(QueueError) -> [Int64] {
        let row = try connection.prepare(SQL.shelves)
        defer { row.reset() }
        row.bind(queue)
        var found: [Int64] = []
        while try row.next() { found.append(row.integer(0)) }
        return found
    }

    /// What the tables say of a queue. Who asks about one queue after the other is given all at
    /// once.
    func storedCounts(of queue: Int64) throws(QueueError) -> QueueCounts {
        if let all = allCounts, countedIDs?.contains(queue) ?? true {
            return all[queue] ?? QueueCounts()
        }
        countedQueues += 1
        if countedQueues > countedOneByOne, allCounts == nil {
            // Those in which something waits are the ones that are asked about.
            let some = waitingQueues.map { $0.union([queue]) }
            let rows = try connection.many(SQL.someTallies, Array(some ?? []))
            let all: [Int64: QueueCounts]
            if let rows {
                all = try counts(rows)
            } else {
                all = try counts(connection.prepare(SQL.allTallies))
            }
            (allCounts, countedIDs) = (all, rows == nil ? nil : some)
            return all[queue] ?? QueueCounts()
        }
        let row = try connection.prepare(SQL.tally)
        row.bind(queue)
        return try counts(row)[queue] ?? QueueCounts()
    }

    /// Fetches what the tables say of queues that will be asked about one after the other, where a
    /// question is a way to a server.
    func fetchCounts(of queues: [Int64]) throws(QueueError) {
        guard connection.joinsRows, allCounts == nil || countedIDs != nil else { return }
        let new = queues.filter { !(countedIDs?.contains($0) ?? false) }
        guard new.count > 1, let rows = try connection.many(SQL.someTallies, new) else { return }
        let found = try counts(rows)
        allCounts = (allCounts ?? [:]).merging(found) { first, _ in first }
        countedIDs = (countedIDs ?? []).union(new)
    }

    private func counts(
        _ row: any BoundStatement
    ) throws(QueueError) -> [Int64: QueueCounts] {
        defer { row.reset() }
        var counts: [Int64: QueueCounts] = [:]
        while try row.next() {
            let (name, count) = (try TaskState.Name(code: row.integer(0)), row.int(2))
            guard count != 0 else { continue }
            counts[row.integer(3), default: QueueCounts()].states[name, default: 0] += count
            guard name == .waiting else { continue }
            counts[row.integer(3)]?.lanes[Lane(rawValue: row.int(1))] = count
        }
        return counts
    }

    package func uniqueHolders(queue: String, type: String, key: String, includingRunning: Bool)
        throws -> [TaskID]
    {
        guard let queue = try entry(queue) else { return [] }
        let row = try connection.prepare(SQL.unique)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(key)
        row.bind(type)
        var found: [TaskID] = []
        while try row.next() {
            if includingRunning || row.integer(1) == 0 { found.append(row.integer(0)) }
        }
        return found
    }

    package func tasksRun(by process: ProcessID) throws -> [QueueTask] {
        try writeTallies()
        return try tasks(SQL.run, of: process).sorted { $0.id < $1.id }
    }

    package func leases(of process: ProcessID) throws -> [Lease] {
        try writeTallies()
        let row = try connection.prepare(SQL.leases)
        defer { row.reset() }
        row.bind(process)
        var found: [Lease] = []
        while try row.next() {
            let detail = row.isNull(2) ? StoredFields() : try StoredFields(text: row.text(2))
            found.append(
                Lease(
                    task: row.integer(0), token: row.integer(1),
                    stop: try detail.optionalWord("stop")))
        }
        return found
    }

    package func tasksLingering(of process: ProcessID) throws -> [QueueTask] {
        try tasks(SQL.lingering, of: process)
    }

    private func tasks(_ query: Query, of process: ProcessID) throws(QueueError) -> [QueueTask] {
        let row = try connection.prepare(query)
        defer { row.reset() }
        row.bind(process)
        return try tasks(of: row)
    }

    package func followUps(of id: TaskID) throws -> [TaskID] {
        let row = try connection.prepare(SQL.followUps)
        defer { row.reset() }
        row.bind(id)
        var found: [TaskID] = []
        while try row.next() { found.append(row.integer(0)) }
        return found
    }

    package func awaitedTasks(
        session: String, state: TaskState.Name, after id: TaskID, limit: Int
    ) throws -> [QueueTask] {
        let row = try connection.prepare(SQL.awaited)
        defer { row.reset() }
        row.bind(session)
        row.bind(state.code)
        row.bind(id)
        row.bind(limit)
        return try tasks(of: row)
    }
}
