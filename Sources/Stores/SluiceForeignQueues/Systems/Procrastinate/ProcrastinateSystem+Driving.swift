import SluiceModel
import SluicePlatform

extension ProcrastinateSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        let mine = try desk.rows(
            """
            SELECT has_table_privilege('procrastinate_jobs', 'TRIGGER') AS trigger,
            has_table_privilege('procrastinate_jobs', 'UPDATE') AS change,
            has_schema_privilege(current_schema(), 'CREATE') AS make
            """
        ).first
        guard mine?["trigger"]?.bool == true, mine?["change"]?.bool == true,
            mine?["make"]?.bool == true
        else {
            throw QueueError.notLegal(
                "arrivals would leak: this role may make no trigger on procrastinate_jobs",
                fix: "ask as the owner of the table")
        }
        guard try hold.holds(desk)[queue] == nil else {
            throw QueueError.notLegal(
                "\(queue) is held already",
                fix: "sluice \(ShellWord.command("resume", queue)) ends that")
        }
        try desk.change(try hold.beginning(queue, note))
        let count = try queues().first { $0.name == queue }?.held ?? 0
        return ForeignAnswer(consequences: [
            "\(count) waiting aside: their scheduled_at is 4,000 years later",
            "each hold and release of a job writes an event \"scheduled\"; a held job with a lock "
                + "holds later ones of that lock",
        ])
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        guard let found = try queues().first(where: { $0.name == queue }), found.hold != nil else {
            throw QueueError.notLegal("\(queue) is not held", fix: "sluice queues shows what is")
        }
        try desk.change(try hold.ending(queue) + "; \(try notifying(queue, task: 0))")
        return ForeignAnswer(consequences: ["\(found.held) given back to \(queue)"])
    }

    /// Wakes the workers of a queue, as the system's own trigger does.
    private func notifying(_ queue: String, task: Int64) throws -> String {
        let payload = try SQLDesk.literal("{\"type\": \"job_inserted\", \"job_id\": \(task)}")
        let channel = try SQLDesk.literal("procrastinate_queue_v1#\(queue)")
        return """
            SELECT pg_notify(\(channel), \(payload));
            SELECT pg_notify('procrastinate_any_queue_v1', \(payload))
            """
    }

    func step(_ queue: String, task: String?, patience: StepPatience) throws -> ForeignStep? {
        guard try hold.holds(desk)[queue] != nil else {
            throw QueueError.notLegal(
                "\(queue) is not held", fix: "sluice \(ShellWord.command("pause", queue)) first")
        }
        guard let found = try steppable(queue, task), let id = Int64(found.reference) else {
            return nil
        }
        let began = SystemClock.monotonicMilliseconds()
        try desk.change(
            """
            SELECT set_config('sluice.release', '1', true);
            \(SQLDesk.must(
                """
                UPDATE procrastinate_jobs SET scheduled_at = NULL
                WHERE id = \(id) AND status = 'todo' AND \(Self.isHeld)
                """));
            \(try notifying(queue, task: id))
            """)
        return try followed(found, id, began, patience)
    }

    private func steppable(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        if let reference {
            guard let task = try detail(reference)?.task, task.queue == queue else { return nil }
            guard task.display == .held else {
                throw QueueError.notLegal("task \(reference) is not among what is held")
            }
            return task
        }
        let page = try page(ForeignQuery(queue: queue, state: .waiting, limit: 200))
        return page.tasks.first { $0.display == .held }
    }

    private func followed(
        _ task: ForeignTask, _ id: Int64, _ began: Int64, _ patience: StepPatience
    ) throws -> ForeignStep {
        var pause = 2
        while true {
            let row = try desk.rows(
                """
                SELECT status::text, (\(Self.isHeld)) AS held, attempts FROM procrastinate_jobs
                WHERE id = \(id)
                """
            ).first
            let spent = SystemClock.monotonicMilliseconds() - began
            func step(_ outcome: String?, _ note: String? = nil) -> ForeignStep {
                var step = ForeignStep(
                    task: task, outcome: outcome, error: nil, milliseconds: spent)
                step.note = note
                return step
            }
            switch row?["status"]?.string {
            // Its worker may delete it when it has ended.
            case nil: return step(nil, "it has run and is gone")
            case "todo":
                if row?["held"]?.bool == true { return step("retry") }
                if spent >= patience.takeMilliseconds {
                    try bringBack(task, id)
                    throw QueueError.notLegal(
                        "no worker of \(task.queue) took \(id); it waits in its place",
                        fix: "sluice runners shows the workers")
                }
            case "doing", "aborting":
                if spent >= patience.endMilliseconds {
                    return step(nil, "a worker took it; it has not ended yet")
                }
            case let status?: return step(Self.outcomes[status] ?? status)
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pause)
            pause = min(pause * 2, 100)
        }
    }

    /// Out of reach again, by the trigger.
    private func bringBack(_ task: ForeignTask, _ id: Int64) throws {
        let time =
            try task.notBefore.map { try SQLDesk.literal(TimeText.rfc3339($0)) + "::timestamptz" }
            ?? "NULL"
        try desk.change(
            SQLDesk.must(
                """
                UPDATE procrastinate_jobs SET scheduled_at = \(time)
                WHERE id = \(id) AND status = 'todo'
                """))
    }

    func refusal(of verb: ForeignVerb) -> String? {
        verb == .move
            ? "Procrastinate orders by priority and then by number; sluice priority changes it"
            : nil
    }

    func change(
        _ reference: String, _ change: ForeignChange, by person: String
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let task = try require(reference).task
        guard let id = Int64(reference) else { throw QueueError.notLegal("it has no number") }
        let (assignment, consequences) = try assignment(change, task)
        let state = change == .retry ? "('todo', 'failed', 'cancelled', 'aborted')" : "('todo')"
        try perform(id, assignment, state, verb: change.verb, person)
        if change == .retry {
            try desk.change(try notifying(task.queue, task: id))
        }
        return ForeignAnswer(changed: [reference], consequences: consequences)
    }

    /// What a change sets in the row of its job.
    private func assignment(
        _ change: ForeignChange, _ task: ForeignTask
    ) throws -> (String, [String]) {
        let assignment: String
        switch change {
        case .skip:
            guard task.display != .skipped else {
                throw QueueError.notLegal("it is skipped already", fix: "sluice unskip")
            }
            let base = try task.notBefore.map {
                try SQLDesk.literal(TimeText.rfc3339($0)) + "::timestamptz"
            }
            assignment =
                "scheduled_at = "
                + HoldByTime.away(
                    base ?? "NULL::timestamptz", from: HoldByTime.skippedFrom, years: 7000)
            return (assignment, ["it is due 7,000 years later until it is taken in"])
        case .unskip:
            guard task.display == .skipped else { throw QueueError.notLegal("it is not skipped") }
            assignment =
                "scheduled_at = "
                + HoldByTime.back("scheduled_at", from: HoldByTime.skippedFrom, years: 7000)
        case .delete: assignment = "status = 'cancelled'"
        case .retry:
            guard [.failed, .delayed, .retrying, .cancelled].contains(task.display) else {
                throw QueueError.notLegal("it has not failed and waits for no time")
            }
            assignment = "status = 'todo', scheduled_at = NULL"
        case .edit(let value):
            guard value.object != nil else {
                throw QueueError(
                    .badValue, "the payload is no object", fix: "Procrastinate's args are named")
            }
            assignment = "args = \(try SQLDesk.literal(value.text))::jsonb"
        case .postpone(let moment):
            assignment =
                "scheduled_at = \(try SQLDesk.literal(TimeText.rfc3339(moment)))::timestamptz"
        case .priority(let number): assignment = "priority = \(Int32(clamping: number))"
        case .move: throw QueueError.notLegal("move is not possible")
        }
        return (assignment, [])
    }

    private func perform(
        _ id: Int64, _ assignment: String, _ states: String, verb: ForeignVerb, _ person: String
    ) throws {
        try desk.change(
            """
            CREATE TABLE IF NOT EXISTS sluice_undo (number bigserial PRIMARY KEY, person text,
            verb text, task bigint, before jsonb, after_status text);
            \(SQLDesk.must(
                """
                INSERT INTO sluice_undo (person, verb, task, before)
                SELECT \(try SQLDesk.literal(person)), '\(verb.rawValue)', id,
                to_jsonb(procrastinate_jobs)
                FROM procrastinate_jobs WHERE id = \(id) AND status IN \(states) FOR UPDATE
                """));
            UPDATE procrastinate_jobs SET \(assignment) WHERE id = \(id);
            UPDATE sluice_undo SET after_status = j.status::text FROM procrastinate_jobs j
            WHERE j.id = \(id) AND number = currval('sluice_undo_number_seq')
            """)
    }

    func undo(by person: String) throws -> ForeignAnswer? {
        guard
            try desk.rows("SELECT to_regclass('sluice_undo')::text AS t").first?["t"]?.string
                != nil
        else { return nil }
        let rows = try desk.rows(
            """
            SELECT number, verb, task, before->>'queue_name' AS queue FROM sluice_undo
            WHERE person = \(try SQLDesk.literal(person)) ORDER BY number DESC LIMIT 1
            """)
        guard let row = rows.first, let number = row["number"]?.integer,
            let task = row["task"]?.integer
        else { return nil }
        // What was held then has its own time again where its queue is not held any more.
        let isHeld = try hold.holds(desk)[row["queue"]?.string ?? ""] != nil
        let own = HoldByTime.back("b.scheduled_at", from: HoldByTime.heldFrom, years: 4000)
        let wasHeld = """
            b.scheduled_at >= \(HoldByTime.heldFrom) AND b.scheduled_at < \(HoldByTime.skippedFrom)
            """
        let time =
            isHeld ? "b.scheduled_at" : "CASE WHEN \(wasHeld) THEN \(own) ELSE b.scheduled_at END"
        try desk.change(
            """
            \(SQLDesk.must(
                """
                UPDATE procrastinate_jobs j SET status = b.status, scheduled_at = \(time),
                args = b.args, priority = b.priority FROM sluice_undo u,
                jsonb_populate_record(NULL::procrastinate_jobs, u.before) b
                WHERE u.number = \(number) AND j.id = u.task AND j.status::text = u.after_status
                """));
            DELETE FROM sluice_undo WHERE number = \(number)
            """)
        return ForeignAnswer(
            changed: [String(task)],
            consequences: ["\(row["verb"]?.string ?? "it") is taken back"])
    }
}
