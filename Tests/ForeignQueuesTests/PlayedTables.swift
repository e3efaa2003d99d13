import Testing

@testable import SluiceForeignQueues

/// A system in PostgreSQL as its schema and its statements are, played without its own workers.
struct PlayedTable: Sendable, CustomTestStringConvertible {
    var name: String
    /// The tables, as far as they matter.
    var schema: String
    /// A row for a queue and a number, as a literal and a number.
    var insert: @Sendable (_ queue: String, _ number: Int) -> String
    /// Claims one row, and gives its number.
    var claim: String
    /// Ends, or fails with another try, what was claimed with a number.
    var finish: @Sendable (_ number: Int) -> String
    var fail: @Sendable (_ number: Int) -> String
    /// The number in a row `j`.
    var number: String
    /// All that says where and what a row `j` is.
    var whole = "to_jsonb(j)::text"

    var testDescription: String { name }

    static let all = [
        oban, river, goodJob, que, pgBoss, graphile, procrastinate, solidQueue,
    ]

    private static let oban = PlayedTable(
        name: "oban",
        schema: """
            CREATE TYPE oban_job_state AS ENUM ('available', 'scheduled', 'suspended', 'executing',
                'retryable', 'completed', 'discarded', 'cancelled');
            CREATE TABLE oban_jobs (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
                state oban_job_state NOT NULL DEFAULT 'available', queue text NOT NULL,
                worker text NOT NULL, attempt smallint NOT NULL DEFAULT 0,
                max_attempts smallint NOT NULL DEFAULT 20, priority smallint NOT NULL DEFAULT 0,
                args jsonb NOT NULL, meta jsonb NOT NULL DEFAULT '{}', errors jsonb[] NOT NULL
                DEFAULT '{}', inserted_at timestamp NOT NULL DEFAULT timezone('UTC', now()),
                scheduled_at timestamp NOT NULL DEFAULT timezone('UTC', now()),
                attempted_at timestamp, cancelled_at timestamp, completed_at timestamp,
                discarded_at timestamp)
            """,
        insert: {
            "INSERT INTO oban_jobs (queue, worker, args) VALUES (\($0), 'Run', '{\"n\":\($1)}')"
        },
        claim: """
            UPDATE oban_jobs j SET state = 'executing', attempt = attempt + 1 WHERE id = (
            SELECT id FROM oban_jobs WHERE state = 'available' ORDER BY priority, scheduled_at, id
            LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING (args->>'n')::int
            """,
        finish: {
            """
            UPDATE oban_jobs SET state = 'completed', completed_at = now()
            WHERE args->>'n' = '\($0)'
            """
        },
        fail: {
            """
            UPDATE oban_jobs SET state = 'retryable', scheduled_at = now() + interval '1 hour',
            errors = errors || '{"at":"2026-01-01T00:00:00Z","error":"boom"}'::jsonb
            WHERE args->>'n' = '\($0)'
            """
        }, number: "(j.args->>'n')::int")

    private static let river = PlayedTable(
        name: "river",
        schema: """
            CREATE TYPE river_job_state AS ENUM ('available', 'cancelled', 'completed', 'discarded',
                'pending', 'retryable', 'running', 'scheduled');
            CREATE TABLE river_job (id bigserial PRIMARY KEY, args jsonb NOT NULL,
                attempt smallint NOT NULL DEFAULT 0, attempted_at timestamptz, attempted_by text[],
                created_at timestamptz NOT NULL DEFAULT now(), errors jsonb[],
                finalized_at timestamptz, kind text NOT NULL, max_attempts smallint NOT NULL,
                priority smallint NOT NULL DEFAULT 1, queue text NOT NULL,
                state river_job_state NOT NULL DEFAULT 'available',
                scheduled_at timestamptz NOT NULL DEFAULT now(),
                CHECK ((finalized_at IS NULL) = (state NOT IN ('cancelled', 'completed',
                'discarded'))))
            """,
        insert: {
            """
            INSERT INTO river_job (queue, kind, max_attempts, args)
            VALUES (\($0), 'run', 25, '{"n":\($1)}')
            """
        },
        claim: """
            UPDATE river_job j SET state = 'running', attempt = attempt + 1 WHERE id = (
            SELECT id FROM river_job WHERE state = 'available' AND scheduled_at <= now()
            ORDER BY priority, scheduled_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING (args->>'n')::int
            """,
        finish: {
            """
            UPDATE river_job SET state = 'completed', finalized_at = now()
            WHERE args->>'n' = '\($0)'
            """
        },
        fail: {
            """
            UPDATE river_job SET state = 'available', scheduled_at = now(),
            errors = array_append(errors, '{"at":"2026-01-01T00:00:00Z","error":"boom"}'::jsonb)
            WHERE args->>'n' = '\($0)'
            """
        }, number: "(j.args->>'n')::int")

