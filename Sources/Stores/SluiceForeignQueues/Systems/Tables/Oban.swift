import SluiceModel

extension JobTable {
    /// Oban, of Elixir and of Python. Held by its own state `suspended`, which nobody fetches: its
    /// workers do not look at the time of what is available.
    static let oban = JobTable(
        name: "oban", title: "Oban", table: "oban_jobs",
        needs: ["state", "worker", "max_attempts", "scheduled_at", "meta"], type: "@worker",
        priority: "@priority", attempts: "@attempt", attemptLimit: "@max_attempts",
        created: "@inserted_at", error: "to_jsonb(@errors)->-1->>'error'",
        payload: .json("args", type: "jsonb"), ready: "@state = 'available'",
        states: [
            (.running, "@state = 'executing'"), (.delayed, "@state = 'scheduled'"),
            (.retrying, "@state = 'retryable'"), (.succeeded, "@state = 'completed'"),
            (.failed, "@state = 'discarded'"), (.cancelled, "@state = 'cancelled'"),
            (.blocked, "@state = 'suspended'"),
        ],
        order: "@priority, @scheduled_at, @id", place: "@priority, @scheduled_at, @id",
        newest: [.failed: "@discarded_at", .deleted: "@cancelled_at"], version: "@state::text",
        hold: .state(
            "state", away: "'suspended'", ready: "'available'", notes: "meta",
            time: "scheduled_at"),
        waking: { queue, _ in
            let payload = "json_build_object('queue', \(try SQLDesk.literal(queue)))::text"
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
        obstacle: (
            [],
            { id in
                """
                SELECT CASE WHEN j.meta ? 'workflow_id' THEN concat('its workflow ',
                j.meta->>'workflow_id', ' lets it in') ELSE 'somebody suspended it in Oban' END
                AS reason FROM oban_jobs j WHERE j.id = \(id) AND j.state::text = 'suspended'
                AND NOT j.meta ? 'sluice'
                """
            }
        ),
        removing: .setting("state = 'cancelled', cancelled_at = timezone('UTC', now())"),
        retrying: """
            state = 'available', max_attempts = greatest(@max_attempts, @attempt + 1),
            scheduled_at = timezone('UTC', now()), completed_at = NULL, cancelled_at = NULL,
            discarded_at = NULL
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
}
