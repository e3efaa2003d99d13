import SluiceModel

extension SolidQueueSystem {
    /// Its workers, with the names and the beginnings of names that they serve.
    func workers() throws -> [(runner: ForeignRunner, lists: [String])] {
        let running = Dictionary(
            grouping: try session.rows(
                "SELECT process_id, job_id FROM solid_queue_claimed_executions ORDER BY job_id"),
            by: { $0["process_id"]?.integer })
        return try session.rows(
            """
            SELECT id, name, hostname, pid, metadata, last_heartbeat_at
            FROM solid_queue_processes WHERE kind = 'Worker' ORDER BY id
            """
        ).map { row in
            let told = row["metadata"]?.string.flatMap { try? JSONValue.parse($0) }
            let lists = (told?["queues"]?.string ?? "*").split(separator: ",")
                .map { String($0.drop { $0 == " " }) }
            var runner = ForeignRunner(name: row["name"]?.string ?? "?", queues: [])
            runner.host = row["hostname"]?.string
            runner.processID = row["pid"]?.integer
            runner.slots = told?["thread_pool_size"]?.integer.map { Int(clamping: $0) }
            runner.heardAt = RowClock.date.moment(row["last_heartbeat_at"])
            runner.running = (running[row["id"]?.integer] ?? []).map {
                RowSystem.text($0["job_id"])
            }
            return (runner, lists)
        }
    }

    /// The workers. A worker of all queues lists none; a prefix such as `mail*` lists the matching
    /// queues.
    func runners() throws -> [ForeignRunner] {
        let workers = try workers()
        let isNeeded = workers.contains { $0.lists.contains { $0.hasSuffix("*") && $0 != "*" } }
        let known = isNeeded ? try rows.queues().map(\.name) : []
        return workers.map { worker in
            var runner = worker.runner
            guard !worker.lists.contains("*") else { return runner }
            let exact = worker.lists.filter { !$0.contains("*") }
            let begun = known.filter { name in
                worker.lists.contains { Self.serves($0, name) } && !exact.contains(name)
            }
            // An empty list would mean all queues.
            runner.queues = exact + begun
            if runner.queues.isEmpty { runner.queues = worker.lists }
            return runner
        }
    }

    /// Whether a name in a worker's list means a queue.
    static func serves(_ listed: String, _ queue: String) -> Bool {
        listed.hasSuffix("*")
            ? queue.utf8.starts(with: listed.utf8.dropLast()) : listed.isSame(as: queue)
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard let id = rows.identifier(detail.task.reference) else { return nil }
        if let blocked = try session.first(
            "SELECT concurrency_key FROM \(SolidQueuePlace.blocked.table) WHERE job_id = \(id)")
        {
            return try keyTaken(blocked["concurrency_key"]?.string ?? "")
        }
        let late = try session.first(
            """
            SELECT 1 AS n FROM \(SolidQueuePlace.scheduled.table) s WHERE s.job_id = \(id)
            AND s.scheduled_at <= \(dialect.now(.date)) AND NOT EXISTS (
                SELECT 1 FROM solid_queue_processes p WHERE p.kind = 'Dispatcher')
            """)
        return late.map { _ in "its time has come, and no dispatcher of Solid Queue is there" }
    }

    private func keyTaken(_ key: String) throws -> String {
        let holder = try session.first(
            """
            SELECT min(k.id) AS id FROM solid_queue_jobs k
            WHERE k.concurrency_key = \(try dialect.literal(key)) AND k.finished_at IS NULL
            AND (EXISTS (SELECT 1 FROM \(SolidQueuePlace.claimed.table) e WHERE e.job_id = k.id)
            OR EXISTS (SELECT 1 FROM \(SolidQueuePlace.ready.table) e WHERE e.job_id = k.id))
            """)
        let by = holder?["id"]?.integer.map { " by #\($0)" } ?? ""
        return "its concurrency key \(JSONValue.string(key).text) is taken\(by)"
    }
}
