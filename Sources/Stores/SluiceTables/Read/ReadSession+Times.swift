import SluiceModel
import SluiceStore

/// Timers, expiry, freshness and ends, each by its index.
extension ReadSession {
    private enum SQL {
        static let wake = TaskColumns.select(
            "FROM sluice_task t WHERE t.wakes_at <= ? ORDER BY t.wakes_at, t.id LIMIT ?")
        static let queueWake = TaskColumns.select(
            """
            FROM sluice_task t WHERE t.queue = ? AND t.wakes_at <= ?
            ORDER BY t.wakes_at, t.id LIMIT ?
            """)
        static let timersAt = TaskColumns.select(
            "FROM sluice_task t WHERE t.wakes_at = ? AND t.id > ? ORDER BY t.id LIMIT ?")
        static let timersAfter = TaskColumns.select(
            "FROM sluice_task t WHERE t.wakes_at > ? ORDER BY t.wakes_at, t.id LIMIT ?")
        static let queueTimersAt = TaskColumns.select(
            """
            FROM sluice_task t WHERE t.queue = ? AND t.wakes_at = ? AND t.id > ?
            ORDER BY t.id LIMIT ?
            """)
        static let queueTimersAfter = TaskColumns.select(
            """
            FROM sluice_task t WHERE t.queue = ? AND t.wakes_at > ?
            ORDER BY t.wakes_at, t.id LIMIT ?
            """)
        static let expire = TaskColumns.select(
            "FROM sluice_task t WHERE t.expiring_at <= ? ORDER BY t.expiring_at, t.id LIMIT ?")
        static let nextExpiry = Query(
            "SELECT min(expiring_at) FROM sluice_task WHERE expiring_at IS NOT NULL")
        static let fresh = Query(
            """
            SELECT count(*), min(fresh_at) FROM (
                SELECT fresh_at FROM sluice_task
                WHERE queue = ? AND state = 0 AND fresh_at > 0 AND fresh_at >= ?
                    AND fresh_at <= ?
                ORDER BY fresh_at LIMIT ?) AS fresh
            """)
        static let ended = Query(
            """
            SELECT id FROM sluice_task WHERE queue = ? AND lane = ? AND rank > ?
            ORDER BY rank DESC LIMIT ?
            """)
    }

    func storedTasksToWake(
        queue: String?, now: Timestamp, limit: Int
    ) throws(QueueError) -> [QueueTask] {
        let due = try timed(SQL.wake, SQL.queueWake, queue: queue) { row in
            row.bind(now)
            row.bind(limit)
        }
        return try trusted(due, dueBy: now, \.wakesAt)
    }

    package func timers(queue: String?, after: TimerCursor?, limit: Int) throws -> [QueueTask] {
        var found: [QueueTask] = []
        if let after {
            found = try timed(SQL.timersAt, SQL.queueTimersAt, queue: queue) { row in
                row.bind(after.at)
                row.bind(after.id)
                row.bind(limit)
            }
        }
        guard found.count < limit else { return found }
        return try found
            + timed(SQL.timersAfter, SQL.queueTimersAfter, queue: queue) { row in
                row.bind(after?.at.milliseconds ?? .min)
                row.bind(limit - found.count)
            }
    }

    private func timed(
        _ ofAll: Query, _ ofQueue: Query, queue: String?, _ bind: (any BoundStatement) -> Void
    ) throws(QueueError) -> [QueueTask] {
        var queueID: Int64?
        if let queue {
            guard let entry = try entry(queue) else { return [] }
            queueID = entry.id
        }
        let row = try connection.prepare(queueID == nil ? ofAll : ofQueue)
        defer { row.reset() }
        if let queueID { row.bind(queueID) }
        bind(row)
        return try tasks(of: row)
    }

    func storedTasksToExpire(now: Timestamp, limit: Int) throws(QueueError) -> [QueueTask] {
        let row = try connection.prepare(SQL.expire)
        defer { row.reset() }
        row.bind(now)
        row.bind(limit)
        return try trusted(tasks(of: row), dueBy: now, \.expiresAt)
    }

    package func nextExpiry() throws -> Timestamp? {
        let row = try connection.prepare(SQL.nextExpiry)
        defer { row.reset() }
        return try row.next() ? row.optionalMoment(0) : nil
    }

    package func fresh(queue: String, since: Timestamp?, now: Timestamp, limit: Int) throws
        -> FreshTasks
    {
        guard let queue = try entry(queue), case .batched = queue.record.settings.start
        else { return FreshTasks(count: 0, first: nil) }
        let row = try connection.prepare(SQL.fresh)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(since?.milliseconds ?? .min)
        row.bind(now)
        row.bind(limit)
        guard try row.next() else { return FreshTasks(count: 0, first: nil) }
        return FreshTasks(count: row.int(0), first: row.optionalMoment(1))
    }

    package func endedTasks(
        queue: String, state: TaskState.Name, before moment: Timestamp, limit: Int
    )
        throws -> [TaskID]
    {
        guard state != .waiting, state != .running, let queue = try entry(queue) else { return [] }
        let row = try connection.prepare(SQL.ended)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(Shelf.number(of: state))
        // Newest first, so what ended before the moment stands behind its last key.
        row.bind(OrderKey(moment: moment, id: .min, isNewestFirst: true).bytes)
        row.bind(limit)
        var found: [TaskID] = []
        while try row.next() { found.append(row.integer(0)) }
        return found
    }
}
