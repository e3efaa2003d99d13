extension JobTable {
    static let goodJob = JobTable(
        name: "goodjob", title: "GoodJob", table: "good_jobs",
        needs: [
            "queue_name", "serialized_params", "performed_at", "finished_at", "executions_count",
            "job_class",
        ],
        companions: ["good_job_executions", "good_job_processes"],
        idType: "uuid", queue: "queue_name",
        type: "coalesce(@job_class, @serialized_params->>'job_class')", priority: "@priority",
        attempts: "coalesce(@executions_count, 0)", created: "@created_at", error: "@error",
        payload: .json("serialized_params", type: "jsonb"),
        ready: "@finished_at IS NULL AND @performed_at IS NULL",
        states: [
            (.running, "@finished_at IS NULL AND @performed_at IS NOT NULL"),
            (.failed, "@error IS NOT NULL"), (.succeeded, "@finished_at IS NOT NULL"),
        ],
        order: "coalesce(@priority, 2147483647), @created_at, @id",
        place: "coalesce(@priority, 2147483647), @created_at, @id",
        statesExclude: false,
        version: "concat_ws(' ', @performed_at, @finished_at)",
        hold: .time(
            "scheduled_at", type: "timestamp", isOptional: true,
            watched: ["performed_at", "finished_at"]),
        waking: { queue, _ in
            """
            SELECT pg_notify('good_job',
            json_build_object('queue_name', \(try SQLSession.literal(queue)))::text)
            """
        },
        executions: { id in
            """
            SELECT (extract(epoch FROM e.created_at) * 1000)::bigint AS started,
            (extract(epoch FROM e.finished_at) * 1000)::bigint AS ended, e.error,
            CASE WHEN e.finished_at IS NULL THEN NULL WHEN e.error IS NULL THEN 'success'
            ELSE 'retry' END AS outcome FROM good_job_executions e
            WHERE e.active_job_id = (SELECT j.active_job_id FROM good_jobs j WHERE j.id = \(id))
            ORDER BY e.created_at
            """
        },
        workers: (
            ["good_job_processes"],
            """
            SELECT p.id::text AS name, p.state->>'hostname' AS host, (p.state->>'pid')::bigint
            AS pid, (extract(epoch FROM p.updated_at) * 1000)::bigint AS heard
            FROM good_job_processes p ORDER BY p.created_at
            """
        ),
        holder: (
            { id in
                """
                SELECT coalesce(p.state->>'hostname', to_jsonb(j)->>'locked_by_id') AS worker,
                (extract(epoch FROM j.performed_at) * 1000)::bigint AS since,
                (extract(epoch FROM p.updated_at) * 1000)::bigint AS heard FROM good_jobs j
                LEFT JOIN good_job_processes p ON p.id::text = to_jsonb(j)->>'locked_by_id'
                WHERE j.id = \(id)
                """
            }, { _, _ in "another process of GoodJob takes it when the lock is released" }
        ),
        started: "@performed_at",
        obstacle: (
            ["good_job_settings"],
            { id in
                """
                SELECT concat('its class ', c.name, ' is paused in GoodJob') AS reason
                FROM good_jobs j, good_job_settings s,
                jsonb_array_elements_text(s.value->'job_classes') c(name)
                WHERE j.id = \(id) AND s.key = 'pauses' AND c.name = j.job_class
                UNION ALL SELECT concat('its label ', l.name, ' is paused in GoodJob')
                FROM good_jobs j, good_job_settings s,
                jsonb_array_elements_text(s.value->'labels') l(name)
                WHERE j.id = \(id) AND s.key = 'pauses' AND to_jsonb(j)->'labels' ? l.name
                """
            }
        ),
        pauses: (
            ["good_job_settings"],
            """
            SELECT q.name AS queue, 'in its settings, where enable_pauses is on' AS reason
            FROM good_job_settings s, jsonb_array_elements_text(s.value->'queues') q(name)
            WHERE s.key = 'pauses'
            """
        ),
        removing: .setting("finished_at = now(), error = 'discarded by sluice'"),
        retrying: "finished_at = NULL, performed_at = NULL, scheduled_at = now()",
        retryable: "@finished_at IS NOT NULL OR @performed_at IS NULL", postponing: "",
        kept: ["finished_at", "performed_at", "error"],
        risks: ["its scheduled_at is 4,000 years later"])
}
