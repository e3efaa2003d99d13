extension JobTable {
    /// pg-boss from version 10. It deletes a waiting job at `keep_until`, which moves with the
    /// job's time.
    static let pgBoss = JobTable(
        name: "pgboss", title: "pg-boss", table: "job",
        needs: [
            "name", "singleton_key", "start_after", "keep_until", "completed_on", "retry_limit",
            "policy",
        ],
        signs: [
            // Up to version 9, and since version 10.
            TableForm.Sign(table: "job", columns: ["startafter", "singletonkey", "keepuntil"]),
            TableForm.Sign(table: "job", columns: ["start_after", "keep_until"]),
            TableForm.Sign(table: "job", columns: ["singleton_key", "retry_limit"]),
        ],
        idType: "uuid", queue: "name", type: "@name", priority: "@priority",
        // The first execution is no retry, and has its begin.
        attempts: "@retry_count + CASE WHEN @started_on IS NULL THEN 0 ELSE 1 END",
        attemptLimit: "@retry_limit + 1", created: "@created_on",
        error: "@output->>'message'", payload: .json("data", type: "jsonb"),
        ready: "@state < 'active'",
        states: [
            (.running, "@state = 'active'"), (.succeeded, "@state = 'completed'"),
            (.failed, "@state = 'failed'"), (.cancelled, "@state = 'cancelled'"),
        ],
        order: "@priority DESC, @created_on, @id", place: "-@priority, @created_on, @id",
        version: "@state::text",
        hold: hold(watched: ["state"]),
        started: "@started_on", beside: ["job_dependency"],
        fitting: { table, shape in
            guard shape.columns.contains("blocked") else { return }
            table.obstacle = (["job_dependency"], { "\(parent($0)) UNION ALL \(active($0))" })
            // Its newest workers skip blocked jobs.
            table.ready = "@state < 'active' AND NOT @blocked"
            table.states.append((.blocked, "@state < 'active' AND @blocked"))
            table.hold = hold(watched: ["state", "blocked"])
        },
        edition: (37, ["version"], "SELECT max(v.version)::text AS version FROM version v"),
        obstacle: ([], { active($0) }),
        removing: .setting("state = 'cancelled', completed_on = now()"),
        retrying: """
            state = 'retry', start_after = now(), completed_on = NULL,
            retry_limit = greatest(@retry_limit, @retry_count + 1)
            """,
        retryable: "@state NOT IN ('active', 'completed')", postponing: "",
        kept: ["state", "completed_on", "retry_limit"],
        risks: ["its start_after and keep_until are 4,000 years later"])

    private static func hold(watched: [String]) -> HoldStrategy {
        .time("start_after", others: ["keep_until"], watched: watched)
    }

    /// A query for the first job that a blocked job depends on.
    private static func parent(_ id: String) -> String {
        """
        (SELECT concat('it depends on ', d.parent_id, ' of ', to_json(d.parent_name), ' (',
        coalesce(p.state::text, 'gone'), ')', CASE WHEN count(*) OVER () > 1 THEN
        concat(' and ', count(*) OVER () - 1, ' more') END) AS reason
        FROM job j JOIN job_dependency d ON d.child_name = j.name AND d.child_id = j.id
        LEFT JOIN job p ON p.name = d.parent_name AND p.id = d.parent_id
        WHERE j.id = \(id) AND j.state < 'active' AND j.blocked
        AND p.state IS DISTINCT FROM 'completed' ORDER BY d.parent_name, d.parent_id LIMIT 1)
        """
    }

    /// A query for the job that blocks this one by the queue's policy.
    private static func active(_ id: String) -> String {
        """
        (SELECT concat('its queue is ', j.policy, ': ', o.id, ' is ', o.state) AS reason
        FROM job j JOIN job o ON o.name = j.name AND o.id <> j.id
        AND coalesce(o.singleton_key, '') = coalesce(j.singleton_key, '')
        WHERE j.id = \(id) AND j.state < 'active'
        AND (j.policy IN ('singleton', 'stately') AND o.state = 'active'
            OR j.policy = 'key_strict_fifo' AND o.state IN ('active', 'retry', 'failed'))
        ORDER BY o.created_on LIMIT 1)
        """
    }
}
