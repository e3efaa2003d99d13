import SluiceModel

extension SolidQueueSystem {
    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard let id = rows.identifier(detail.task.reference) else { return nil }
        return try session.rows(
            """
            SELECT concat('its concurrency key ', to_json(b.concurrency_key), ' is taken',
            (SELECT concat(' by #', min(k.id)) FROM solid_queue_jobs k
                WHERE k.concurrency_key = b.concurrency_key AND k.finished_at IS NULL
                AND (EXISTS (SELECT 1 FROM solid_queue_claimed_executions e WHERE e.job_id = k.id)
                OR EXISTS (SELECT 1 FROM solid_queue_ready_executions e WHERE e.job_id = k.id))
                HAVING count(*) > 0)) AS reason
            FROM solid_queue_blocked_executions b WHERE b.job_id = \(id)
            UNION ALL SELECT 'its time has come, and no dispatcher of Solid Queue is there'
            FROM solid_queue_scheduled_executions s WHERE s.job_id = \(id)
            AND s.scheduled_at <= now() AND NOT EXISTS (
                SELECT 1 FROM solid_queue_processes p WHERE p.kind = 'Dispatcher')
            """
        ).first?["reason"]?.string
    }

    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let detail = try require(reference)
        try check(change.verb, on: detail.task)
        guard let id = rows.identifier(reference) else { throw QueueError.notLegal("it has no id") }
        let plan = try plan(change, detail, SolidQueueText(id: id, queue: detail.task.queue))
        try perform(id, plan, change.verb, author)
        return ForeignAnswer(changed: [reference], consequences: plan.consequences)
    }

    /// The statements of a change, and the tables that may contain its task.
    private struct Plan {
        var places: [JobTable.SolidPlace]
        var statements: String
        var consequences: [String] = []
    }

    private func plan(
        _ change: ForeignChange, _ detail: ForeignDetail, _ text: SolidQueueText
    ) throws -> Plan {
        switch change {
        case .skip:
            return Plan(
                places: [.ready], statements: try text.skipping(),
                consequences: ["it is set aside until it is unskipped"])
        case .unskip:
            return Plan(places: [.ready], statements: try text.unskipping())
        case .delete:
            return Plan(
                places: [.ready, .scheduled, .blocked, .failed], statements: try text.deleting())
        case .retry:
            return Plan(
                places: [.failed, .scheduled], statements: text.retrying,
                consequences: ["the dispatcher of Solid Queue brings it, usually within a second"])
        case .edit(let value): return try editing(value, text)
        case .postpone(let moment): return try postponing(moment, text)
        case .priority(let number):
            return Plan(
                places: [.ready, .scheduled, .blocked],
                statements: text.prioritising(Int32(clamping: number)))
        case .move(let place):
            return Plan(
                places: [.ready], statements: try text.moving(place),
                consequences: ["its place is made by its priority"])
        }
    }

    private func editing(_ value: JSONValue, _ text: SolidQueueText) throws -> Plan {
        guard value.object != nil else {
            throw QueueError(
                .badValue, "the payload is no object",
                fix: "give all of it, as sluice show has it")
        }
        return Plan(
            places: [.ready, .scheduled, .blocked, .failed],
            statements: text.setting("arguments = \(try SQLSession.literal(value.text))"))
    }

    private func postponing(
        _ moment: Timestamp, _ text: SolidQueueText
    ) throws -> Plan {
        return Plan(
            places: [.ready, .scheduled], statements: text.postponing(try SQLSession.moment(moment))
        )
    }

    private func perform(
        _ id: String, _ plan: Plan, _ verb: ForeignVerb, _ author: ForeignAuthor
    ) throws {
        let kinds = plan.places.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try session.change(
            """
            \(TableSystem.undoTable);
            \(SolidQueueText.locking(id));
            \(SQLSession.requireRow(
                """
                INSERT INTO sluice_undo (person, verb, task, before, system, deed)
                SELECT \(try SQLSession.literal(author.person)), '\(verb.rawValue)', j.id::text,
                jsonb_build_object('job', to_jsonb(j), 'place', \(SolidQueueText.place("j.id"))),
                '\(name)', \(try SQLSession.literal(author.deed ?? ""))
                FROM solid_queue_jobs j WHERE j.id = \(id)
                AND (\(SolidQueueText.place("j.id")))->>'kind' IN (\(kinds)) FOR UPDATE
                """));
            \(plan.statements);
            UPDATE sluice_undo SET after_status = \(SolidQueueText.version(id))
            WHERE number = currval('sluice_undo_number_seq')
            """)
    }

    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        guard let found = try rows.lastChange(by: author) else { return nil }
        let queue = try session.rows(
            """
            SELECT before->'job'->>'queue_name' AS queue FROM sluice_undo
            WHERE number = \(found.number)
            """
        ).first?["queue"]?.string
        guard let id = rows.identifier(found.undone.task), let queue else { return nil }
        let text = SolidQueueText(id: id, queue: queue)
        return try rows.revert(
            found, "\(SolidQueueText.locking(id)); \(try text.restoring(found.number))")
    }
}
