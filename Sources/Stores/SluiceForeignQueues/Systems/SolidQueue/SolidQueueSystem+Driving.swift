import SluiceModel
import SluicePlatform

extension SolidQueueSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        let former = try pauses()
        guard former.holds[queue] == nil else {
            throw QueueError.heldAlready(queue)
        }
        let names = try [queue, Self.noted(queue, note)].map { try SQLSession.literal($0) }
        // Delete a note of a hold with an ended pause.
        try session.change(
            """
            DELETE FROM solid_queue_pauses p WHERE \(Self.isNote("p.queue_name", of: queue));
            INSERT INTO solid_queue_pauses (queue_name, created_at)
            VALUES (\(names[0]), now()), (\(names[1]), now()) ON CONFLICT DO NOTHING
            """)
        let count = try queues().first { $0.name.isSame(as: queue) }?.held ?? 0
        var consequences = ["\(count) wait; it is Solid Queue's own pause"]
        if former.own[queue] != nil {
            consequences.append("it was paused already: resume ends that too")
        }
        return ForeignAnswer(consequences: consequences)
    }

    /// Ends the queue's pause, including one that Sluice did not begin. Returns the task of an
    /// interrupted step.
    func release(_ queue: String) throws -> ForeignAnswer {
        let found = try pauses()
        guard found.holds[queue] != nil || found.own[queue] != nil else {
            throw QueueError.notHeld(queue)
        }
        let count = try queues().first { $0.name.isSame(as: queue) }?.held ?? 0
        let name = try SQLSession.literal(queue)
        try session.change(
            """
            UPDATE solid_queue_ready_executions SET queue_name = \(name)
            WHERE queue_name = \(try SQLSession.literal(queue + Self.stepMark));
            DELETE FROM solid_queue_pauses p WHERE p.queue_name = \(name)
            OR \(Self.isNote("p.queue_name", of: queue))
            """)
        return ForeignAnswer(consequences: ["\(count) given back to \(queue)"])
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard try pauses().holds[queue] != nil else {
            throw QueueError.notHeldYet(queue)
        }
        guard let found = try rows.steppable(queue, task),
            let id = rows.identifier(found.reference)
        else { return nil }
        let side = try sideQueue(of: queue)
        let began = SystemClock.monotonicMilliseconds()
        let (from, to) = (try SQLSession.literal(queue), try SQLSession.literal(side))
        // Put the row before the other rows of that queue.
        try session.change(
            SQLSession.requireRow(
                """
                UPDATE solid_queue_ready_executions SET queue_name = \(to), priority = -2147483648
                WHERE job_id = \(id) AND queue_name = \(from)
                """))
        let priority = found.priority ?? 0
        var step = try rows.followed(found, id, began, limits) {
            try self.session.value(
                of: """
                    UPDATE solid_queue_ready_executions SET queue_name = \(from),
                    priority = \(priority) WHERE job_id = \(id) AND queue_name = \(to)
                    RETURNING 1
                    """) == "1"
        }
        if step.outcome == "success", try isTriedAgain(id) { step.outcome = "retry" }
        return step
    }

    /// Active Job tries again by another job of the same number.
    private func isTriedAgain(_ id: String) throws -> Bool {
        try !session.rows(
            """
            SELECT y.id FROM solid_queue_jobs x JOIN solid_queue_jobs y
            ON y.active_job_id = x.active_job_id AND y.id > x.id WHERE x.id = \(id) LIMIT 1
            """
        ).isEmpty
    }

    /// A name that some worker of a queue serves too, and whose rows it takes.
    private func sideQueue(of queue: String) throws -> String {
        let lists = try workers().map(\.lists).filter { list in
            list.contains { Self.serves($0, queue) }
        }
        guard !lists.isEmpty else {
            throw QueueError.notLegal(
                "no worker of Solid Queue serves \(queue)",
                fix: "sluice runners shows the workers")
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
