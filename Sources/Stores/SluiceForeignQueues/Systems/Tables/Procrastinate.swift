extension JobTable {
    /// All known systems.
    static let all = [
        procrastinate, pgqueuer, oban, river, goodJob, que, pgBoss, graphileWorker,
    ]

    /// Procrastinate. Its table of workers does not say which queues each serves.
    static let procrastinate = JobTable(
        name: "procrastinate", title: "Procrastinate", table: "procrastinate_jobs",
        needs: ["queue_name", "task_name", "scheduled_at", "queueing_lock"],
        companions: ["procrastinate_events"], queue: "queue_name",
        type: "@task_name", priority: "@priority", attempts: "@attempts",
        created: """
            (SELECT min(e.at) FROM procrastinate_events e
            WHERE e.job_id = @id AND e.type = 'deferred')
            """,
        payload: .json("args", type: "jsonb"), ready: "@status = 'todo'",
        states: states { _ in true },
        order: "@priority DESC, @id", place: "-@priority, @id", version: "@status::text",
        hold: .time("scheduled_at", isOptional: true, watched: ["status"]),
        waking: { queue, id in
            let payload = try SQLSession.literal("{\"type\": \"job_inserted\", \"job_id\": \(id)}")
            let channel = try SQLSession.literal("procrastinate_queue_v1#\(queue)")
            return """
                SELECT pg_notify(\(channel), \(payload));
                SELECT pg_notify('procrastinate_any_queue_v1', \(payload))
                """
        },
        executions: { id in
            """
            SELECT (extract(epoch FROM s.at) * 1000)::bigint AS started,
            (extract(epoch FROM e.at) * 1000)::bigint AS ended,
            CASE e.type::text WHEN 'succeeded' THEN 'success' WHEN 'failed' THEN 'giveUp'
            WHEN 'deferred_for_retry' THEN 'retry' WHEN 'aborted' THEN 'cancelled' END AS outcome
            FROM procrastinate_events s LEFT JOIN LATERAL (
                SELECT n.at, n.type FROM procrastinate_events n
                WHERE n.job_id = s.job_id AND n.id > s.id AND n.type::text IN
                    ('succeeded', 'failed', 'deferred_for_retry', 'aborted')
                ORDER BY n.id LIMIT 1) e ON true
            WHERE s.job_id = \(id) AND s.type = 'started' ORDER BY s.id
            """
        },
        workers: (
            ["procrastinate_workers"],
            """
            SELECT w.id::text AS name, (extract(epoch FROM w.last_heartbeat) * 1000)::bigint
            AS heard, (SELECT json_agg(j.id::text) FROM procrastinate_jobs j
            WHERE j.worker_id = w.id AND j.status = 'doing') AS running
            FROM procrastinate_workers w ORDER BY w.id
            """
        ),
        rescuing: ({ id, _ in retry(id) }, nil),
        fitting: { table, shape in
            // Since its version 3 nothing is aborting: without that word an index serves.
            let isNew = shape.columns.contains("abort_requested")
            table.states = states { shape.words.contains($0) && !(isNew && $0 == "aborting") }
            if shape.tables.contains("procrastinate_workers") {
                table.holder = holder
            } else {
                table.rescuing = nil
            }
            table.retryable = isOne(
                of: ["todo", "failed", "cancelled", "aborted"], shape.words.contains)
        },
        obstacle: (
            [],
            { id in
                """
                SELECT concat('its lock ', to_json(j.lock), ' is with #', o.id, CASE
                WHEN o.status = 'doing' THEN ', which runs' ELSE ', which comes first' END)
                AS reason FROM procrastinate_jobs j JOIN procrastinate_jobs o ON o.lock = j.lock
                WHERE j.id = \(id) AND j.status = 'todo' AND (o.status = 'doing'
                    OR (o.status = 'todo' AND (-o.priority, o.id) < (-j.priority, j.id)))
                ORDER BY o.status = 'doing' DESC, o.priority DESC, o.id LIMIT 1
                """
            }
        ),
        removing: .setting("status = 'cancelled'"),
        retrying: "status = 'todo', scheduled_at = NULL",
        retryable: isOne(of: ["todo", "failed", "cancelled", "aborted"]) { _ in true },
        postponing: "",
        kept: ["status"],
        risks: [
            "each hold and release of a job writes an event \"scheduled\"; a held job with a lock "
                + "holds later ones of that lock"
        ])

    /// The display of rows, from the status values that a version has. Compares enum values, not
    /// texts, because statistics and indexes cover only the enum.
    private static func states(
        _ has: (String) -> Bool
    ) -> [(display: ForeignTask.Display, condition: String)] {
        [
            (.running, isOne(of: ["doing", "aborting"], has)),
            (.succeeded, isOne(of: ["succeeded"], has)),
            (.failed, isOne(of: ["failed", "aborted"], has)),
            (.cancelled, isOne(of: ["cancelled"], has)),
        ]
    }

    /// Procrastinate's own fix for a stalled job is a retry.
    private static var holder: (sql: @Sendable (String) -> String, advice: Advice) {
        (
            { id in
                """
                SELECT j.worker_id::text AS worker,
                (SELECT (extract(epoch FROM max(e.at)) * 1000)::bigint FROM procrastinate_events e
                    WHERE e.job_id = j.id AND e.type = 'started') AS since,
                (extract(epoch FROM w.last_heartbeat) * 1000)::bigint AS heard
                FROM procrastinate_jobs j LEFT JOIN procrastinate_workers w
                ON w.id = j.worker_id WHERE j.id = \(id)
                """
            },
            { id, _ in "the statement: \(retry(id))" }
        )
    }

    private static func retry(_ id: String) -> String {
        "SELECT procrastinate_retry_job_v2(\(id), now(), NULL, NULL, NULL)"
    }

    private static func isOne(of words: [String], _ has: (String) -> Bool) -> String {
        Self.isOne("status", of: words, has)
    }
}

extension JobTable {
    /// Whether a column of an enumeration has one of those words that its type has.
    static func isOne(_ column: String, of words: [String], _ has: (String) -> Bool) -> String {
        let known = words.filter(has).map { "'\($0)'" }
        return known.isEmpty ? "false" : "@\(column) IN (\(known.joined(separator: ", ")))"
    }
}
