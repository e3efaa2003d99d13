@testable import SluiceForeignQueues

extension PlayedTable {
    private static let number = "((j.arguments::jsonb)->>'n')"

    /// One worker of every queue, and a dispatcher: what ReadyExecution.claim, finalize and retry
    /// of Solid Queue 1.5.0 write.
    static let solidQueue = PlayedTable(
        name: "solidqueue",
        beside: """
            INSERT INTO solid_queue_processes (kind, last_heartbeat_at, pid, hostname, metadata,
                created_at, name) VALUES ('Worker', now(), 42, 'web',
                '{"polling_interval":0.1,"queues":"*","thread_pool_size":3}', now(), 'worker-1'),
                ('Dispatcher', now(), 43, 'web', '{}', now(), 'dispatcher-1')
            """,
        insert: { queue, number in
            """
            WITH job AS (INSERT INTO solid_queue_jobs (queue_name, class_name, arguments,
                    active_job_id, scheduled_at, created_at, updated_at)
                VALUES (\(queue), 'RunJob', '{"n":\(number),"executions":0}',
                gen_random_uuid()::text, now(), now(), now()) RETURNING *)
            INSERT INTO solid_queue_ready_executions (job_id, queue_name, priority, created_at)
            SELECT id, queue_name, priority, now() FROM job
            """
        },
        claim: """
            WITH pick AS (SELECT id, job_id FROM solid_queue_ready_executions
                WHERE queue_name NOT IN (SELECT queue_name FROM solid_queue_pauses)
                ORDER BY priority, job_id LIMIT 1 FOR UPDATE SKIP LOCKED),
            gone AS (DELETE FROM solid_queue_ready_executions
                WHERE id IN (SELECT id FROM pick)),
            claimed AS (INSERT INTO solid_queue_claimed_executions (job_id, process_id, created_at)
                SELECT job_id, 1, now() FROM pick RETURNING job_id)
            SELECT \(number)::int FROM solid_queue_jobs j JOIN claimed c ON c.job_id = j.id
            """,
        finish: { number in
            """
            UPDATE solid_queue_jobs j SET finished_at = now()
            WHERE \(Self.number) = '\(number)' AND finished_at IS NULL;
            \(ending)
            """
        },
        fail: { number in
            // Active Job retries with a new job.
            """
            WITH again AS (INSERT INTO solid_queue_jobs (queue_name, class_name, arguments,
                    active_job_id, scheduled_at, created_at, updated_at)
                SELECT j.queue_name, j.class_name, '{"n":\(number),"executions":1}',
                j.active_job_id, now() + interval '1 hour', now(), now() FROM solid_queue_jobs j
                WHERE \(Self.number) = '\(number)' RETURNING *)
            INSERT INTO solid_queue_scheduled_executions (job_id, queue_name, priority,
                scheduled_at, created_at)
            SELECT id, queue_name, priority, scheduled_at, now() FROM again;
            UPDATE solid_queue_jobs j SET finished_at = now() WHERE \(Self.number) = '\(number)'
            AND EXISTS (SELECT 1 FROM solid_queue_claimed_executions e WHERE e.job_id = j.id);
            \(ending)
            """
        }, number: number,
        whole: "concat(to_jsonb(j), \(places))")

    /// The rows of the tables of unfinished jobs.
    private static let places = SolidQueuePlace.allCases.map {
        "(SELECT to_jsonb(x) FROM \($0.table) x WHERE x.job_id = j.id)"
    }.joined(separator: ", ")

    private static let ending = """
        DELETE FROM solid_queue_claimed_executions e USING solid_queue_jobs j
        WHERE j.id = e.job_id AND j.finished_at IS NOT NULL
        """
}
