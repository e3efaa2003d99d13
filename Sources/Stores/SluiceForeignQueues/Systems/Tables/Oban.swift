import SluiceModel

extension JobTable {
    /// Oban for Elixir and Python. A hold uses Oban's state `suspended`, which workers do not
    /// fetch, because they ignore the time of available jobs.
    static let oban = JobTable(
        name: "oban", title: "Oban", table: "oban_jobs",
        needs: ["state", "worker", "max_attempts", "scheduled_at", "meta"], type: "@worker",
        priority: "@priority", attempts: "@attempt", attemptLimit: "@max_attempts",
        created: "@inserted_at", error: "to_jsonb(@errors)->-1->>'error'",
        payload: .json("args", type: "jsonb"),
        // Its workers take no job that has no attempt left.
        ready: "@state = 'available' AND @attempt < @max_attempts",
        states: [
            (.running, "@state = 'executing'"), (.delayed, "@state = 'scheduled'"),
            (.retrying, "@state = 'retryable'"), (.succeeded, "@state = 'completed'"),
            (.failed, "@state = 'discarded'"), (.cancelled, "@state = 'cancelled'"),
            (.blocked, spent), (.blocked, "@state = 'suspended'"),
        ],
        order: "@priority, @scheduled_at, @id", place: "@priority, @scheduled_at, @id",
        newest: [.failed: "@discarded_at", .deleted: "@cancelled_at"], version: "@state::text",
        hold: .state(
            "state", away: "'suspended'", ready: "'available'", notes: "meta",
            time: "scheduled_at"),
        waking: { queue, _ in
            let payload = "json_build_object('queue', \(try SQLSession.literal(queue)))::text"
            return """
                SELECT pg_notify(concat(current_schema(), '.oban_insert'), \(payload));
                SELECT pg_notify('oban_insert', \(payload))
                """
        },
        executions: { id in
            """
            SELECT (extract(epoch FROM (e.value->>'at')::timestamptz) * 1000)::bigint AS ended,
            'retry' AS outcome, e.value->>'error' AS error FROM oban_jobs j,
            jsonb_array_elements(to_jsonb(j.errors)) WITH ORDINALITY e(value, place)
            WHERE j.id = \(id) ORDER BY e.place
            """
        },
        holder: (
            { id in
                """
                SELECT array_to_string(j.attempted_by, ' ') AS worker,
                (extract(epoch FROM j.attempted_at) * 1000)::bigint AS since
                FROM oban_jobs j WHERE j.id = \(id)
                """
            },
            { _, _ in "Oban's lifeline gives it back when its rescue_after has passed" }
        ),
        rescuing: (
            { id, _ in
                """
                UPDATE oban_jobs SET state = CASE WHEN attempt < max_attempts THEN 'available'
                ELSE 'discarded' END::oban_job_state, discarded_at = CASE
                WHEN attempt < max_attempts THEN NULL ELSE timezone('UTC', now()) END
                WHERE id = \(id) AND state = 'executing'
                """
            }, "it is discarded if no attempt is left, as by Oban's lifeline"
        ),
        started: "@attempted_at",
        fitting: { table, shape in
            guard !shape.words.contains("suspended") else { return }
            table.states.removeAll { $0.condition.contains("suspended") }
            table.hold = .elsewhere(held: "false", skipped: "false", time: "scheduled_at")
            table.unheld = "its table has no state suspended: Oban's migration 14 adds it"
        },
        edition: (
            14, [], "SELECT obj_description('oban_jobs'::regclass, 'pg_class') AS version"
        ),
        obstacle: (
            [],
            { id in
                """
                SELECT 'it has no attempt left: Oban starts it no more' AS reason
                FROM oban_jobs j WHERE j.id = \(id) AND \(JobTable.of("j", spent))
                UNION ALL SELECT CASE WHEN j.meta ? 'workflow_id' THEN concat('its workflow ',
                j.meta->>'workflow_id', ' lets it in') ELSE 'it is suspended in Oban' END
                AS reason FROM oban_jobs j WHERE j.id = \(id) AND j.state::text = 'suspended'
                AND NOT j.meta ? 'sluice'
                """
            }
        ),
        removing: .setting("state = 'cancelled', cancelled_at = timezone('UTC', now())"),
        retrying: """
            state = 'available', max_attempts = greatest(@max_attempts, @attempt + 1),
            scheduled_at = timezone('UTC', now()), completed_at = NULL, cancelled_at = NULL,
            discarded_at = NULL, meta = CASE WHEN @meta ? 'uniq_bmp'
                THEN jsonb_set(@meta, '{uniq_bmp}', '[]') ELSE @meta END
            """,
        retryable: "@state::text NOT IN ('available', 'executing')",
        postponing: ", state = 'scheduled'",
        kept: [
            "state", "scheduled_at", "max_attempts", "completed_at", "cancelled_at",
            "discarded_at", "meta",
        ],
        risks: [
            "a held job is \"suspended\": rules of uniqueness and of workflows that name states "
                + "count it so"
        ])

    private static let spent = "@state = 'available' AND @attempt >= @max_attempts"
}
