extension JobTable {
    /// Que: a job that runs is known by an advisory lock of its number.
    static let que = JobTable(
        name: "que", title: "Que", table: "que_jobs",
        needs: ["job_class", "error_count", "run_at", "finished_at", "expired_at"],
        companions: ["que_lockers"],
        type: "coalesce(@args->0->>'job_class', @job_class)", priority: "@priority",
        attempts: "@error_count", error: "@last_error_message",
        payload: .json("args", type: "jsonb"),
        ready: "@finished_at IS NULL AND @expired_at IS NULL",
        states: [
            (
                .running,
                """
                @finished_at IS NULL AND @expired_at IS NULL AND @id IN (
                SELECT (l.classid::bigint << 32) + l.objid::bigint FROM pg_locks l
                WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.database = (
                    SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
                """
            ), (.succeeded, "@finished_at IS NOT NULL"), (.failed, "@expired_at IS NOT NULL"),
        ],
        order: "@priority, @run_at, @id", place: "@priority, @run_at, @id",
        statesExclude: false, isSaidByRows: false,
        version: "concat_ws(' ', @error_count, @finished_at, @expired_at)",
        hold: .time("run_at", watched: ["finished_at", "expired_at"]),
        waking: { queue, id in
            """
            SELECT pg_notify('que_listener_' || l.pid, json_build_object('message_type',
            'job_available', 'queue', j.queue, 'priority', j.priority, 'id', j.id, 'run_at',
            to_char(j.run_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text)
            FROM que_jobs j, (SELECT l.pid FROM que_lockers l WHERE l.listening AND \(isAlive)
                AND \(try SQLSession.literal(queue)) = ANY(l.queues) ORDER BY random() LIMIT 1) l
            WHERE j.id = \(id)
            """
        },
        workers: (
            ["que_lockers"],
            """
            SELECT l.pid::text AS name, l.ruby_hostname AS host, l.ruby_pid AS pid,
            l.worker_count AS slots, to_json(l.queues) AS queues FROM que_lockers l
            WHERE \(isAlive) ORDER BY l.pid
            """
        ),
        edition: (
            7, [], "SELECT obj_description('que_jobs'::regclass, 'pg_class') AS version"
        ),
        removing: .setting("expired_at = now()"), retrying: "run_at = now(), expired_at = NULL",
        retryable: "@finished_at IS NULL", postponing: "", kept: ["expired_at"],
        risks: ["its run_at is 4,000 years later"])

    /// Whether a locker's connection is open; Que asks the same when it starts.
    private static let isAlive = "l.pid IN (SELECT a.pid FROM pg_stat_activity a)"
}
