import SluiceSystem
import Testing

@testable import SluiceForeignQueues

/// A system in PostgreSQL, simulated without its workers. Its tables come from its migrations, and
/// its statements are copies.
struct PlayedTable: Sendable, CustomTestStringConvertible {
    var name: String
    /// Objects in addition to the tables.
    var beside = ""
    /// A row for a queue and a number, as a literal and a number.
    var insert: @Sendable (_ queue: String, _ number: Int) -> String
    /// Claims one row, and gives its number.
    var claim: String
    /// Completes, or fails with a retry, the row claimed with a number.
    var finish: @Sendable (_ number: Int) -> String
    var fail: @Sendable (_ number: Int) -> String
    /// The number in a row `j`.
    var number: String
    /// A row `j` with all its columns, as a text.
    var whole = "to_jsonb(j)::text"

    var testDescription: String { name }

    static let all = [
        oban, river, goodJob, que, pgBoss, graphile, procrastinate, solidQueue,
    ]

    static func named(_ name: String) throws -> PlayedTable {
        try #require(all.first { $0.name == name })
    }

    /// The folder of the schemas; each names the version that it is of.
    private static let folder =
        String(#filePath.dropLast("/ForeignQueuesTests/PlayedTables.swift".count))
        + "/ProcessTests/ForeignTrials/Programs/Schemas"

    /// The name of its main table, in the schema that has it.
    func table(in session: SQLSession) throws -> String {
        guard let known = JobTable.all.first(where: { $0.name == name }) else {
            return RowTable.solidQueue.table
        }
        return try #require(try known.found(in: session)).table
    }

    /// The tables, in parts for separate transactions.
    static func schema(_ name: String) throws -> [String] {
        let bytes = try Files.read("\(folder)/\(name).sql", limitBytes: 1 << 20)
        var (parts, rest) = ([String](), String(decoding: bytes, as: UTF8.self)[...])
        while let mark = rest.firstRange(of: "-- part\n") {
            parts.append(String(rest[..<mark.lowerBound]))
            rest = rest[mark.upperBound...]
        }
        return parts + [String(rest)]
    }

    /// Makes the tables, in the schema that the search path names.
    func install(_ session: SQLSession) throws {
        for part in try Self.schema(name) { try session.run(part) }
        if !beside.isEmpty { try session.run(beside) }
    }

    /// The queue of a test, as a literal.
    fileprivate static let queue = (try? SQLSession.literal(TableBench.queue)) ?? ""
}

extension PlayedTable {
    /// fetch_jobs.sql and ack_job.sql of Oban for Python 0.7.0.
    static let oban = PlayedTable(
        name: "oban",
        insert: {
            "INSERT INTO oban_jobs (queue, worker, args) VALUES (\($0), 'Run', '{\"n\":\($1)}')"
        },
        claim: """
            WITH locked_jobs AS (SELECT priority, scheduled_at, id FROM oban_jobs
                WHERE state = 'available' AND queue = \(queue)
                ORDER BY priority ASC, scheduled_at ASC, id ASC LIMIT 1 FOR UPDATE SKIP LOCKED)
            UPDATE oban_jobs oj SET attempt = oj.attempt + 1,
            attempted_at = timezone('UTC', now()), attempted_by = '{node}', state = 'executing'
            FROM locked_jobs WHERE oj.id = locked_jobs.id AND oj.attempt < oj.max_attempts
            RETURNING (oj.args->>'n')::int
            """,
        finish: {
            """
            UPDATE oban_jobs SET state = 'completed', completed_at = timezone('UTC', now())
            WHERE args->>'n' = '\($0)' AND state = 'executing'
            """
        },
        fail: {
            """
            UPDATE oban_jobs SET state = 'retryable',
            scheduled_at = timezone('UTC', now()) + make_interval(secs => 3600),
            errors = errors || '{"at":"2026-01-01T00:00:00Z","attempt":1,"error":"boom"}'::jsonb
            WHERE args->>'n' = '\($0)' AND state = 'executing'
            """
        }, number: "(j.args->>'n')::int")

