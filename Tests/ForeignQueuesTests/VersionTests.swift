import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite(
    "schemas and versions of other systems' tables", .enabled(if: PostgresServer.isInstalled),
    .serialized)
struct VersionTests {
    /// A database with what `fill` makes, and its address.
    static func database(_ fill: (SQLSession) throws -> Void) throws -> String {
        let server = try PostgresServer.shared()
        let name = "version_\(server.newName())"
        try server.run("CREATE DATABASE \(name)")
        let address = server.address(name)
        try fill(try SQLSession(address))
        return address
    }

    static func open(_ address: String, as system: String? = nil) throws -> ForeignStore {
        try ForeignStore.open(address, as: system, keepers: KeeperLauncher { _, _ in })
    }

    static func option(_ address: String, _ option: String) -> String {
        address + (address.contains("?") ? "&" : "?") + option
    }

    // Schemas.

    /// Oban in two schemas, in each a job of a worker of its name.
    private static func twice() throws -> String {
        try database { session in
            for schema in ["alpha", "Beta"] {
                try session.run("CREATE SCHEMA \(SQLSession.name(schema))")
                try session.use(schema: schema)
                try PlayedTable.oban.install(session)
                try session.run("INSERT INTO oban_jobs (worker) VALUES ('\(schema)')")
            }
        }
    }

    private static func workers(_ store: ForeignStore) throws -> [String] {
        try store.systems.flatMap {
            try $0.page(ForeignQuery(queue: "default")).tasks.map(\.type)
        }
    }

    @Test("a system in two schemas is not taken from one of them in silence")
    func refused() throws {
        let address = try Self.twice()
        for system in [nil, "oban"] {
            let error = #expect(throws: QueueError.self) { try Self.open(address, as: system) }
            #expect(error?.code == .notLegal)
            #expect(error?.message.hasSuffix("has Oban in 2 schemas: Beta, alpha") == true)
            #expect(error?.fix.hasSuffix("schema=Beta") == true)
        }
        // Another system in that database is invisible.
        #expect(throws: QueueError.self) { try Self.open(address, as: "river") }
    }

    @Test("an address names the schema itself, or by its search path")
    func chosen() throws {
        let address = try Self.twice()
        func workers(_ option: String) throws -> [String] {
            try Self.workers(try Self.open(Self.option(address, option)))
        }
        #expect(try workers("schema=alpha") == ["alpha"])
        #expect(try workers("schema=%42eta") == ["Beta"])
        #expect(try workers("options=-csearch_path%3Dalpha") == ["alpha"])
        #expect(try workers("options=-csearch_path%3Dpublic,%22Beta%22") == ["Beta"])
        let none = #expect(throws: QueueError.self) { try workers("schema=gamma") }
        #expect(none?.code == .notAStore && none?.message.contains("schema=gamma") == true)
        // Two schemas on the path are one: PostgreSQL takes the first.
        #expect(try workers("options=-csearch_path%3Dalpha,%22Beta%22") == ["alpha"])
    }

    @Test("an address with a schema is another system's, and shows that schema and no secret")
    func addresses() {
        let address = "postgres://kim:secret@host/db?sslmode=disable&schema=a%20b&password=x"
        #expect(ForeignStore.isForeign(address))
        #expect(!ForeignStore.isForeign("postgres://host/db?sslmode=disable"))
        let shown = ForeignStore.shownName(address)
        #expect(shown == "postgres://kim@host/db?sslmode=disable&schema=a%20b")
        let choice = SchemaChoice(address)
        #expect(choice.address == "postgres://kim:secret@host/db?sslmode=disable&password=x")
        #expect(choice.asked == "a b")
        #expect(SchemaChoice("postgres://h/db?schema=x").address == "postgres://h/db")
        #expect(SchemaChoice("postgres://h/db").asked == nil)
    }

    // Versions.

