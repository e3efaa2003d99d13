import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite(
    "constraints of other systems' tables", .enabled(if: PostgresServer.isInstalled), .serialized)
struct ConstraintTests {
    /// Oban Pro's addition: a unique key that applies only in some states.
    private static let obanPro = """
        CREATE FUNCTION oban_state_to_bit(state oban_job_state) RETURNS jsonb
        LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT CASE state WHEN 'scheduled' THEN '0'::jsonb
        WHEN 'available' THEN '1' WHEN 'executing' THEN '2' WHEN 'retryable' THEN '3'
        WHEN 'completed' THEN '4' WHEN 'cancelled' THEN '5' WHEN 'discarded' THEN '6'
        WHEN 'suspended' THEN '7' END $$;
        ALTER TABLE oban_jobs ADD COLUMN uniq_key text GENERATED ALWAYS AS (
            CASE WHEN meta->'uniq_bmp' @> oban_state_to_bit(state) THEN meta->>'uniq_key' END)
            STORED;
        CREATE UNIQUE INDEX oban_jobs_unique_index ON oban_jobs (uniq_key)
        WHERE uniq_key IS NOT NULL
        """

    private static func oban(_ keys: [String]) throws -> TableBench {
        let bench = try TableBench(.oban, tasks: 1)
        try bench.session.run("DELETE FROM oban_jobs; ALTER SEQUENCE oban_jobs_id_seq RESTART")
        try bench.session.run(obanPro)
        for key in keys { try insert(key, bench) }
        return bench
    }

    private static func insert(_ key: String, _ bench: TableBench) throws {
        try bench.session.run(
            """
            INSERT INTO oban_jobs (queue, worker, args, meta)
            VALUES (\(try SQLSession.literal(TableBench.queue)), 'Sync', '{}',
            '{"uniq_bmp":[0,1,2,3],"uniq_key":"\(key)"}') ON CONFLICT DO NOTHING
            """)
    }

    private static func states(_ bench: TableBench) throws -> [String] {
        try bench.session.rows("SELECT j.state::text AS state FROM oban_jobs j ORDER BY j.id")
            .compactMap { $0["state"]?.string }
    }