    /// JobGetAvailable and JobSetStateIfRunningMany of River 0.43.0.
    static let river = PlayedTable(
        name: "river",
        insert: {
            """
            INSERT INTO river_job (queue, kind, max_attempts, args)
            VALUES (\($0), 'run', 25, '{"n":\($1)}')
            """
        },
        claim: """
            WITH locked_jobs AS (SELECT * FROM river_job
                WHERE state = 'available' AND queue = \(queue) AND scheduled_at <= now()
                ORDER BY priority ASC, scheduled_at ASC, id ASC LIMIT 1 FOR UPDATE SKIP LOCKED)
            UPDATE river_job SET state = 'running', attempt = river_job.attempt + 1,
            attempted_at = now(), attempted_by = array_append(river_job.attempted_by, 'client')
            FROM locked_jobs WHERE river_job.id = locked_jobs.id
            RETURNING (river_job.args->>'n')::int
            """,
        finish: {
            """
            UPDATE river_job SET state = 'completed', finalized_at = now()
            WHERE args->>'n' = '\($0)' AND state = 'running'
            """
        },
        fail: {
            """
            UPDATE river_job SET state = 'available', scheduled_at = now(),
            errors = array_append(errors, '{"at":"2026-01-01T00:00:00Z","error":"boom"}'::jsonb)
            WHERE args->>'n' = '\($0)' AND state = 'running'
            """
        }, number: "(j.args->>'n')::int")

    /// The conditions and the order of GoodJob 4.19.2's skip-locked strategy.
    static let goodJob = PlayedTable(
        name: "goodjob",
        insert: {
            """
            INSERT INTO good_jobs (active_job_id, queue_name, job_class, priority, scheduled_at,
            created_at, updated_at, serialized_params) VALUES (gen_random_uuid(), \($0), 'RunJob',
            0, now(), clock_timestamp(), now(), '{"n":\($1)}')
            """
        },
        claim: """
            UPDATE good_jobs j SET performed_at = now(), locked_at = now(),
            locked_by_id = '00000000-0000-4000-8000-000000000001',
            executions_count = coalesce(executions_count, 0) + 1 WHERE id = (
            SELECT id FROM good_jobs WHERE finished_at IS NULL AND locked_by_id IS NULL
            AND scheduled_at <= now()
            ORDER BY priority ASC NULLS LAST, created_at ASC LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING (serialized_params->>'n')::int
            """,
        finish: {
            """
            UPDATE good_jobs SET finished_at = now(), locked_at = NULL, locked_by_id = NULL
            WHERE serialized_params->>'n' = '\($0)'
            """
        },
        fail: {
            """
            UPDATE good_jobs SET performed_at = NULL, locked_at = NULL, locked_by_id = NULL,
            scheduled_at = now(), error = 'boom' WHERE serialized_params->>'n' = '\($0)'
            """
        }, number: "(j.serialized_params->>'n')::int")

    /// The conditions and the order of Que 2.4.1's poll, without its count of free workers.
    static let que = PlayedTable(
        name: "que",
        insert: {
            """
            INSERT INTO que_jobs (queue, job_class, args, job_schema_version)
            VALUES (\($0), 'Run', '[\($1)]', 2)
            """
        },
        claim: """
            SELECT (args->>0)::int FROM (SELECT id, args FROM que_jobs WHERE queue = \(queue)
                AND job_schema_version = 2 AND run_at <= now() AND finished_at IS NULL
                AND expired_at IS NULL ORDER BY priority, run_at, id LIMIT 1) j
            WHERE pg_try_advisory_lock(id)
            """,
        finish: {
            """
            UPDATE que_jobs SET finished_at = now() WHERE args->>0 = '\($0)';
            SELECT pg_advisory_unlock_all()
            """
        },
        fail: {
            """
            UPDATE que_jobs SET error_count = error_count + 1, last_error_message = 'boom',
            run_at = now() WHERE args->>0 = '\($0)'; SELECT pg_advisory_unlock_all()
            """
        }, number: "(j.args->>0)::int")

