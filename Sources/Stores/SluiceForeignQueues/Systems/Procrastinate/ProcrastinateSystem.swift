import SluiceModel
import SluicePostgresClient

/// Procrastinate: a table of jobs in PostgreSQL, from which workers fetch what is due.
final class ProcrastinateSystem: ForeignSystem {
    static let systemName = "procrastinate"
    let name = ProcrastinateSystem.systemName
    let desk: SQLDesk
    let hold = HoldByTime(
        table: "procrastinate_jobs", queue: "queue_name", state: "status", time: "scheduled_at",
        waiting: "'todo'")

    init(_ desk: SQLDesk) { self.desk = desk }

    /// Whether a database has its table; what is said from then on is said in its schema.
    static func isThere(_ desk: SQLDesk) throws -> Bool {
        let rows = try desk.rows(
            """
            SELECT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relname = 'procrastinate_jobs' AND c.relkind IN ('r', 'p') LIMIT 1
            """)
        guard let schema = rows.first?["schema"]?.string else { return false }
        try desk.connection.run("SET search_path = \(SQLDesk.name(schema))")
        return true
    }

    let listsEmptyQueues = false

    func queues() throws -> [ForeignQueue] {
        let holds = try hold.holds(desk)
        let rows = try desk.rows(
            """
            SELECT queue_name, status::text, count(*) AS n,
            count(*) FILTER (WHERE \(Self.isHeld)) AS held,
            count(*) FILTER (WHERE \(Self.isSkipped)) AS skipped,
            count(*) FILTER (WHERE scheduled_at > now() AND scheduled_at < \(HoldByTime.heldFrom))
                AS delayed
            FROM procrastinate_jobs GROUP BY 1, 2
            """)
        var found: [String: ForeignQueue] = [:]
        for row in rows {
            guard let name = row["queue_name"]?.string else { continue }
            var queue = found[name] ?? ForeignQueue(name: name, system: self.name)
            let count = Int(row["n"]?.integer ?? 0)
            switch row["status"]?.string {
            case "todo":
                queue.held = Int(row["held"]?.integer ?? 0)
                queue.skipped = Int(row["skipped"]?.integer ?? 0)
                queue.delayed = Int(row["delayed"]?.integer ?? 0)
                queue.waiting = count - queue.skipped - queue.delayed
            case "doing": queue.running = count
            case "succeeded": queue.succeeded = count
            case "failed", "aborted": queue.failed += count
            default: break
            }
            found[name] = queue
        }
        for (name, one) in holds {
            found[name, default: ForeignQueue(name: name, system: self.name)].hold = one
        }
        return found.values.sorted { $0.name < $1.name }
    }

    static let isHeld =
        "scheduled_at >= \(HoldByTime.heldFrom) AND scheduled_at < \(HoldByTime.skippedFrom)"
    static let isSkipped = "scheduled_at >= \(HoldByTime.skippedFrom)"

    private static let columns = """
        id, queue_name, task_name, priority, lock, queueing_lock, status::text, attempts,
        (\(isHeld)) AS held, (\(isSkipped)) AS skipped,
        (extract(epoch FROM CASE
            WHEN scheduled_at IN (\(HoldByTime.heldFrom), \(HoldByTime.skippedFrom)) THEN NULL
            WHEN \(isSkipped) THEN scheduled_at - interval '7000 years'
            WHEN \(isHeld) THEN scheduled_at - interval '4000 years'
            ELSE scheduled_at END) * 1000)::bigint AS due,
        left(args::text, 200) AS shown
        """

    private func tasks(_ condition: String, _ order: String, _ limit: Int) throws
        -> [ForeignTask]
    {
        try desk.rows(
            """
            SELECT \(Self.columns) FROM procrastinate_jobs WHERE \(condition)
            ORDER BY \(order) LIMIT \(limit)
            """
        ).map(Self.task)
    }