    @Test("a blocked job of pg-boss is blocked, says on what it depends, and no step picks it")
    func blocked() throws {
        let bench = try TableBench(.pgBoss, tasks: 2)
        let ids = try bench.waiting().map(\.reference)
        // As send with dependsOn does: the first one depends on the second.
        try bench.session.run(
            """
            UPDATE pgboss.job SET blocked = true, pending_dependencies = 1 WHERE id = '\(ids[0])';
            UPDATE pgboss.job SET blocking = true WHERE id = '\(ids[1])';
            INSERT INTO pgboss.job_dependency (child_name, child_id, parent_name, parent_id)
            SELECT name, '\(ids[0])', name, '\(ids[1])' FROM pgboss.job WHERE id = '\(ids[1])'
            """)
        #expect(try bench.waiting().map(\.display) == [.due, .blocked])
        let page = try bench.system.page(ForeignQuery(queue: TableBench.queue))
        #expect(page.withNext(isFirst: true).tasks.map(\.display) == [.next, .blocked])
        #expect(page.withNext(isFirst: false) == page)
        let child = try #require(try bench.system.detail(ids[0]))
        let why = try #require(try bench.system.obstacle(of: child))
        #expect(why.hasPrefix("it depends on \(ids[1]) of "))
        #expect(why.hasSuffix(" (created)"))
        let queue = try #require(try bench.queue())
        #expect(queue.waiting == 2 && queue.blocked == 1)
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        #expect(try bench.waiting().map(\.display) == [.held, .blocked])
        #expect(try bench.queue()?.held == 1)
        // Jobs that pg-boss adds in the meantime are held as well.
        try bench.session.run(
            """
            UPDATE pgboss.job SET blocked = false, pending_dependencies = 0
            WHERE id = '\(ids[0])'
            """)
        #expect(try bench.waiting().map(\.display) == [.held, .held])
        _ = try bench.system.release(TableBench.queue)
        #expect(try bench.waiting().map(\.display) == [.due, .due])
    }

    @Test("executions of pg-boss count from their begin, the first one too")
    func executions() throws {
        let bench = try TableBench(.pgBoss, tasks: 1)
        let id = try #require(try bench.waiting().first?.reference)
        func count() throws -> Int? { try bench.system.detail(id)?.task.attempts }
        #expect(try count() == 0)
        for number in 1...2 {
            try bench.session.run(bench.played.claim)
            #expect(try count() == number)
            try bench.session.run(bench.played.fail(1))
            #expect(try count() == number)
        }
        // A retry by hand keeps the count, and raises the limit by one.
        try bench.session.run("UPDATE pgboss.job SET state = 'failed', retry_limit = 1")
        _ = try bench.system.change(id, .retry, by: "dana")
        let task = try #require(try bench.system.detail(id)?.task)
        #expect(task.attempts == 2 && task.attemptLimit == 3)
    }

    @Test("a locker of Que whose connection has ended is no worker")
    func lockers() throws {
        let bench = try TableBench(.que, tasks: 1)
        try bench.session.run(
            """
            INSERT INTO que_lockers (pid, worker_count, worker_priorities, ruby_pid, ruby_hostname,
            queues, listening, job_schema_version)
            VALUES (pg_backend_pid(), 2, '{NULL,NULL}', 7, 'alive', '{mail}', true, 2),
            (2147483647, 2, '{NULL,NULL}', 8, 'killed', '{mail}', true, 2)
            """)
        #expect(try bench.system.runners().map(\.host) == ["alive"])
    }

