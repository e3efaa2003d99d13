import SluiceModel
import SluiceSystem

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

extension SolidQueueSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        rows.forget()
        let former = try pauses()
        guard former.holds[queue] == nil else { throw QueueError.heldAlready(queue) }
        let name = try noteName(queue, note)
        try session.transaction {
            try forgetNotes(of: queue)
            try pause(queue)
            try pause(name)
        }
        let count = try queues().first { $0.name.isSame(as: queue) }?.held ?? 0
        var consequences = ["\(count) wait; it is Solid Queue's own pause"]
        if former.own[queue] != nil {
            consequences.append("it was paused already: resume ends that too")
        }
        return ForeignAnswer(consequences: consequences)
    }

    /// The name of the pause with the note: without the reason if the column is too short for it.
    private func noteName(_ queue: String, _ note: HoldNote) throws -> String {
        let room = try session.room(in: "queue_name", of: "solid_queue_pauses") ?? Int.max
        var short = note
        short.reason = nil
        let names = [note, short].map { Self.noted(queue, $0) }
        guard let name = names.first(where: { $0.unicodeScalars.count <= room }) else {
            throw QueueError.notLegal("the name of the queue is too long to be held")
        }
        return name
    }

    /// Pauses a name, if it is not paused.
    func pause(_ name: String) throws {
        let (ignore, conflict) =
            dialect == .mariadb ? ("IGNORE ", "") : ("", " ON CONFLICT DO NOTHING")
        _ = try session.changed(
            "INSERT \(ignore)INTO solid_queue_pauses (queue_name, created_at) "
                + "VALUES (\(try dialect.literal(name)), \(dialect.now(.date)))\(conflict)")
    }

    func unpause(_ name: String) throws {
        _ = try session.changed(
            "DELETE FROM solid_queue_pauses WHERE queue_name = \(try dialect.literal(name))")
    }

    private func forgetNotes(of queue: String) throws {
        for row in try session.rows("SELECT queue_name FROM solid_queue_pauses") {
            guard let name = row["queue_name"]?.string,
                Self.note(name)?.queue.isSame(as: queue) == true
            else { continue }
            try unpause(name)
        }
    }

    /// Ends the queue's pause, including one that Sluice did not begin. Returns the task of an
    /// interrupted step.
    func release(_ queue: String) throws -> ForeignAnswer {
        rows.forget()
        let found = try pauses()
        guard found.holds[queue] != nil || found.own[queue] != nil else {
            throw QueueError.notHeld(queue)
        }
        let count = try queues().first { $0.name.isSame(as: queue) }?.held ?? 0
        try session.transaction {
            let names = try [queue, queue + Self.stepMark].map { try dialect.literal($0) }
            _ = try session.changed(
                """
                UPDATE solid_queue_ready_executions SET queue_name = \(names[0])
                WHERE queue_name = \(names[1])
                """)
            try unpause(queue)
            try forgetNotes(of: queue)
        }
        rows.forget()
        return ForeignAnswer(consequences: ["\(count) given back to \(queue)"])
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        rows.forget()
        guard try pauses().holds[queue] != nil else { throw QueueError.notHeldYet(queue) }
        guard let row = try rows.steppable(queue, task) else { return nil }
        let content = rows.table.read(row)
        let found = rows.task(row, content)
        guard let id = rows.identifier(found.reference) else { return nil }
        let side = try sideQueue(of: queue)
        let began = SystemClock.monotonicMilliseconds()
        let (from, to) = (try dialect.literal(queue), try dialect.literal(side))
        // Put the row before the other rows of that queue.
        try session.transaction {
            try session.changeOne(
                """
                UPDATE solid_queue_ready_executions SET queue_name = \(to), priority = -2147483648
                WHERE job_id = \(id) AND queue_name = \(from)
                """)
        }
        var step = try rows.followed(found, content, began, limits) {
            try session.transaction {
                try session.changed(
                    """
                    UPDATE solid_queue_ready_executions SET queue_name = \(from),
                    priority = \(found.priority ?? 0) WHERE job_id = \(id) AND queue_name = \(to)
                    """) == 1
            }
        }
        if step.outcome == "success", try isTriedAgain(id) { step.outcome = "retry" }
        return step
    }

    /// Active Job tries again by another job of the same number.
    private func isTriedAgain(_ id: String) throws -> Bool {
        try session.first(
            """
            SELECT y.id FROM solid_queue_jobs x JOIN solid_queue_jobs y
            ON y.active_job_id = x.active_job_id AND y.id > x.id WHERE x.id = \(id) LIMIT 1
            """) != nil
    }

    /// The time after which Solid Queue's supervisor takes a silent process for dead.
    private static let aliveMilliseconds: Int64 = 300_000

    /// Fails the job of a dead worker, as Solid Queue's supervisor does.
    func reclaim(_ reference: String) throws -> ForeignAnswer {
        rows.forget()
        let detail = try require(reference)
        try check(.reclaim, on: detail.task)
        let holder = try holder(of: detail)
        try checkSilence(of: holder, with: reference, for: Self.aliveMilliseconds)
        let error: JSONValue = [
            "exception_class": "SolidQueue::Processes::ProcessPrunedError",
            "message": .string(
                "reclaimed: its worker was silent since "
                    + "\(holder?.heardAt.map { TimeText.rfc3339($0) } ?? "an unknown time")"),
            "backtrace": [],
        ]
        try session.transaction {
            guard let image = try rows.identifier(reference).flatMap(image),
                image.place == .claimed
            else { throw QueueError.changedMeanwhile }
            try session.changeOne(
                "DELETE FROM \(SolidQueuePlace.claimed.table) WHERE job_id = \(image.id)")
            try session.changeOne(
                """
                INSERT INTO \(SolidQueuePlace.failed.table) (job_id, error, created_at)
                VALUES (\(image.id), \(try dialect.literal(error.text)), \(dialect.now(.date)))
                """)
            try giveBack(image)
        }
        return ForeignAnswer(
            changed: [reference],
            consequences: ["it has failed, as by Solid Queue's supervisor; retry brings it back"])
    }

    /// A name that some worker of a queue serves too, and whose rows it takes.
    private func sideQueue(of queue: String) throws -> String {
        let lists = try workers().map(\.lists).filter { list in
            list.contains { Self.serves($0, queue) }
        }
        guard !lists.isEmpty else {
            throw QueueError.notLegal(
                "no worker of Solid Queue serves \(queue)",
                fix: "sluice workers shows the workers")
        }
        let side = queue + Self.stepMark
        if lists.contains(where: { $0.contains { Self.serves($0, side) } }) { return side }
        let paused = try pauses().own
        let others = lists.joined().filter { !$0.contains("*") && $0 != queue }
        if let other = others.first(where: { paused[$0] == nil }) { return other }
        throw QueueError.notLegal(
            "its workers serve \(queue) by its name alone, so no other name lets one task through",
            fix: "let a worker serve \"\(queue)*\" or \"*\" too")
    }
}
