extension JobTable {
    /// PgQueuer: an entrypoint is both the queue and the function. Finished jobs move to its log.
    static let pgqueuer = JobTable(
        name: "pgqueuer", title: "PgQueuer", table: "pgqueuer",
        needs: ["entrypoint", "execute_after", "heartbeat", "attempts"],
        companions: ["pgqueuer_log"], queue: "entrypoint",
        type: "@entrypoint", priority: "@priority", attempts: "@attempts", created: "@created",
        error: """
            (SELECT concat(l.traceback->>'exception_type', ': ',
                l.traceback->>'exception_message')
            FROM pgqueuer_log l WHERE l.job_id = @id AND l.traceback IS NOT NULL
            ORDER BY l.id DESC LIMIT 1)
            """,
        payload: .bytes("payload"), ready: "@status = 'queued'",
        states: states { _ in true },
        order: "@priority DESC, @id", place: "-@priority, @id", version: "@status::text",
        hold: .time("execute_after", watched: ["status"]),
        waking: { _, _ in
            """
            SELECT pg_notify('ch_pgqueuer', json_build_object('channel', 'ch_pgqueuer',
            'operation', 'update', 'sent_at', now(), 'table', 'pgqueuer',
            'type', 'table_changed_event')::text)
            """
        },
        executions: { ended($0) + " ORDER BY l.id" },
        ending: { ended($0) + " ORDER BY l.id DESC LIMIT 1" },
        holder: (
            { id in
                """
                SELECT coalesce(j.queue_manager_id::text, 'none') AS worker,
                (extract(epoch FROM j.updated) * 1000)::bigint AS since,
                (extract(epoch FROM j.heartbeat) * 1000)::bigint AS heard
                FROM pgqueuer j WHERE j.id = \(id)
                """
            }, { _, _ in "another worker of PgQueuer takes it when the heartbeat is too old" }
        ),
        fitting: { table, shape in
            table.states = states(shape.words.contains)
            table.retryable = isOne("status", of: ["queued", "failed"], shape.words.contains)
        },
        removing: .deleting { id in
            """
            INSERT INTO pgqueuer_log (job_id, status, entrypoint, priority)
            SELECT q.id, 'deleted', q.entrypoint, q.priority FROM pgqueuer q WHERE q.id = \(id)
            """
        },
        retrying: "status = 'queued', execute_after = now()",
        retryable: "@status IN ('queued', 'failed')", postponing: "", kept: ["status"],
        risks: ["a held job with a dedupe_key keeps others of that key out"])

    /// The display of rows, from the status values that a version has.
    private static func states(
        _ has: (String) -> Bool
    ) -> [(display: ForeignTask.Display, condition: String)] {
        [
            (.running, isOne("status", of: ["picked"], has)),
            (.failed, isOne("status", of: ["failed", "exception"], has)),
            (.succeeded, isOne("status", of: ["successful"], has)),
            (.cancelled, isOne("status", of: ["canceled", "deleted"], has)),
        ]
    }

    private static func ended(_ id: String) -> String {
        """
        SELECT (extract(epoch FROM l.created) * 1000)::bigint AS ended,
        CASE l.status::text WHEN 'successful' THEN 'success' WHEN 'canceled' THEN 'cancelled'
        ELSE 'giveUp' END AS outcome,
        l.traceback->>'exception_type' || ': ' || (l.traceback->>'exception_message') AS error
        FROM pgqueuer_log l WHERE l.job_id = \(id)
        AND l.status::text IN ('successful', 'exception', 'failed', 'canceled')
        """
    }
}
