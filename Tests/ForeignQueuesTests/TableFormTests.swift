import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite(
    "tables of known systems in a form that is not read", .enabled(if: PostgresServer.isInstalled),
    .serialized)
struct TableFormTests {
    @Test(
        "tables of a known system that are not read are named, with what does not fit",
        arguments: [
            (
                "oban",
                """
                CREATE TABLE oban_jobs (id bigint, state text, worker text, max_attempts integer,
                scheduled_at timestamp)
                """, "the table app.oban_jobs of Oban lacks the column meta"
            ),
            (
                "pgboss",
                """
                CREATE TABLE job (id uuid, name text, state text, startafter timestamptz,
                singletonkey text, keepuntil timestamptz, policy text, completed_on timestamptz)
                """,
                "the table app.job of pg-boss lacks the columns keep_until, retry_limit, "
                    + "singleton_key, start_after"
            ),
            (
                "procrastinate",
                """
                CREATE TABLE procrastinate_jobs (id bigint, queue_name text, task_name text,
                scheduled_at timestamptz)
                """,
                "the table app.procrastinate_jobs of Procrastinate lacks the column queueing_lock"
            ),
            (
                "graphile",
                "CREATE TABLE jobs (id bigint, task_identifier text, run_at date, locked_by text)",
                "Graphile Worker has the table app.jobs there, and no table _private_jobs"
            ),
            (
                "laravel",
                """
                CREATE TABLE jobs (id bigint, queue text, payload text, attempts integer,
                reserved integer, reserved_at integer, available_at integer)
                """,
                "the table app.jobs of Laravel lacks the column created_at and has, in addition, "
                    + "the column reserved"
            ),
            (
                "solidqueue",
                """
                CREATE TABLE solid_queue_jobs (id bigint, queue_name text, class_name text,
                arguments text, priority integer, active_job_id text, scheduled_at timestamp,
                finished_at timestamp, created_at timestamp)
                """,
                "the table app.solid_queue_jobs of Solid Queue lacks the column concurrency_key"
            ),
        ])
    func unfit(system: String, statement: String, words: String) throws {
        let address = try VersionTests.database { session in
            try session.run("CREATE SCHEMA app; SET search_path = app; \(statement)")
        }
        for (address, system) in [
            (address, nil), (address, system), (VersionTests.option(address, "schema=app"), nil),
        ] {
            let error = #expect(throws: QueueError.self) {
                try VersionTests.open(address, as: system)
            }
            #expect(error?.code == .notAStore)
            #expect(error?.message.hasSuffix(": \(words)") == true, "\(error?.message ?? "")")
            #expect(error?.fix.contains("docs/foreign/tables.md") == true)
        }
        // Another schema, and another system, have nothing.
        for (address, system) in [
            (VersionTests.option(address, "schema=gamma"), nil), (address, "river"),
        ] {
            let error = #expect(throws: QueueError.self) {
                try VersionTests.open(address, as: system)
            }
            #expect(error?.message.contains(" holds none of ") == true)
        }
    }

    @Test(
        "a known table without another one of its system names the one that lacks",
        arguments: [
            ("solidqueue", "solidqueue", "solid_queue_jobs", "solid_queue_ready_executions"),
            ("solidqueue", "solidqueue", "solid_queue_jobs", "solid_queue_pauses"),
            ("goodjob", "goodjob", "good_jobs", "good_job_executions"),
            ("goodjob", "goodjob", "good_jobs", "good_job_processes"),
            ("procrastinate", "procrastinate", "procrastinate_jobs", "procrastinate_events"),
            ("graphile", "graphile", "_private_jobs", "_private_tasks"),
            ("que", "que", "que_jobs", "que_lockers"),
            ("pgqueuer", "pgqueuer", "pgqueuer", "pgqueuer_log"),
        ])
    func companions(system: String, schema: String, table: String, companion: String) throws {
        let address = try VersionTests.database { session in
            for part in try PlayedTable.schema(schema) { try session.run(part) }
        }
        #expect(try VersionTests.open(address).systems.map(\.name) == [system])
        let session = try SQLSession(address)
        let place =
            try session.rows(
                "SELECT relnamespace::regnamespace::text AS name FROM pg_class "
                    + "WHERE relname = '\(companion)'"
            ).first?["name"]?.string ?? ""
        try session.run("DROP TABLE \(place).\(companion) CASCADE")
        for asked in [nil, system] {
            let error = #expect(throws: QueueError.self) {
                try VersionTests.open(address, as: asked)
            }
            #expect(error?.code == .notAStore)
            #expect(
                error?.message.contains(" has the table \(place).\(table) there, and no table ")
                    == true, "\(error?.message ?? "")")
            #expect(error?.message.hasSuffix(companion) == true, "\(error?.message ?? "")")
        }
    }

    @Test("a table that only some versions of River have may lack")
    func optional() throws {
        let bench = try TableBench(.river, tasks: 2)
        try bench.session.run("DROP TABLE IF EXISTS river_queue CASCADE")
        #expect(try bench.queue()?.waiting == 2)
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        #expect(try bench.queue()?.held == 2)
    }

    @Test("an app's own table with the name of a system's is no form of that")
    func others() throws {
        let address = try VersionTests.database { session in
            try session.run(
                "CREATE TABLE jobs (id bigint, title text); CREATE TABLE job (id bigint, name text)"
            )
        }
        let error = #expect(throws: QueueError.self) { try VersionTests.open(address) }
        #expect(error?.message.contains(" holds none of ") == true)
        // A system that fits hides the others.
        let session = try SQLSession(address)
        try session.run("CREATE TABLE oban_jobs (id bigint)")
        for part in try PlayedTable.schema("procrastinate-2.15.1") { try session.run(part) }
        #expect(try VersionTests.open(address).systems.map(\.name) == ["procrastinate"])
    }
}
