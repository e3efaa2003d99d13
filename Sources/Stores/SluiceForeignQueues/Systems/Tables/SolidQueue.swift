extension JobTable {
    /// Solid Queue for Rails: a row in another table determines whether a job waits, runs or has
    /// failed.
    static let solidQueue = JobTable(
        name: "solidqueue", title: "Solid Queue", table: "solid_queue_jobs",
        needs: [
            "queue_name", "class_name", "arguments", "active_job_id", "scheduled_at",
            "finished_at", "concurrency_key",
        ],
        queue: "queue_name", type: "@class_name", priority: ownPriority,
        attempts: #"coalesce(substring(@arguments FROM '"executions":([0-9]{1,9})')::bigint, 0)"#,
        created: "@created_at", error: lastError,
        payload: .json("arguments", type: "text"), ready: lies(in: .ready),
        states: [
            (.running, lies(in: .claimed)),
            (
                .retrying,
                lies(in: .scheduled) + #" AND @arguments ~ '"executions":[1-9]'"#
            ), (.delayed, lies(in: .scheduled)), (.failed, lies(in: .failed)),
            (.blocked, lies(in: .blocked)), (.succeeded, "@finished_at IS NOT NULL"),
        ],
        order: "\(ownPriority), @id", place: "\(ownPriority), @id",
        statesExclude: false,
        hold: .elsewhere(
            held: """
                EXISTS (SELECT 1 FROM solid_queue_ready_executions e JOIN solid_queue_pauses p
                ON p.queue_name = e.queue_name WHERE e.job_id = @id)
                """,
            skipped: """
                EXISTS (SELECT 1 FROM solid_queue_ready_executions e WHERE e.job_id = @id
                AND e.queue_name = @queue_name || '\(SolidQueueSystem.skipMark)')
                """,
            time: "scheduled_at"),
        executions: { id in
            // For a retry, Active Job enqueues another job with the same Active Job id.
            """
            SELECT (extract(epoch FROM coalesce(x.finished_at, f.created_at)) * 1000)::bigint
            AS ended, CASE WHEN f.id IS NOT NULL THEN 'giveUp' WHEN x.finished_at IS NULL THEN NULL
            WHEN EXISTS (SELECT 1 FROM solid_queue_jobs y WHERE y.active_job_id = x.active_job_id
                AND y.id > x.id) THEN 'retry' ELSE 'success' END AS outcome, f.error
            FROM solid_queue_jobs x LEFT JOIN solid_queue_failed_executions f ON f.job_id = x.id
            WHERE x.active_job_id = (
                SELECT o.active_job_id FROM solid_queue_jobs o WHERE o.id = \(id))
            AND (x.finished_at IS NOT NULL OR f.id IS NOT NULL) ORDER BY x.id
            """
        },
        holder: (
            { id in
                """
                SELECT coalesce(p.name, 'none') AS worker,
                (extract(epoch FROM e.created_at) * 1000)::bigint AS since,
                (extract(epoch FROM p.last_heartbeat_at) * 1000)::bigint AS heard
                FROM solid_queue_claimed_executions e LEFT JOIN solid_queue_processes p
                ON p.id = e.process_id WHERE e.job_id = \(id)
                """
            },
            { _, _ in "Solid Queue's supervisor fails it when the process is silent for 5 minutes" }
        ), opening: { SolidQueueSystem($0) })

    /// The tables with the state of unfinished jobs: each job has a row in one of them.
    enum SolidPlace: String, CaseIterable {
        case ready, scheduled, claimed, blocked, failed

        var table: String { "solid_queue_\(rawValue)_executions" }
    }

    private static func lies(in place: SolidPlace) -> String {
        "@finished_at IS NULL AND EXISTS (SELECT 1 FROM \(place.table) e WHERE e.job_id = @id)"
    }

    /// Workers use the priority in the row of ready jobs.
    private static let ownPriority = """
        coalesce((SELECT e.priority FROM solid_queue_ready_executions e WHERE e.job_id = @id),
        @priority)
        """

    /// The class and the words of an exception, out of its JSON.
    private static let lastError = #"""
        (SELECT coalesce(concat_ws(': ', substring(e.error FROM '"exception_class":"([^"]*)"'),
            substring(e.error FROM '"message":"((?:[^"\\]|\\.)*)"')), e.error)
            FROM solid_queue_failed_executions e WHERE e.job_id = @id)
        """#
}
