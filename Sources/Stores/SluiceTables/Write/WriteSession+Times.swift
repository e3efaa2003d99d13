import SluiceModel
import SluiceStore

/// What a claim asks about the time, where a question is a way to a server: the first moments of
/// all queues are read before the first change, together with the beginning, and hold for the
/// commit as far as it gives no task an earlier one.
extension WriteSession {
    private enum SQL {
        static let ahead = Query(
            """
            SELECT (SELECT min(wakes_at) FROM sluice_task WHERE wakes_at IS NOT NULL),
                (SELECT min(expiring_at) FROM sluice_task WHERE expiring_at IS NOT NULL),
                CASE WHEN EXISTS (SELECT task FROM sluice_payload WHERE task > 0) THEN 1
                    ELSE 0 END,
                CASE WHEN EXISTS (SELECT task FROM sluice_result WHERE task > 0) THEN 1
                    ELSE 0 END,
                CASE WHEN EXISTS (SELECT task FROM sluice_origin WHERE task > 0) THEN 1
                    ELSE 0 END
            """)
    }

    /// The first moments at which a task wakes and expires.
    struct Ahead {
        var wake: Timestamp?
        var expiry: Timestamp?
    }

    /// Tasks that wake at a moment, by their queues.
    struct Due {
        var now: Timestamp
        var ids: [String: [TaskID]]
    }

    /// Whether something that a claim asks for may be answered here.
    private var looksAhead: Bool { connection.joinsRows }

    private static let dueLimit = 1000

    /// Whether no task has expired.
    func isNothingExpired(at now: Timestamp) throws -> Bool {
        asksTimes = true
        guard looksAhead else { return false }
        return try ahead().expiry.map { $0 > now } ?? true
    }

    func dueTasks(queue: String?, now: Timestamp, limit: Int) throws -> [QueueTask] {
        asksTimes = true
        guard looksAhead, let queue, let due = try due(at: now) else {
            return try storedTasksToWake(queue: queue, now: now, limit: limit)
        }
        guard let name = try self.queue(named: queue)?.name else { return [] }
        let tasks = try tasks(due.ids[name] ?? [])
        return Array(tasks.filter { $0.wakesAt.map { $0 <= now } ?? false }.prefix(limit))
    }

    /// Nil where there are too many.
    private func due(at now: Timestamp) throws -> Due? {
        if let due = memory.due, due.now == now { return due }
        var due = Due(now: now, ids: [:])
        if let wake = try ahead().wake, wake <= now {
            let tasks = try storedTasksToWake(queue: nil, now: now, limit: Self.dueLimit)
            if tasks.count == Self.dueLimit { return nil }
            for task in tasks { due.ids[task.queue, default: []].append(task.id) }
        }
        memory.due = due
        return due
    }

    private func ahead() throws -> Ahead {
        if let known = memory.ahead { return known }
        let row = try connection.prepare(SQL.ahead)
        defer { row.reset() }
        var ahead = Ahead()
        if try row.next() {
            ahead = Ahead(wake: row.optionalMoment(0), expiry: row.optionalMoment(1))
            memory.hasPayloads = memory.hasPayloads ?? (row.integer(2) != 0)
            memory.hasOrigins = memory.hasOrigins ?? (row.integer(4) != 0)
            memory.hasResults = memory.hasResults ?? (row.integer(3) != 0)
        }
        memory.ahead = ahead
        return ahead
    }

    /// Tasks are about to change: what a claim will ask is asked before, where claims are made.
    func lookAhead() throws {
        if looksAhead, asksTimes, memory.ahead == nil { _ = try ahead() }
    }

    /// A task stands in the tables with these times from now on.
    func noteTimes(of task: QueueTask) {
        guard looksAhead, task.wakesAt != nil || task.expiresAt != nil else { return }
        (memory.ahead, memory.due) = (nil, nil)
    }
}
