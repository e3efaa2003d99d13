import SluiceModel
import SluicePlatform

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
