extension JobTable {
    /// PgQueuer: what it calls an entrypoint is both the queue and the function. Jobs that have
    /// ended go to its log.
    static let pgqueuer = JobTable(
        name: "pgqueuer", title: "PgQueuer", table: "pgqueuer",
        needs: ["entrypoint", "execute_after", "heartbeat", "attempts"], queue: "entrypoint",
        type: "@entrypoint", priority: "@priority", attempts: "@attempts", created: "@created",
        error: """
            (SELECT concat(l.traceback->>'exception_type', ': ',
                l.traceback->>'exception_message')
            FROM pgqueuer_log l WHERE l.job_id = @id AND l.traceback IS NOT NULL
            ORDER BY l.id DESC LIMIT 1)
            """,
        payload: .bytes("payload"), ready: "@status = 'queued'",
        states: [
            (.running, "@status = 'picked'"), (.failed, "@status::text IN ('failed', 'exception')"),
            (.succeeded, "@status = 'successful'"),
            (.cancelled, "@status::text IN ('canceled', 'deleted')"),
        ],
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
        removing: .deleting { id in
            """
            INSERT INTO pgqueuer_log (job_id, status, entrypoint, priority)
            SELECT q.id, 'deleted', q.entrypoint, q.priority FROM pgqueuer q WHERE q.id = \(id)
            """
        },
        retrying: "status = 'queued', execute_after = now()",
        retryable: "@status::text IN ('queued', 'failed')", postponing: "", kept: ["status"],
        risks: ["a held job with a dedupe_key keeps others of that key out"])

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
