package import SluiceModel
package import SluiceStore

/// Tasks by number and by their place.
extension TableReader {
    private enum SQL {
        static let task = TaskColumns.select("FROM sluice_task t WHERE t.id = ?")
        static let many = TaskColumns.select("FROM sluice_task t WHERE t.id = ANY (?)")
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
        /// By the number of the task and how many bytes are wanted; of payloads that are not short
        /// the length alone, which SQLite and PostgreSQL know without reading them.
        static let payloadHeads = Query(
            "\(heads("length", first: "?2")) WHERE t.id = ?1",
            other: """
                \(heads("octet_length", first: "CAST((CAST(?2 AS BIGINT[]))[1] AS INTEGER)"))
                WHERE t.id = ANY (?1)
                """)
        private static func heads(_ length: String, first: String) -> String {
            let limit = StoreRecord.shortPayloadBytes
            return """
                SELECT t.id, coalesce(\(length)(t.payload), \(length)(p.payload)),
                    CASE WHEN p.task IS NULL THEN substr(t.payload, 1, \(first))
                        WHEN \(length)(p.payload) <= \(limit)
                        THEN substr(p.payload, 1, \(first)) END
                FROM sluice_task t LEFT JOIN sluice_payload p ON p.task = t.id
                """
        }
        static let result = Query("SELECT result FROM sluice_result WHERE task = ?")
        static let results = Query(
            "SELECT task, result FROM sluice_result WHERE task = ANY (?)")
        static let tally = Query(
            "SELECT state, lane, n, queue FROM sluice_tally WHERE queue = ?")
        static let someTallies = Query(
            "SELECT state, lane, n, queue FROM sluice_tally WHERE queue = ANY (?)")
        static let allTallies = Query(
            "SELECT state, lane, n, queue FROM \(Tallies.rows)")
        /// Finds each bucket after the previous one by the index.
        static let buckets = Query(
            """
            WITH RECURSIVE shelf (number) AS (
                SELECT min(t.lane) FROM sluice_task t WHERE t.queue = ?1 AND t.lane >= 0
                UNION ALL
                SELECT (SELECT min(t.lane) FROM sluice_task t
                    WHERE t.queue = ?1 AND t.lane > shelf.number)
                FROM shelf WHERE shelf.number IS NOT NULL)
            SELECT number FROM shelf WHERE number IS NOT NULL
            """)
        static let leases = Query(
            "SELECT t.id, t.token, t.detail FROM \(TaskColumns.running)",
            other: "SELECT id, token, detail FROM sluice_task WHERE owner = ? AND state = 1")
    }

    /// The tasks of a statement with bound values.
    package func tasks(of row: any BoundStatement) throws(QueueError) -> [QueueTask] {
        var found: [QueueTask] = []
        while try row.next() { found.append(try readTask(row)) }
        return found
    }

    private func readTask(_ row: any BoundStatement) throws(QueueError) -> QueueTask {
        let task = try TaskRow.read(row) { id throws(QueueError) in try queueName(id) }
        cache(task)
        return task
    }

    func storedTask(_ id: TaskID) throws(QueueError) -> QueueTask? {
        let row = try connection.prepare(SQL.task)
        defer { row.reset() }
        row.bind(id)
        return try row.next() ? try readTask(row) : nil
    }

    /// The rows of tasks, at a server by one question.
    func storedTasks(_ ids: [TaskID]) throws(QueueError) -> [TaskID: QueueTask] {
        var found: [TaskID: QueueTask] = [:]
        found.reserveCapacity(ids.count)
        guard ids.count > 1, let row = try connection.many(SQL.many, ids) else {
            for id in ids { found[id] = try storedTask(id) }
            return found
        }
        defer { row.reset() }
        for task in try tasks(of: row) { found[task.id] = task }
        return found
    }

    package func tasks(_ ids: [TaskID]) throws -> [QueueTask] {
        var found: [QueueTask] = []
        found.reserveCapacity(ids.count)
        if ids.count > 1, let row = try connection.many(SQL.many, ids.filter { !isKnown($0) }) {
            defer { row.reset() }
            let fetched = try Dictionary(tasks(of: row).map { ($0.id, $0) }) { first, _ in first }
            return try ids.compactMap { try fetched[$0] ?? known($0) }
        }
        for id in ids {
            if let task = try known(id) { found.append(task) }
        }
        return found
    }

    private func storedPayload(of id: TaskID) throws(QueueError) -> [UInt8]? {
        let row = try connection.prepare(SQL.payload)
        defer { row.reset() }
        row.bind(id)
        guard try row.next() else { return nil }
        // An empty payload is stored as empty bytes; NULL means damage.
        if row.isNull(0) { throw QueueError.damagedRow("the payload of #\(id) is missing") }
        return row.bytes(0)
    }

