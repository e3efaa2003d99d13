import SluiceModel

extension JobTable {
    /// River: a job that is available waits for its time too.
    static let river = JobTable(
        name: "river", title: "River", table: "river_job",
        needs: ["kind", "state", "finalized_at", "scheduled_at", "max_attempts"], type: "@kind",
        priority: "@priority", attempts: "@attempt", attemptLimit: "@max_attempts",
        created: "@created_at", error: "@errors[array_upper(@errors, 1)]->>'error'",
        payload: .json("args", type: "jsonb"), ready: "@state = 'available'",
        states: [
            (.running, "@state = 'running'"), (.delayed, "@state = 'scheduled'"),
            (.retrying, "@state = 'retryable'"), (.succeeded, "@state = 'completed'"),
            (.failed, "@state = 'discarded'"), (.cancelled, "@state = 'cancelled'"),
            (.blocked, "@state = 'pending'"),
        ],
        order: "@priority, @scheduled_at, @id", place: "@priority, @scheduled_at, @id",
        newest: [
            .failed: "@finalized_at", .succeeded: "@finalized_at", .deleted: "@finalized_at",
        ],
        version: "@state::text", hold: .time("scheduled_at", watched: ["state"]),
        waking: { queue, _ in
            """
            SELECT pg_notify(concat(current_schema(), '.river_insert'),
            json_build_object('queue', \(try SQLSession.literal(queue)))::text)
            """
        },
        executions: { id in
            """
            SELECT (extract(epoch FROM (e.value->>'at')::timestamptz) * 1000)::bigint AS ended,
            'retry' AS outcome, concat_ws(E'\\n', e.value->>'error', nullif(e.value->>'trace', ''))
            AS error FROM river_job j, unnest(j.errors) WITH ORDINALITY e(value, place)
            WHERE j.id = \(id) ORDER BY e.place
            """
        },
        holder: (
            { id in
                """
                SELECT j.attempted_by[array_upper(j.attempted_by, 1)] AS worker,
                (extract(epoch FROM j.attempted_at) * 1000)::bigint AS since
                FROM river_job j WHERE j.id = \(id)
                """
            },
            { _, _ in
                "River's rescuer gives it back an hour after its start, or after its "
                    + "RescueStuckJobsAfter"
            }
        ),
        started: "@attempted_at",
        edition: (
            7, ["river_migration"],
            "SELECT max(m.version)::text AS version FROM river_migration m"
        ),
        obstacle: (
            [],
            { id in
                """
                SELECT 'it is pending: a workflow or a sequence of River Pro lets it in' AS reason
                FROM river_job j WHERE j.id = \(id) AND j.state::text = 'pending'
                """
            }
        ),
        pauses: (
            ["river_queue"],
            """
            SELECT q.name AS queue, to_char(q.paused_at AT TIME ZONE 'UTC',
            '"since "YYYY-MM-DD"T"HH24:MI:SS"Z"') AS reason FROM river_queue q
            WHERE q.paused_at IS NOT NULL
            """
        ),
        removing: .setting("state = 'cancelled', finalized_at = now()"),
        retrying: """
            state = 'available', scheduled_at = now(), finalized_at = NULL,
            max_attempts = greatest(@max_attempts, @attempt + 1)
            """,
        retryable: "@state <> 'running'", postponing: ", state = 'scheduled'",
        kept: ["state", "finalized_at", "max_attempts"],
        risks: ["its scheduled_at is 4,000 years later"])
}