    private static let goodJob = PlayedTable(
        name: "goodjob",
        schema: """
            CREATE TABLE good_jobs (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), queue_name text,
                priority integer, serialized_params jsonb, scheduled_at timestamp,
                performed_at timestamp, finished_at timestamp, error text,
                created_at timestamp NOT NULL DEFAULT clock_timestamp(),
                updated_at timestamp NOT NULL DEFAULT now(), active_job_id uuid
                DEFAULT gen_random_uuid(), executions_count integer, job_class text,
                locked_by_id uuid);
            CREATE TABLE good_job_executions (id uuid, active_job_id uuid, created_at timestamp,
                finished_at timestamp, error text);
            CREATE TABLE good_job_processes (id uuid, created_at timestamp, updated_at timestamp,
                state jsonb)
            """,
        insert: {
            """
            INSERT INTO good_jobs (queue_name, job_class, scheduled_at, serialized_params)
            VALUES (\($0), 'RunJob', now(), '{"n":\($1)}')
            """
        },
        claim: """
            UPDATE good_jobs j SET performed_at = now(),
            executions_count = coalesce(executions_count, 0) + 1 WHERE id = (
            SELECT id FROM good_jobs WHERE finished_at IS NULL AND performed_at IS NULL
            AND (scheduled_at IS NULL OR scheduled_at <= now())
            ORDER BY priority ASC NULLS LAST, created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING (serialized_params->>'n')::int
            """,
        finish: {
            "UPDATE good_jobs SET finished_at = now() WHERE serialized_params->>'n' = '\($0)'"
        },
        fail: {
            """
            UPDATE good_jobs SET performed_at = NULL, scheduled_at = now(), error = 'boom'
            WHERE serialized_params->>'n' = '\($0)'
            """
        }, number: "(j.serialized_params->>'n')::int")

