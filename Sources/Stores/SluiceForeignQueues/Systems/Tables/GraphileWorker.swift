import SluiceModel

extension JobTable {
    private static func unlock(_ worker: String) throws -> String {
        let name = try SQLSession.literal(worker)
        return "SELECT graphile_worker.force_unlock_workers(ARRAY[\(name)])"
    }

    private static let identifier =
        "(SELECT t.identifier FROM _private_tasks t WHERE t.id = @task_id)"

    /// Graphile Worker, whose tables are its own affair: as they are from its migration 11 on. It
    /// has no queues that workers serve, so each kind of task is one.
    static let graphileWorker = JobTable(
        name: "graphile", title: "Graphile Worker", table: "_private_jobs",
        needs: ["task_id", "run_at", "locked_at", "attempts", "max_attempts"],
        signs: [
            TableForm.Sign(table: "_private_jobs"),
            // Up to version 0.13.
            TableForm.Sign(table: "jobs", columns: ["task_identifier", "run_at", "locked_by"]),
        ],
        companions: ["_private_tasks"],
        queue: "task_id",
        shownQueue: identifier,
        key: { session, queue in
            let rows = try session.rows(
                "SELECT id FROM _private_tasks WHERE identifier = \(try SQLSession.literal(queue))")
            return String(rows.first?["id"]?.integer ?? -1)
        },
        type: identifier, priority: "@priority", attempts: "@attempts",
        attemptLimit: "@max_attempts", created: "@created_at", error: "@last_error",
        payload: .json("payload", type: "json"),
        ready: "@locked_at IS NULL AND @attempts < @max_attempts",
        states: [
            (.running, "@locked_at IS NOT NULL"), (.failed, "@attempts >= @max_attempts"),
        ],
        order: "@priority, @run_at, @id", place: "@priority, @run_at, @id",
        statesExclude: false,
        version: "concat_ws(' ', @attempts, @locked_at)",
        hold: .time("run_at", watched: ["locked_at", "attempts"]),
        waking: { _, _ in "SELECT pg_notify('jobs:insert', '{\"r\":\"sluice\",\"count\":1}')" },
        holder: (
            { id in
                """
                SELECT j.locked_by AS worker,
                (extract(epoch FROM j.locked_at) * 1000)::bigint AS since
                FROM _private_jobs j WHERE j.id = \(id)
                """
            },
            { _, worker in
                "the statement: "
                    + ((try? unlock(worker)) ?? "graphile_worker.force_unlock_workers")
            }
        ),
        rescuing: (
            { _, worker in try unlock(worker) },
            "Graphile Worker gives all jobs of that worker back together"
        ),
        started: "@locked_at",
        edition: (
            20, ["migrations"], "SELECT max(m.id)::text AS version FROM migrations m"
        ),
        obstacle: (
            ["_private_job_queues"],
            { id in
                """
                SELECT concat('its named queue ', to_json(q.queue_name), ' is locked by ',
                q.locked_by) AS reason FROM _private_jobs j JOIN _private_job_queues q
                ON q.id = j.job_queue_id WHERE j.id = \(id) AND q.locked_at IS NOT NULL
                """
            }
        ),
        removing: .setting("attempts = @max_attempts, last_error = 'given up by sluice'"),
        retrying: "run_at = now(), attempts = 0", retryable: "@locked_at IS NULL", postponing: "",
        // A job that is added again takes the key of a given-up one.
        kept: ["attempts", "last_error", "key"],
        risks: ["its run_at is 4,000 years later; jobs of its named queue still wait"]
    )
}
