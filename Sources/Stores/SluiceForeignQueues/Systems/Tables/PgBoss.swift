extension JobTable {
    /// pg-boss, from its version 10 on: it deletes what waits when `keep_until` has passed, which
    /// moves with the time.
    static let pgBoss = JobTable(
        name: "pgboss", title: "pg-boss", table: "job",
        needs: [
            "name", "singleton_key", "start_after", "keep_until", "completed_on", "retry_limit",
        ],
        idType: "uuid", queue: "name", type: "@name", priority: "@priority",
        attempts: "@retry_count", attemptLimit: "@retry_limit + 1", created: "@created_on",
        error: "@output->>'message'", payload: .json("data", type: "jsonb"),
        ready: "@state < 'active'",
        states: [
            (.running, "@state = 'active'"), (.succeeded, "@state = 'completed'"),
            (.failed, "@state = 'failed'"), (.cancelled, "@state = 'cancelled'"),
        ],
        order: "@priority DESC, @created_on, @id", place: "-@priority, @created_on, @id",
        version: "@state::text",
        hold: .time("start_after", others: ["keep_until"], watched: ["state"]),
        removing: .setting("state = 'cancelled', completed_on = now()"),
        retrying: """
            state = 'retry', start_after = now(), completed_on = NULL,
            retry_limit = greatest(@retry_limit, @retry_count + 1)
            """,
        retryable: "@state NOT IN ('active', 'completed')", postponing: "",
        kept: ["state", "completed_on", "retry_limit"],
        risks: ["its start_after and keep_until are 4,000 years later"])
}