    private static func task(_ row: JSONValue) -> ForeignTask {
        var display: ForeignTask.Display
        let due = row["due"]?.integer.map { Timestamp(milliseconds: $0) }
        switch row["status"]?.string {
        case "todo":
            display = row["held"]?.bool == true ? .held : due == nil ? .due : .delayed
            if row["skipped"]?.bool == true { display = .skipped }
            if display == .delayed, row["attempts"]?.integer ?? 0 > 0 { display = .retrying }
        case "doing", "aborting": display = .running
        case "succeeded": display = .succeeded
        case "failed", "aborted": display = .failed
        default: display = .cancelled
        }
        var task = ForeignTask(
            reference: row["id"]?.integer.map(String.init) ?? "?",
            queue: row["queue_name"]?.string ?? "", type: row["task_name"]?.string ?? "?",
            display: display)
        task.priority = row["priority"]?.integer
        task.attempts = row["attempts"]?.integer.map { Int(clamping: $0) }
        task.notBefore = due
        task.label = row["shown"]?.string
        return task
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        let queue = "queue_name = \(try SQLDesk.literal(query.queue))"
        let limit = query.limit + 1
        var found: [ForeignTask] = []
        let parts: [(TaskState.Name, String, String)] = [
            (.running, "status IN ('doing', 'aborting')", "id"),
            (.waiting, "status = 'todo'", "priority DESC, id"),
            (.failed, "status IN ('failed', 'aborted')", "id DESC"),
            (.succeeded, "status = 'succeeded'", "id DESC"),
            (.deleted, "status = 'cancelled'", "id DESC"),
        ]
        for (state, condition, order) in parts where found.count < limit {
            let isDefault = [.running, .waiting, .failed].contains(state)
            guard query.state == state || (query.state == nil && isDefault) else { continue }
            var whole = "\(queue) AND \(condition)"
            if let after = query.after, let id = Int64(after) {
                guard state == query.state ?? .waiting else { continue }
                whole +=
                    state == .waiting
                    ? """
                     AND (priority, -id) < (SELECT j.priority, -j.id FROM procrastinate_jobs j
                    WHERE j.id = \(id))
                    """ : order == "id" ? " AND id > \(id)" : " AND id < \(id)"
            }
            found += try tasks(whole, order, limit - found.count)
        }
        return ForeignPage(tasks: Array(found.prefix(query.limit)), more: found.count > query.limit)
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        guard let id = Int64(reference) else { return nil }
        guard var task = try tasks("id = \(id)", "id", 1).first,
            let row = try desk.rows(
                "SELECT args::text, lock, queueing_lock FROM procrastinate_jobs WHERE id = \(id)"
            ).first
        else { return nil }
        let bytes = Array((row["args"]?.string ?? "").utf8)
        let events = try desk.rows(
            """
            SELECT type::text, (extract(epoch FROM at) * 1000)::bigint AS at
            FROM procrastinate_events WHERE job_id = \(id) ORDER BY id
            """)
        var attempts: [ForeignAttempt] = []
        for event in events {
            let moment = event["at"]?.integer.map { Timestamp(milliseconds: $0) }
            switch event["type"]?.string {
            case "deferred": task.createdAt = moment
            case "started":
                var attempt = ForeignAttempt(number: attempts.count + 1)
                attempt.startedAt = moment
                attempts.append(attempt)
            case "succeeded", "failed", "deferred_for_retry", "aborted":
                guard let last = attempts.indices.last else { continue }
                attempts[last].endedAt = moment
                attempts[last].outcome = Self.outcomes[event["type"]?.string ?? ""]
            default: break
            }
        }
        var detail = ForeignDetail(
            task: task,
            payload: ForeignPayload(
                bytes: bytes, format: "json", value: try? JSONValue.parse(bytes)))
        detail.attempts = attempts
        for name in ["lock", "queueing_lock"] {
            if let value = row[name]?.string { detail.fields[name] = .string(value) }
        }
        return detail
    }

    static let outcomes = [
        "succeeded": "success", "failed": "giveUp", "deferred_for_retry": "retry",
        "aborted": "cancelled",
    ]

    func timers(limit: Int) throws -> [ForeignTimer] {
        try tasks(
            "status = 'todo' AND scheduled_at > now() AND scheduled_at < \(HoldByTime.heldFrom)",
            "scheduled_at", limit
        ).compactMap { task in task.notBefore.map { ForeignTimer(task: task, at: $0) } }
    }

    /// Its table of workers does not say which queues each serves.
    func runners() throws -> [ForeignRunner] {
        try desk.rows(
            """
            SELECT w.id, (extract(epoch FROM w.last_heartbeat) * 1000)::bigint AS heard,
            (SELECT json_agg(j.id) FROM procrastinate_jobs j
            WHERE j.worker_id = w.id AND j.status = 'doing') AS running
            FROM procrastinate_workers w ORDER BY w.id
            """
        ).map { row in
            var runner = ForeignRunner(
                name: row["id"]?.integer.map(String.init) ?? "?", queues: [])
            runner.heardAt = row["heard"]?.integer.map { Timestamp(milliseconds: $0) }
            runner.running = (row["running"]?.array ?? []).compactMap {
                $0.integer.map(String.init)
            }
            return runner
        }
    }
}