    @Test("a job of Oban without an attempt left is not due, and no step picks it")
    func spent() throws {
        let bench = try TableBench(.oban, tasks: 2)
        try bench.session.run("UPDATE oban_jobs SET attempt = 3, max_attempts = 3 WHERE id = 1")
        #expect(try bench.waiting().map(\.display) == [.due, .blocked])
        let detail = try #require(try bench.system.detail("1"))
        #expect(
            try bench.system.obstacle(of: detail)
                == "it has no attempt left: Oban starts it no more")
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        #expect(try bench.waiting().map(\.display) == [.held, .blocked])
        #expect(try bench.session.value(of: bench.played.claim) == "")
        _ = try bench.system.release(TableBench.queue)
        #expect(try bench.queue()?.waiting == 2)
    }

    @Test("a pending job of River is blocked in the counts too")
    func pending() throws {
        let bench = try TableBench(.river, tasks: 2)
        try bench.session.run("UPDATE river_job SET state = 'pending' WHERE id = 1")
        let queue = try #require(try bench.queue())
        #expect(queue.waiting == 2 && queue.blocked == 1)
    }

    @Test(
        "a version of tables that came after the known ones is told",
        arguments: [
            ("river", "INSERT INTO river_migration (line, version) VALUES ('main', 8)"),
            ("pgboss", "UPDATE pgboss.version SET version = 38"),
            ("graphile", "INSERT INTO graphile_worker.migrations (id) VALUES (21)"),
            ("oban", "COMMENT ON TABLE oban_jobs IS '15'"),
            ("que", "COMMENT ON TABLE que_jobs IS '8'"),
        ])
    func newer(name: String, statement: String) throws {
        let bench = try TableBench(try PlayedTable.named(name), tasks: 1)
        #expect(try bench.system.newerEdition() == nil)
        try bench.session.run(statement)
        let told = try #require(try bench.system.newerEdition())
        #expect(told.hasPrefix("its tables are of version ") && told.hasSuffix(" are known"))
    }

    @Test("Graphile Worker's migration 20, which makes anew what adds jobs, is a known one")
    func known() throws {
        let bench = try TableBench(try PlayedTable.named("graphile"), tasks: 1)
        try bench.session.run("INSERT INTO graphile_worker.migrations (id) VALUES (20)")
        #expect(try bench.system.newerEdition() == nil)
    }

    @Test("Procrastinate 2.15.1 is read without the tables and columns that came later")
    func old() throws {
        let address = try Self.database { session in
            for part in try PlayedTable.schema("procrastinate-2.15.1") { try session.run(part) }
            try session.run(
                """
                INSERT INTO procrastinate_jobs (queue_name, task_name, args)
                VALUES ('mail', 'run', '{}'), ('mail', 'run', '{}')
                """)
            try session.run("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = 1")
        }
        let system = try #require(try Self.open(address).systems.first)
        #expect(!system.listsRunners)
        #expect(try system.runners().isEmpty)
        let queue = try #require(try system.queues().first)
        #expect(queue.running == 1 && queue.waiting == 1)
        #expect(system.refusal(of: .reclaim) != nil)
        _ = try system.hold("mail", RQBench.note)
        #expect(try system.queues().first?.held == 1)
        _ = try system.release("mail")
    }

    @Test("a job of a worker that is silent for a minute goes back by its system's own tool")
    func reclaimed() throws {
        let bench = try TableBench(try PlayedTable.named("procrastinate"), tasks: 2)
        let id = try #require(try bench.waiting().first?.reference)
        try bench.session.run(
            """
            INSERT INTO procrastinate_workers DEFAULT VALUES;
            UPDATE procrastinate_jobs SET status = 'doing', worker_id = 1 WHERE id = \(id)
            """)
        let error = #expect(throws: QueueError.self) { try bench.system.reclaim(id) }
        #expect(error?.message.hasPrefix("task \(id) runs: its worker 1 gave a sign") == true)
        #expect(try bench.system.require(id).task.display == .running)
        try bench.session.run(
            "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '61 seconds'")
        #expect(try bench.system.reclaim(id).changed == [id])
        #expect(try bench.waiting().map(\.reference).contains(id))
        #expect(throws: QueueError.self) { try bench.system.reclaim(id) }
        try bench.session.run(
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = NULL WHERE id = \(id)")
        let unknown = try bench.system.holder(of: bench.system.require(id))
        #expect(unknown?.worker == nil && unknown?.advice.isEmpty == false)
    }

    @Test("a system of rows is opened by its name at PostgreSQL")
    func named() throws {
        let address = try Self.database { session in
            try session.run(
                """
                CREATE TABLE jobs (id bigserial PRIMARY KEY, queue text NOT NULL,
                payload text NOT NULL, attempts smallint NOT NULL, reserved_at integer,
                available_at integer NOT NULL, created_at integer NOT NULL)
                """)
        }
        let store = try ForeignStore.open(
            address, as: "laravel", keepers: KeeperLauncher { _, _ in })
        #expect(store.systems.map(\.name) == ["laravel"])
    }

    @Test("Oban before its migration 14 is shown, and its queues are not held")
    func unheld() throws {
        let address = try Self.database { session in
            for part in try PlayedTable.schema("oban") {
                // As it was without the last state.
                let mark = "ALTER TYPE oban_job_state ADD VALUE 'suspended' AFTER 'scheduled';"
                let parts = part.split(separator: mark, omittingEmptySubsequences: false)
                try session.run(parts.joined(separator: "NULL;"))
            }
            try session.run("INSERT INTO oban_jobs (worker) VALUES ('Run')")
        }
        let system = try #require(try Self.open(address).systems.first)
        #expect(try system.queues().first?.waiting == 1)
        #expect(try system.page(ForeignQuery(queue: "default")).tasks.map(\.display) == [.due])
        #expect(system.refusal(of: .pause)?.contains("migration 14") == true)
        #expect(system.refusal(of: .retry) == nil)
    }

    // Counts.

    @Test("of a large table what runs and failed is exact or a bound, and no estimate says it runs")
    func bounds() throws {
        let bench = try TableBench(.procrastinate, tasks: 1)
        let system = try #require(bench.system as? TableSystem)
        try bench.session.run(
            """
            SET session_replication_role = replica;
            INSERT INTO procrastinate_jobs (queue_name, task_name, args, status)
            SELECT 'q' || (i % 2), 'run', '{}', (CASE WHEN i % 10 < 4 THEN 'failed'
            WHEN i % 10 = 5 THEN 'todo' ELSE 'succeeded' END)::procrastinate_job_status
            FROM generate_series(1, 60000) i;
            """)
        try bench.session.run("ANALYZE procrastinate_jobs")
        system.bound = 100
        try until("it is counted") {
            let counted = try system.counted(within: 4)
            let failed = counted.filter { $0.display == .failed && $0.queue.hasPrefix("q") }
            return failed.count == 2
                && failed.allSatisfy { $0.count == 100 && $0.isBound && !$0.isEstimate }
                && !counted.contains { $0.display == .running && $0.count > 0 }
        }
        // A count that the server does not finish is no estimate either.
        let unfinished = try system.counted(within: 0).filter {
            [.failed, .running].contains($0.display)
        }
        #expect(!unfinished.isEmpty)
        #expect(unfinished.allSatisfy { $0.count == 0 && $0.isBound && !$0.isEstimate })
        var queue = ForeignQueue(name: "q0", system: "procrastinate")
        queue.add(9977, .running, isEstimate: true)
        #expect(!queue.isInFlight && queue.estimates == [.running])
        queue.add(1, .held, isEstimate: true)
        #expect(queue.leftAside == 0)
        queue.add(10_000, .failed, isBound: true)
        #expect(queue.bounds == [.failed])
        #expect(queue.marked("10,000", .failed) == "10,000+" && !queue.isExact(.failed))
        // A lower bound of zero is no figure.
        queue.bounds.insert(.delayed)
        #expect(queue.marked("0", .delayed) == "?" && queue.marked("0", .taken) == "0")
    }

    @Test("a queue says since when it waits, and when something was started last")
    func ages() throws {
        let bench = try TableBench(.oban, tasks: 2)
        try bench.session.run(
            """
            UPDATE oban_jobs SET scheduled_at = '2026-01-02 03:04:05' WHERE id = 1;
            INSERT INTO oban_jobs (queue, worker, state, attempted_at)
            SELECT queue, 'Run', 'completed', '2026-01-02 03:00:00' FROM oban_jobs WHERE id = 1
            """)
        let queue = try #require(try bench.queue())
        #expect(queue.oldest.map(TimeText.rfc3339) == "2026-01-02T03:04:05.000Z")
        #expect(queue.startedAt.map(TimeText.rfc3339) == "2026-01-02T03:00:00.000Z")
    }
}
