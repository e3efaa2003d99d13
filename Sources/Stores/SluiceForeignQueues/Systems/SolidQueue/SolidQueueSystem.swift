import SluiceModel

/// Solid Queue. A hold is Solid Queue's own pause, which stops every worker for that queue name. A
/// step renames the queue in one task's row to a name that the workers also serve. The job keeps
/// its queue name, so a retry is held again.
final class SolidQueueSystem: ForeignSystem {
    /// The generic reader of its tables.
    let rows: RowSystem
    var session: any RowSession { rows.session }
    var dialect: RowDialect { rows.dialect }
    var name: String { rows.name }
    var title: String { rows.title }

    init(_ rows: RowSystem) { self.rows = rows }

    /// Suffixes of a queue name for skipped and stepped tasks.
    static let skipMark = "~sluice-skipped"
    static let stepMark = "~sluice-step"
    /// A pause of an unused name: it records the holder of a queue.
    private static let noteMark = "sluice holds "

    let listsEmptyQueues = false
    let listsRunners = true

    func page(_ query: ForeignQuery) throws -> ForeignPage { try rows.page(query) }
    func stamp() throws -> String? { try rows.stamp() }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let found = try rows.found(
            RowTable.lies(in: .scheduled), order: "@scheduled_at", limit: limit)
        return ForeignTimer.first(limit, of: found.map(rows.task))
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        guard var detail = try rows.detail(reference) else { return nil }
        if let id = rows.identifier(reference) { detail.attempts = try executions(of: id) }
        return detail
    }

    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        try rows.details(of: tasks)
    }

    /// The ended executions of a job, oldest first. For a retry, Active Job enqueues another job
    /// with the same Active Job id.
    private func executions(of id: String) throws -> [ForeignAttempt] {
        let found = try session.rows(
            """
            SELECT coalesce(x.finished_at, f.created_at) AS ended, f.error AS error,
            CASE WHEN f.id IS NOT NULL THEN 'giveUp'
                WHEN EXISTS (SELECT 1 FROM solid_queue_jobs y
                    WHERE y.active_job_id = x.active_job_id AND y.id > x.id) THEN 'retry'
                ELSE 'success' END AS outcome
            FROM solid_queue_jobs x LEFT JOIN solid_queue_failed_executions f ON f.job_id = x.id
            WHERE (x.id = \(id) OR x.active_job_id = (
                SELECT o.active_job_id FROM solid_queue_jobs o WHERE o.id = \(id)))
            AND (x.finished_at IS NOT NULL OR f.id IS NOT NULL) ORDER BY x.id
            """)
        return found.enumerated().map { place, row in
            var attempt = ForeignAttempt(number: place + 1)
            attempt.endedAt = RowClock.date.moment(row["ended"])
            attempt.outcome = row["outcome"]?.string
            attempt.error = row["error"]?.string
            return attempt
        }
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display.state == .running,
            let id = rows.identifier(detail.task.reference)
        else { return nil }
        return try session.first(
            """
            SELECT p.name AS worker, e.created_at AS since, p.last_heartbeat_at AS heard
            FROM solid_queue_claimed_executions e LEFT JOIN solid_queue_processes p
            ON p.id = e.process_id WHERE e.job_id = \(id)
            """
        ).map { row in
            ForeignHolder(
                worker: row["worker"]?.string ?? "none",
                since: RowClock.date.moment(row["since"]),
                heardAt: RowClock.date.moment(row["heard"]),
                advice: "Solid Queue's supervisor fails it when the process is silent for 5 minutes"
            )
        }
    }

    func queues() throws -> [ForeignQueue] {
        var queues = try rows.queues()
        let pauses = try pauses()
        for name in pauses.holds.texts where !queues.contains(where: { $0.name.isSame(as: name) }) {
            queues.append(ForeignQueue(name: name, system: self.name))
        }
        for index in queues.indices { Self.stop(&queues[index], by: pauses) }
        return queues.sorted { $0.name.precedes($1.name) }
    }

    func stops(of queue: String) throws -> ForeignQueue? {
        var found = ForeignQueue(name: queue, system: name)
        Self.stop(&found, by: try pauses())
        return found
    }

    private static func stop(
        _ queue: inout ForeignQueue,
        by pauses: (holds: [ExactText: ForeignHold], own: [ExactText: Timestamp])
    ) {
        queue.hold = pauses.holds[queue.name]
        guard let since = pauses.own[queue.name], queue.hold == nil else { return }
        queue.ownPause = "since \(TimeText.rfc3339(since))"
    }

    /// The holds from here, and every pause with its moment.
    func pauses() throws -> (holds: [ExactText: ForeignHold], own: [ExactText: Timestamp]) {
        var holds: [ExactText: ForeignHold] = [:]
        var own: [ExactText: Timestamp] = [:]
        for row in try session.rows("SELECT queue_name, created_at FROM solid_queue_pauses") {
            guard let text = row["queue_name"]?.string else { continue }
            own[text] =
                RowClock.date.moment(row["created_at"]) ?? Timestamp(milliseconds: 0)
            guard let (queue, note) = Self.note(text) else { continue }
            holds[queue] = ForeignHold(note: note, recipe: "its own pause")
        }
        // A hold whose pause was ended from outside has ended too.
        return (holds.filter { own[$0.key] != nil }, own)
    }

    /// The name of a pause that records a hold.
    static func noted(_ queue: String, _ note: HoldNote) -> String {
        let words: JSONValue = [
            "queue": .string(queue), "by": .string(note.by),
            "since": .integer(note.since.milliseconds), "reason": JSONValue(note.reason),
        ]
        return noteMark + words.text
    }

    /// The hold that the name of a pause records; nil for the pause of a queue.
    static func note(_ name: String) -> (queue: String, note: HoldNote)? {
        guard name.hasPrefix(noteMark),
            let words = try? JSONValue.parse(String(name.dropFirst(noteMark.count))),
            let queue = words["queue"]?.string, let by = words["by"]?.string,
            let since = words["since"]?.integer
        else { return nil }
        return (
            queue,
            HoldNote(
                by: by, since: Timestamp(milliseconds: since), reason: words["reason"]?.string)
        )
    }
}