    func storedPayloads(of ids: [TaskID]) throws(QueueError) -> [TaskID: [UInt8]] {
        var found: [TaskID: [UInt8]] = [:]
        found.reserveCapacity(ids.count)
        guard ids.count > 1, let row = try connection.many(SQL.payloads, ids) else {
            for id in ids { found[id] = try storedPayload(of: id) }
            return found
        }
        defer { row.reset() }
        while try row.next() { found[row.integer(0)] = row.optionalBytes(1) }
        return found
    }

    package func bytes(_ what: TaskBytes, of ids: [TaskID]) throws -> [TaskID: BytesHead] {
        switch what {
        case .payload: try wholePayloads(of: ids).mapValues { BytesHead($0) }
        case .payloadHead(let count): try storedHeads(of: ids, first: count)
        case .result: try storedResults(of: ids).mapValues { BytesHead($0) }
        }
    }

    private func storedHeads(
        of ids: [TaskID], first count: Int
    ) throws(QueueError) -> [TaskID: BytesHead] {
        var found: [TaskID: BytesHead] = [:]
        func take(_ row: any BoundStatement) throws(QueueError) {
            while try row.next() {
                guard !row.isNull(1) else { continue }
                found[row.integer(0)] = BytesHead(
                    row.optionalBytes(2) ?? [], size: row.int(1))
            }
            row.reset()
        }
        if let row = try connection.many(SQL.payloadHeads, ids, [Int64(count)]) {
            try take(row)
            return found
        }
        for id in ids {
            let row = try connection.prepare(SQL.payloadHeads)
            row.bind(id)
            row.bind(count)
            try take(row)
        }
        return found
    }

    private func storedResults(of ids: [TaskID]) throws(QueueError) -> [TaskID: [UInt8]] {
        var found: [TaskID: [UInt8]] = [:]
        if ids.count > 1, let row = try connection.many(SQL.results, ids) {
            defer { row.reset() }
            while try row.next() { found[row.integer(0)] = row.bytes(1) }
            return found
        }
        for id in ids {
            let row = try connection.prepare(SQL.result)
            defer { row.reset() }
            row.bind(id)
            if try row.next() { found[id] = row.bytes(0) }
        }
        return found
    }

    /// A page of a queue in its order.
    func page(_ query: TaskQuery) throws -> [QueueTask] {
        guard let queue = try entry(query.queue), query.limit > 0 else { return [] }
        if try isEmpty(query) { return [] }
        let takesPayloads = takesPayloads(query)
        var found: [QueueTask] = []
        let questions = try questions(query, in: queue)
        for question in questions {
            let row = try connection.prepare(question.query)
            defer { row.reset() }
            question.bind(row)
            found += try takesPayloads ? tasksWithPayloads(of: row) : tasks(of: row)
        }
        let order = queue.record.settings.order
        guard questions.count > 1 else { return try trusted(found, for: query, order: order) }
        let keyed = found.map { (key: $0.orderKey(order), task: $0) }.sorted {
            query.isBackwards ? $0.key > $1.key : $0.key < $1.key
        }
        return try trusted(
            keyed.prefix(query.limit).map(\.task), for: query, order: order)
    }

    /// Whether a page includes payloads: a claim needs them for the next tasks.
    private func takesPayloads(_ query: TaskQuery) -> Bool {
        query.state == .waiting && query.waitFlags == .ready && keepsPayloads && !query.isBackwards
    }

    /// The queries that read a page.
    func questions(
        _ query: TaskQuery, in queue: QueueEntry
    ) throws(QueueError) -> [TableConnection.Question] {
        let takesPayloads = takesPayloads(query)
        return try ranges(of: query, in: queue).map { range in
            (
                takesPayloads ? range.queryWithPayloads : range.query,
                { range.bind(queueID: queue.id, to: $0) }
            )
        }
    }

    /// Asks for tasks, and for questions, with the beginning of the next write.
    func expect(
        _ ids: [TaskID], _ questions: [TableConnection.Question]
    ) throws(QueueError) {
        guard ids.count == 1, let id = ids.first else {
            return try connection.expect(questions, numbers: (SQL.many, ids))
        }
        try connection.expect(questions + [(SQL.task, { $0.bind(id) })], numbers: nil)
    }

    private func ranges(
        of query: TaskQuery, in queue: QueueEntry
    ) throws(QueueError) -> [PageQuery] {
        try PageQuery.pages(of: query, types: queue.types) {
            () throws(QueueError) in try buckets(of: queue.id)
        }
    }