    @Test("a resume gives back each job that it can, and names the others with what is in the way")
    func resume() throws {
        let bench = try Self.oban(["a", "b", "c"])
        let queue = TableBench.queue
        (bench.system as? TableSystem)?.partSize = 2
        let held = try bench.system.hold(queue, RQBench.note)
        let warning = held.consequences.filter { $0.contains("oban_jobs_unique_index") }
        #expect(warning.count == 1 && warning[0].contains("resume then names both"))
        // The key counts only in states that a held job has not: another one comes in.
        for key in ["b", "a"] { try Self.insert(key, bench) }
        let first = try bench.system.release(queue).consequences
        #expect(first[0] == "3 given back to \(queue)")
        #expect(first[1] == "#4 stays aside: another waiting job has its uniq_key b (#2)")
        #expect(first[2] == "#5 stays aside: another waiting job has its uniq_key a (#1)")
        #expect(first[3].contains("sluice resume") && first[3].contains("sluice delete 4"))
        let rest = ["suspended", "suspended"]
        #expect(try Self.states(bench) == ["available", "available", "available"] + rest)
        let seen = try #require(try bench.queue())
        #expect(seen.hold == nil && seen.leftAside == 2 && seen.waiting == 5)
        // A list, a copy and a page of the job call it by the same word as `why`.
        let words = ["next", "due", "due", "held", "held"]
        let page = try bench.system.shownPage(ForeignQuery(queue: queue, state: .waiting))
        #expect(page.withNext(isFirst: true).tasks.map(\.display.word) == words)
        let store = ForeignStore(name: "here", systems: [bench.system])
        let look = try store.look(at: { $0.first }, subject: nil)
        #expect(look.tasks.map(\.task.display.word) == words)
        #expect(look.tasks.suffix(2).map(\.task.display.shown) == [.held, .held])
        let detail = try store.find("4").1
        #expect(detail.task.display == .left)
        let why = try bench.system.blockers(of: detail, now: Timestamp(milliseconds: 1))
        #expect(
            why.map(\.text) == [
                "it is held since a hold that ended", "another waiting job has its uniq_key b (#2)",
            ])
        // It continues after the other one has ended.
        try bench.session.run("UPDATE oban_jobs SET state = 'completed' WHERE id = 2")
        let second = try bench.system.release(queue).consequences
        #expect(second[0] == "1 given back to \(queue)" && second[1].hasPrefix("#5 stays aside"))
        // Without the other one nothing is in its way.
        try bench.session.run("UPDATE oban_jobs SET state = 'completed' WHERE id = 1")
        #expect(try bench.system.obstacle(of: bench.system.require("5")) == nil)
        _ = try bench.system.change("5", .delete, by: "dana")
        #expect(throws: QueueError.self) { try bench.system.release(queue) }
        #expect(try bench.queue()?.leftAside == 0)
    }

    @Test("a hold of which no constraint knows gives no warning", arguments: PlayedTable.all)
    func silent(played: PlayedTable) throws {
        let system = try TableBench(played, tasks: 1).system
        guard let table = system as? TableSystem else { return }
        #expect(try table.looseIndexes() == [])
    }

    @Test("a step of a job whose key another one has says which one that is")
    func step() throws {
        let bench = try Self.oban(["a"])
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        try Self.insert("a", bench)
        try bench.session.run(
            "UPDATE oban_jobs SET state = 'executing', meta = meta - 'sluice' WHERE id = 1")
        let error = #expect(throws: QueueError.self) {
            try bench.system.step(TableBench.queue, task: "2", limits: StepLimits())
        }
        #expect(
            error?.message == "2 stays as it is: another running job has its uniq_key a (#1)")
        #expect(error?.code == .uniqueTaken && error?.fix == "sluice show 1")
    }

    @Test("a retry names the job that has the key, in the words of its system")
    func retry() throws {
        func refusal(_ played: PlayedTable, _ statements: String) throws -> String {
            let bench = try TableBench(played, tasks: 2)
            let ids = try bench.waiting().map(\.reference)
            try bench.session.run(statements)
            let error = #expect(throws: QueueError.self) {
                try bench.system.change(ids[0], .retry, by: "dana")
            }
            #expect(error?.code == .uniqueTaken && error?.fix == "sluice show \(ids[1])")
            return error?.message ?? ""
        }
        let procrastinate = try refusal(
            .procrastinate,
            """
            UPDATE procrastinate_jobs SET status = 'failed' WHERE id = 1;
            UPDATE procrastinate_jobs SET queueing_lock = 'doc-7'
            """)
        #expect(procrastinate.contains("another waiting job has its queueing_lock doc-7 (#"))
        let river = try refusal(
            .river,
            """
            UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE id = 1;
            UPDATE river_job SET unique_key = '\\x0102', unique_states = B'11110101'
            """)
        #expect(river.contains(#"another waiting job has its unique_key \x"#))
        let pgBoss = try refusal(
            .pgBoss,
            """
            UPDATE pgboss.job SET state = 'failed' WHERE data->>'n' = '1';
            UPDATE pgboss.job SET policy = 'stately', singleton_key = 'k';
            UPDATE pgboss.job SET state = 'retry' WHERE data->>'n' = '2'
            """)
        #expect(pgBoss.contains("another waiting job has its state retry, singleton_key k"))
    }

    @Test("an undo of a deleted job of Graphile Worker gives its key back, or names who has it")
    func graphileKey() throws {
        let bench = try TableBench(.graphile, tasks: 1)
        let name = try SQLSession.literal(TableBench.queue)
        func add() throws -> String {
            let row = try bench.session.rows(
                """
                SELECT (graphile_worker.add_job(\(name), '{}'::json, job_key => 'k1')).id::text
                AS id
                """)
            return try #require(row.first?["id"]?.string)
        }
        func key(_ id: String) throws -> String? {
            try bench.session.rows(
                "SELECT key FROM graphile_worker._private_jobs WHERE id = \(id)"
            ).first?["key"]?.string
        }
        let first = try add()
        _ = try bench.system.change(first, .delete, by: "dana")
        let second = try add()
        #expect(first != second)
        let error = #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        #expect(
            error?.message
                == "\(first) stays as it is: another waiting job has its key k1 (#\(second))")
        #expect(error?.fix == "sluice show \(second)")
        try bench.session.run("DELETE FROM graphile_worker._private_jobs WHERE id = \(second)")
        #expect(try bench.system.undo(by: "dana")?.changed == [first])
        #expect(try key(first) == "k1")
    }

    @Test("an undo that would give a key twice names the job that has it")
    func undo() throws {
        let bench = try TableBench(.procrastinate, tasks: 2)
        try bench.session.run("UPDATE procrastinate_jobs SET queueing_lock = 'it''s' WHERE id = 1")
        _ = try bench.system.change("1", .delete, by: "dana")
        try bench.session.run("UPDATE procrastinate_jobs SET queueing_lock = 'it''s' WHERE id = 2")
        let error = #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        #expect(
            error?.message
                == "1 stays as it is: another waiting job has its queueing_lock it's (#2)")
        // It is not forgotten.
        try bench.session.run("DELETE FROM procrastinate_jobs WHERE id = 2")
        #expect(try bench.system.undo(by: "dana")?.changed == ["1"])
    }

    @Test("what a rule of a table refuses is no question of rights")
    func rules() throws {
        let bench = try TableBench(.river, tasks: 1)
        let error = #expect(throws: QueueError.self) {
            try bench.system.change("1", .priority(9), by: "dana")
        }
        #expect(
            error?.message
                == "1 stays as it is: the constraint priority_in_range of River refuses it")
        #expect(error?.code == .notLegal && error?.fix == "")
    }

    @Test(
        "a hint is given only where it helps",
        arguments: [
            ("42501", QueueError.Code.denied, "ask with a role that may"),
            ("23505", .uniqueTaken, ""), ("23514", .notLegal, ""), ("XX000", .denied, ""),
            ("55P03", .storeBusy, "another transaction has the rows: try again"),
            ("40001", .storeBusy, "try again"), ("57P01", .serverGone, nil),
            ("25006", .readOnly, nil), ("42P01", .notAStore, nil), ("3D000", .notAStore, nil),
            ("53300", .storeBusy, nil),
        ] as [(String, QueueError.Code, String?)])
    func hints(code: String, expected: QueueError.Code, fix: String?) {
        let error = QueueError(sqlstate: code, "db: it said so")
        #expect(error.code == expected && error.message.hasPrefix("db: it said so"))
        #expect(error.fix.contains("role") == (code == "42501"))
        if let fix { #expect(error.fix == fix) }
    }
}
