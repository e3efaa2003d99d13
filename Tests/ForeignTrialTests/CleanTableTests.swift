import SluiceModel
import SluicePlatform
import SluicePostgresHarness
import Testing

/// Each text of each column of another system's tables steers a terminal, one column after the
/// other; no command writes it as it is.
@Suite("Output of other systems' tables without control characters")
struct CleanTableTests {
    private static let tests = String(
        #filePath.dropLast("/ForeignTrialTests/CleanTableTests.swift".count))

    /// A system: its tables, two tasks, and how the second of them fails.
    struct Tables: Sendable, CustomTestStringConvertible {
        var name: String
        var file: String
        var rows: [String] = []
        var testDescription: String { name }
    }

    private static func played(_ name: String, _ rows: String...) -> Tables {
        Tables(
            name: name, file: "ForeignTrialTests/Programs/Schemas/\(name).sql", rows: rows)
    }

    private static let all: [Tables] =
        ["laravel", "delayedjob", "symfony", "djangotasks", "djangoq"].map {
            Tables(name: $0, file: "ForeignQueuesTests/Fixtures/rows-\($0)-postgres.sql")
        } + [
            played(
                "oban",
                """
                INSERT INTO oban_jobs (queue, worker, args) VALUES ('mail', 'Run', '{"n":"a"}'),
                ('mail', 'Run', '{"n":"b"}')
                """,
                """
                UPDATE oban_jobs SET state = 'discarded', attempt = 20, discarded_at = now(),
                attempted_by = '{node}', tags = '{tag}', errors = ARRAY[
                '{"at":"2026-11-01T00:00:00Z","attempt":1,"error":"bad"}'::jsonb]
                WHERE args->>'n' = 'b'
                """),
            played(
                "river",
                """
                INSERT INTO river_job (queue, kind, max_attempts, args)
                VALUES ('mail', 'run', 25, '{"n":"a"}'), ('mail', 'run', 25, '{"n":"b"}')
                """,
                """
                UPDATE river_job SET state = 'discarded', finalized_at = now(), attempt = 2,
                attempted_by = '{node}', tags = '{tag}', errors = ARRAY[
                '{"at":"2026-11-01T00:00:00Z","attempt":1,"error":"bad","trace":"x"}'::jsonb]
                WHERE args->>'n' = 'b'
                """),
            played(
                "goodjob",
                """
                INSERT INTO good_jobs (active_job_id, queue_name, job_class, priority, scheduled_at,
                created_at, updated_at, serialized_params, error, finished_at)
                VALUES (gen_random_uuid(), 'mail', 'RunJob', 0, now(), now(), now(),
                '{"n":"a","arguments":["x"]}', NULL, NULL),
                (gen_random_uuid(), 'mail', 'RunJob', 0, now(), now(), now(),
                '{"n":"b","arguments":["x"]}', 'E: bad', now())
                """),
            played(
                "que",
                """
                INSERT INTO que_jobs (queue, job_class, args, job_schema_version)
                VALUES ('mail', 'Run', '["a"]', 2), ('mail', 'Run', '["b"]', 2)
                """,
                """
                UPDATE que_jobs SET error_count = 2, last_error_message = 'bad',
                last_error_backtrace = 'x' WHERE args->>0 = 'b'
                """),
            played(
                "pgboss", "SELECT pgboss.create_queue('mail', '{\"policy\":\"standard\"}')",
                """
                INSERT INTO pgboss.job (name, data) VALUES ('mail', '{"n":"a"}'),
                ('mail', '{"n":"b"}')
                """,
                """
                UPDATE pgboss.job SET state = 'failed', output = '{"message":"bad","stack":"x"}',
                completed_on = now(), started_on = now() WHERE data->>'n' = 'b'
                """),
            played(
                "graphile", "SELECT graphile_worker.add_job('mail', '{\"n\":\"a\"}'::json)",
                "SELECT graphile_worker.add_job('mail', '{\"n\":\"b\"}'::json)",
                """
                UPDATE graphile_worker._private_jobs SET attempts = max_attempts,
                last_error = 'bad' WHERE payload->>'n' = 'b'
                """),
            played(
                "procrastinate",
                """
                INSERT INTO procrastinate_jobs (queue_name, task_name, args, lock, queueing_lock)
                VALUES ('mail', 'run', '{"n":"a"}', 'l', 'ql'),
                ('mail', 'run', '{"n":"b"}', 'm', 'qm')
                """,
                """
                UPDATE procrastinate_jobs SET status = 'failed', attempts = 1
                WHERE args->>'n' = 'b'
                """),
            played(
                "solidqueue",
                """
                WITH job AS (INSERT INTO solid_queue_jobs (queue_name, class_name, arguments,
                active_job_id, scheduled_at, created_at, updated_at)
                SELECT 'mail', 'RunJob', '{"n":"a","arguments":["x"]}', gen_random_uuid()::text,
                now(), now(), now() FROM generate_series(1, 2) RETURNING *),
                ready AS (INSERT INTO solid_queue_ready_executions
                (job_id, queue_name, priority, created_at)
                SELECT id, queue_name, priority, now() FROM job ORDER BY id LIMIT 1)
                INSERT INTO solid_queue_failed_executions (job_id, error, created_at)
                SELECT id, '{"exception_class":"E","message":"bad","backtrace":["x"]}', now()
                FROM job ORDER BY id DESC LIMIT 1
                """),
        ]

    /// Ways to put a text into a column of a type, as the value of `c`.
    private static func values(_ type: String) -> [String] {
        let escaped = JSONValue.string(Poison.text).text.dropFirst().dropLast()
        let inJSON = escaped.split(separator: "\\", omittingEmptySubsequences: false)
            .joined(separator: "\\\\")
        let strings = #"regexp_replace(c::text, '":\s*"([^"]*)"', '":"\1\#(inJSON)"', 'g')"#
        let keys = #"regexp_replace(c::text, '"([^"]*)":', '"\1\#(inJSON)":', 'g')"#
        let elements = #"regexp_replace(c::text, '([\[,] *)"([^"]*)"', '\1"\2\#(inJSON)"', 'g')"#
        switch type {
        case "text", "varchar":
            return ["c || '\(Poison.text)'", "coalesce(c, '') || '\(Poison.text)'", strings, keys]
        case "json", "jsonb": return [strings, keys, elements].map { "(\($0))::\(type)" }
        case "_text", "_varchar": return ["array_append(c, '\(Poison.text)')"]
        case "_json", "_jsonb":
            return [strings, keys].map { text in
                let one = text.split(separator: "c::text").joined(separator: "e::text")
                return "ARRAY(SELECT (\(one))::\(type.dropFirst()) FROM unnest(c) e)"
            }
        default: return []
        }
    }

    @Test(
        "D3 K11 each text in a table is made harmless wherever a command shows it",
        .enabled(if: PostgresServer.isInstalled), arguments: all)
    func tables(_ system: Tables) throws {
        let server = try PostgresServer.shared()
        let base = "clean_\(server.newName())"
        try server.run("CREATE DATABASE \(base)")
        let text = String(
            decoding: try Files.read("\(Self.tests)/\(system.file)", limitBytes: 1 << 20),
            as: UTF8.self)
        var rest = text[...]
        while let mark = rest.firstRange(of: "-- part\n") {
            try server.run(String(rest[..<mark.lowerBound]), in: base)
            rest = rest[mark.upperBound...]
        }
        try server.run(String(rest), in: base)
        for row in system.rows { try server.run(row, in: base) }
        let columns = try server.value(
            of: """
                SELECT coalesce(string_agg(concat_ws(' ', format('%I.%I', c.table_schema,
                c.table_name), quote_ident(c.column_name), c.udt_name), chr(10)), '')
                FROM information_schema.columns c JOIN information_schema.tables t
                USING (table_schema, table_name) WHERE t.table_type = 'BASE TABLE'
                AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
                """, in: base)
        var (tally, refused) = (PoisonBench.Tally(), 0)
        for line in columns.split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            let (table, column, type) = (parts[0], parts[1], parts[2])
            guard try server.value(of: "SELECT count(*) FROM \(table)", in: base) != "0" else {
                continue
            }
            for value in Self.values(type) {
                let name = "clean_\(server.newName())"
                try server.run("CREATE DATABASE \(name) TEMPLATE \(base)")
                defer { try? server.run("DROP DATABASE \(name) WITH (FORCE)") }
                let new = "UPDATE \(table) SET \(column) = (SELECT \(value) FROM (SELECT "
                // A column of words that the system chose takes no other text.
                guard (try? server.run("\(new)\(column) AS c) x)", in: name)) != nil else {
                    refused += 1
                    continue
                }
                tally += PoisonBench(address: server.address(name), system: nil)
                    .read("\(system.name) \(table).\(column)")
            }
        }
        print("clean output: \(system.name), \(tally), \(refused) columns refused the text")
        #expect(tally.stores > 5 && tally.shown > 40, "\(tally)")
    }
}