    /// The number of tasks on a page. Counts ranges of an index without reading rows; reads other
    /// rows.
    func count(_ query: TaskQuery, limit: Int) throws -> Int {
        guard let queue = try entry(query.queue) else { return 0 }
        var wanted = query
        wanted.limit = limit
        var count = 0
        for var range in try ranges(of: wanted, in: queue) where count < limit {
            range.limit = limit - count
            count += try self.count(range, of: queue.id)
        }
        return count
    }

    private func count(_ range: PageQuery, of queue: Int64) throws -> Int {
        guard let query = range.countQuery else {
            let row = try connection.prepare(range.query)
            defer { row.reset() }
            range.bind(queueID: queue, to: row)
            return try tasks(of: row).count
        }
        let row = try connection.prepare(query)
        defer { row.reset() }
        range.bindCount(queueID: queue, to: row)
        return try row.next() ? row.int(0) : 0
    }

    /// The pages of several queues. At a server, pages that are one index range each share a round
    /// trip.
    package func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]] {
        let known = plan.compactMap { self.known(.page($0), limit: $0.limit) }
        if known.count == plan.count { return known }
        var pages: [(queue: QueueEntry, page: PageQuery)?] = []
        for query in plan {
            guard let queue = try entry(query.queue) else { return try inTurn(plan) }
            let ranges = try ranges(of: query, in: queue)
            pages.append(ranges.count == 1 ? (queue, ranges[0]) : nil)
        }
        let asked = pages.compactMap { $0 }
        guard asked.count > 1, asked.count == plan.count,
            let rows = try connection.together(
                asked.map { queue, page in
                    (page.queryWithPayloads, { page.bind(queueID: queue.id, to: $0) })
                })
        else { return try inTurn(plan) }
        return try zip(rows, zip(plan, asked)).map { row, asked in
            try trusted(
                tasksWithPayloads(of: row), for: asked.0,
                order: asked.1.queue.record.settings.order)
        }
    }

    private func inTurn(_ plan: [TaskQuery]) throws -> [[QueueTask]] {
        try plan.map { try page($0) }
    }

    func tasksWithPayloads(of row: any BoundStatement) throws(QueueError) -> [QueueTask] {
        var found: [QueueTask] = []
        while try row.next() {
            let task = try readTask(row)
            let payload = row.optionalBytes(TaskColumns.payloadPlace)
            if let payload { cache(payload, of: task.id) }
            found.append(task)
        }
        return found
    }

    /// Whether the counts say already that there is nothing, where a question is a way to a server.
    private func isEmpty(_ query: TaskQuery) throws -> Bool {
        guard connection.isRemote, query.state == .waiting, query.group == nil,
            let waitFlags = query.waitFlags
        else { return false }
        return try counts(queue: query.queue).waitingByFlags[waitFlags] ?? 0 == 0
    }

    /// The buckets with waiting tasks of a queue.
    func buckets(of queue: Int64) throws(QueueError) -> [Int64] {
        let row = try connection.prepare(SQL.buckets)
        defer { row.reset() }
        row.bind(queue)
        var found: [Int64] = []
        while try row.next() { found.append(row.integer(0)) }
        return found
    }

    /// The stored counts of a queue. After several single queries it loads all queues together.
    func storedCounts(of queue: Int64) throws(QueueError) -> QueueCounts {
        if let all = allCounts, countedIDs?.contains(queue) ?? true {
            return all[queue] ?? QueueCounts()
        }
        countedQueues += 1
        if countedQueues > countedOneByOne, allCounts == nil {
            // Callers ask only about queues with waiting tasks.
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

    /// A number of tasks, which is never below 0.
    func tally(_ row: any BoundStatement, _ column: Int32) throws(QueueError) -> Int {
        let count = row.int(column)
        guard count >= 0 else {
            throw QueueError.damagedRow("a queue is said to hold \(count) tasks of a state")
        }
        return count
    }

    private func counts(
        _ row: any BoundStatement
    ) throws(QueueError) -> [Int64: QueueCounts] {
        defer { row.reset() }
        var counts: [Int64: QueueCounts] = [:]
        while try row.next() {
            let (name, count) = (try TaskState.Name(code: row.integer(0)), try tally(row, 2))
            guard count != 0 else { continue }
            counts[row.integer(3), default: QueueCounts()].states[name, default: 0] += count
            guard name == .waiting else { continue }
            counts[row.integer(3)]?.waitingByFlags[WaitFlags(rawValue: row.int(1))] = count
        }
        return counts
    }

    func leaseQuestion(of process: ProcessID) -> TableConnection.Question {
        (SQL.leases, { $0.bind(process) })
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
                    stop: try detail.optional("stop")))
        }
        return found
    }
}