    private static let que = PlayedTable(
        name: "que",
        schema: """
            CREATE TABLE que_jobs (priority smallint NOT NULL DEFAULT 100,
                run_at timestamptz NOT NULL DEFAULT now(), id bigserial PRIMARY KEY,
                job_class text NOT NULL, error_count integer NOT NULL DEFAULT 0,
                last_error_message text, queue text NOT NULL, last_error_backtrace text,
                finished_at timestamptz, expired_at timestamptz, args jsonb NOT NULL DEFAULT '[]',
                kwargs jsonb NOT NULL DEFAULT '{}', data jsonb NOT NULL DEFAULT '{}');
            CREATE TABLE que_lockers (pid integer PRIMARY KEY, worker_count integer,
                ruby_pid integer, ruby_hostname text, queues text[], listening boolean)
            """,
        insert: {
            "INSERT INTO que_jobs (queue, job_class, args) VALUES (\($0), 'Run', '[\($1)]')"
        },
        claim: """
            SELECT (args->>0)::int FROM (SELECT id, args FROM que_jobs WHERE finished_at IS NULL
                AND expired_at IS NULL AND run_at <= now() ORDER BY priority, run_at, id LIMIT 1) j
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

    private static let pgBoss = PlayedTable(
        name: "pgboss",
        schema: """
            CREATE SCHEMA pgboss;
            CREATE TYPE pgboss.job_state AS ENUM ('created', 'retry', 'active', 'completed',
                'cancelled', 'failed');
            CREATE TABLE pgboss.job (id uuid NOT NULL DEFAULT gen_random_uuid(), name text NOT NULL,
                priority integer NOT NULL DEFAULT 0, data jsonb, state pgboss.job_state NOT NULL
                DEFAULT 'created', retry_limit integer NOT NULL DEFAULT 2, retry_count integer
                NOT NULL DEFAULT 0, start_after timestamptz NOT NULL DEFAULT now(),
                singleton_key text, created_on timestamptz NOT NULL DEFAULT clock_timestamp(),
                completed_on timestamptz, keep_until timestamptz NOT NULL
                DEFAULT now() + interval '14 days', output jsonb, PRIMARY KEY (name, id))
                PARTITION BY LIST (name);
            CREATE TABLE pgboss.others PARTITION OF pgboss.job DEFAULT
            """,
        insert: { "INSERT INTO pgboss.job (name, data) VALUES (\($0), '{\"n\":\($1)}')" },
        claim: """
            UPDATE pgboss.job j SET state = 'active' WHERE id = (
            SELECT id FROM pgboss.job WHERE state < 'active' AND start_after < clock_timestamp()
            ORDER BY priority DESC, created_on, id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING (data->>'n')::int
            """,
        finish: {
            """
            UPDATE pgboss.job SET state = 'completed', completed_on = now()
            WHERE data->>'n' = '\($0)'
            """
        },
        fail: {
            """
            UPDATE pgboss.job SET state = 'retry', retry_count = retry_count + 1,
            start_after = now(), output = '{"message":"boom"}' WHERE data->>'n' = '\($0)'
            """
        }, number: "(j.data->>'n')::int")

    private static let graphile = PlayedTable(
        name: "graphile",
        schema: """
            CREATE SCHEMA graphile_worker;
            CREATE TABLE graphile_worker._private_tasks (id int PRIMARY KEY GENERATED ALWAYS AS
                IDENTITY, identifier text NOT NULL UNIQUE);
            CREATE TABLE graphile_worker._private_jobs (id bigint PRIMARY KEY GENERATED ALWAYS AS
                IDENTITY, job_queue_id int, task_id int NOT NULL, payload json NOT NULL,
                priority smallint NOT NULL DEFAULT 0, run_at timestamptz NOT NULL DEFAULT now(),
                attempts smallint NOT NULL DEFAULT 0, max_attempts smallint NOT NULL DEFAULT 25,
                last_error text, created_at timestamptz NOT NULL DEFAULT now(),
                locked_at timestamptz, locked_by text, is_available boolean GENERATED ALWAYS AS
                (locked_at IS NULL AND attempts < max_attempts) STORED NOT NULL)
            """,
        insert: {
            """
            INSERT INTO graphile_worker._private_tasks (identifier) VALUES (\($0))
            ON CONFLICT DO NOTHING;
            INSERT INTO graphile_worker._private_jobs (task_id, payload)
            SELECT id, '{"n":\($1)}' FROM graphile_worker._private_tasks WHERE identifier = \($0)
            """
        },
        claim: """
            UPDATE graphile_worker._private_jobs j SET attempts = attempts + 1, locked_at = now()
            WHERE id = (SELECT id FROM graphile_worker._private_jobs WHERE is_available
            AND run_at <= now() ORDER BY priority, run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING (payload->>'n')::int
            """,
        finish: { "DELETE FROM graphile_worker._private_jobs WHERE payload->>'n' = '\($0)'" },
        fail: {
            """
            UPDATE graphile_worker._private_jobs SET last_error = 'boom', locked_at = NULL,
            run_at = now() WHERE payload->>'n' = '\($0)'
            """
        }, number: "(j.payload->>'n')::int")

    private static let procrastinate = PlayedTable(
        name: "procrastinate",
        schema: """
            CREATE TYPE procrastinate_job_status AS ENUM ('todo', 'doing', 'succeeded', 'failed',
                'cancelled', 'aborted');
            CREATE TABLE procrastinate_jobs (id bigserial PRIMARY KEY, queue_name text NOT NULL,
                task_name text NOT NULL, priority integer NOT NULL DEFAULT 0, lock text,
                queueing_lock text, args jsonb NOT NULL, status procrastinate_job_status NOT NULL
                DEFAULT 'todo', scheduled_at timestamptz, attempts integer NOT NULL DEFAULT 0,
                worker_id bigint);
            CREATE TABLE procrastinate_events (id bigserial, job_id bigint, type text, at
                timestamptz);
            CREATE TABLE procrastinate_workers (id bigserial, last_heartbeat timestamptz)
            """,
        insert: {
            """
            INSERT INTO procrastinate_jobs (queue_name, task_name, args)
            VALUES (\($0), 'run', '{"n":\($1)}')
            """
        },
        claim: """
            UPDATE procrastinate_jobs j SET status = 'doing' WHERE id = (
            SELECT id FROM procrastinate_jobs WHERE status = 'todo'
            AND (scheduled_at IS NULL OR scheduled_at <= now()) ORDER BY priority DESC, id
            LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING (args->>'n')::int
            """,
        finish: { "UPDATE procrastinate_jobs SET status = 'succeeded' WHERE args->>'n' = '\($0)'" },
        fail: {
            """
            UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1,
            scheduled_at = now() WHERE args->>'n' = '\($0)'
            """
        }, number: "(j.args->>'n')::int")
}