    /// fetchNextJob, completeJobs and failJobs of pg-boss 12.27.0.
    static let pgBoss = PlayedTable(
        name: "pgboss", beside: "SELECT pgboss.create_queue(\(queue), '{\"policy\":\"standard\"}')",
        insert: { "INSERT INTO pgboss.job (name, data) VALUES (\($0), '{\"n\":\($1)}')" },
        claim: """
            WITH next AS (SELECT j.id FROM pgboss.job j WHERE j.name = \(queue)
                AND j.state < 'active' AND NOT j.blocked AND j.start_after <= now()
                ORDER BY j.priority desc, j.created_on, j.id LIMIT 1
                FOR UPDATE OF j SKIP LOCKED)
            UPDATE pgboss.job j SET state = 'active', started_on = now(), heartbeat_on = now(),
            retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1
                ELSE retry_count END
            FROM next WHERE name = \(queue) AND j.id = next.id RETURNING (j.data->>'n')::int
            """,
        finish: {
            """
            UPDATE pgboss.job SET completed_on = now(), state = 'completed', output = NULL
            WHERE data->>'n' = '\($0)' AND state = 'active'
            """
        },
        fail: {
            """
            UPDATE pgboss.job SET state = 'retry', start_after = now(), completed_on = NULL,
            output = '{"message":"boom"}' WHERE data->>'n' = '\($0)' AND state = 'active'
            """
        }, number: "(j.data->>'n')::int")

    /// add_job, getJobs, completeJobs and failJobs of Graphile Worker 0.17.3.
    static let graphile = PlayedTable(
        name: "graphile",
        insert: { "SELECT graphile_worker.add_job(\($0), '{\"n\":\($1)}'::json)" },
        claim: """
            WITH j AS (SELECT jobs.job_queue_id, jobs.priority, jobs.run_at, jobs.id
                FROM graphile_worker._private_jobs AS jobs
                WHERE jobs.is_available = true AND run_at <= now() AND (jobs.job_queue_id IS NULL
                OR jobs.job_queue_id IN (SELECT id FROM graphile_worker._private_job_queues q
                    WHERE q.is_available = true FOR UPDATE SKIP LOCKED))
                ORDER BY priority ASC, run_at ASC LIMIT 1 FOR UPDATE SKIP LOCKED),
            q AS (UPDATE graphile_worker._private_job_queues AS job_queues
                SET locked_by = 'worker', locked_at = now() FROM j
                WHERE job_queues.id = j.job_queue_id)
            UPDATE graphile_worker._private_jobs AS jobs SET attempts = jobs.attempts + 1,
            locked_by = 'worker', locked_at = now() FROM j WHERE jobs.id = j.id
            RETURNING (jobs.payload->>'n')::int
            """,
        finish: {
            "DELETE FROM graphile_worker._private_jobs AS jobs WHERE payload->>'n' = '\($0)'"
        },
        fail: {
            """
            UPDATE graphile_worker._private_jobs AS jobs SET last_error = 'boom',
            run_at = greatest(now(), run_at) + (exp(least(attempts, 10)) * interval '1 second'),
            locked_by = NULL, locked_at = NULL WHERE payload->>'n' = '\($0)'
            """
        }, number: "(j.payload->>'n')::int")

    /// The functions of Procrastinate 3.10.0.
    static let procrastinate = PlayedTable(
        name: "procrastinate",
        insert: {
            """
            SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(\($0), 'run', 0, NULL, NULL,
            '{"n":\($1)}', NULL)]::procrastinate_job_to_defer_v1[])
            """
        },
        claim: """
            SELECT (f.args->>'n')::int
            FROM procrastinate_fetch_job_v2(NULL::varchar[], NULL::bigint) f
            """,
        finish: {
            """
            SELECT procrastinate_finish_job_v1(id, 'succeeded', false) FROM procrastinate_jobs
            WHERE args->>'n' = '\($0)'
            """
        },
        fail: {
            """
            SELECT procrastinate_retry_job_v2(id, now(), NULL, NULL, NULL) FROM procrastinate_jobs
            WHERE args->>'n' = '\($0)'
            """
        }, number: "(j.args->>'n')::int")
}
