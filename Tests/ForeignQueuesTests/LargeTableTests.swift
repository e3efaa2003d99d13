import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// The systems whose holds move rows.
private let moving = PlayedTable.all.filter { $0.name != "solidqueue" }

@Suite(
    "queues that are large tables", .enabled(if: PostgresServer.isInstalled), .serialized)
struct LargeTableTests {
    private static func table(_ bench: TableBench) throws -> TableSystem {
        try #require(bench.system as? TableSystem)
    }

    /// How many transactions wrote the rows as they are.
    private static func writers(_ bench: TableBench) throws -> Int64 {
        let table = try table(bench).table.table
        let rows = try bench.session.rows("SELECT count(DISTINCT xmin::text) AS n FROM \(table)")
        return rows.first?["n"]?.integer ?? -1
    }

    @Test(
        "D3 a hold moves rows by several short transactions, and so does its end", arguments: moving
    )
    func parts(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 7)
        let system = try Self.table(bench)
        _ = try system.table.found(in: bench.session)
        system.partSize = 2
        let before = try bench.waiting().map(\.reference)
        let answer = try system.hold(TableBench.queue, RQBench.note)
        #expect(answer.consequences.first == "7 put aside")
        #expect(try bench.queue()?.held == 7 && bench.queue()?.hold?.leak == nil)
        #expect(try Self.writers(bench) == 4)
        #expect(try bench.waiting().map(\.reference) == before)
        let end = try system.release(TableBench.queue)
        #expect(end.consequences.first == "7 given back to \(TableBench.queue)")
        #expect(try bench.queue()?.held == 0 && bench.queue()?.waiting == 7)
        #expect(try Self.writers(bench) == 4)
        #expect(try bench.waiting().map(\.reference) == before)
        #expect(try bench.queue()?.hold == nil)
    }

    @Test(
        "X7 a hold or its end that was cut off is said, and goes on with the next pause or resume",
        arguments: moving)
    func cut(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 5)
        let system = try Self.table(bench)
        let (table, queue) = (system.table, TableBench.queue)
        let rows = try bench.waiting()
        // The tool died when it had made the trigger.
        try system.session.change(
            try table.hold.beginning(table, queue, RQBench.note, system.session))
        var seen = try #require(try bench.queue())
        #expect(seen.hold?.leak == "what waited before is not all aside" && seen.held == 0)
        try bench.insert(6)
        #expect(try bench.queue()?.held == 1)
        let other = HoldNote(by: "kim", since: RQBench.note.since)
        _ = try system.hold(queue, other)
        seen = try #require(try bench.queue())
        #expect(seen.hold?.note == RQBench.note && seen.hold?.leak == nil && seen.held == 6)
        // The same for a tool that died after it gave back a part.
        try system.session.change(try HoldStrategy.saying(table, queue, RQBench.note, .ends))
        _ = try system.session.changed(
            "SELECT set_config('sluice.release', '1', true);",
            """
            UPDATE \(table.table) j SET \(system.row(table.hold.bringingBack))
            WHERE j.id::text = '\(rows[0].reference)' RETURNING 'true'
            """)
        seen = try #require(try bench.queue())
        #expect(seen.hold?.leak == "a part of it was given back" && seen.held == 5)
        _ = try system.hold(queue, other)
        #expect(try bench.queue()?.held == 6)
        _ = try system.release(queue)
        seen = try #require(try bench.queue())
        #expect(seen.hold == nil && seen.held == 0 && seen.waiting == 6)
    }

    @Test("X7 a hold that the app's own trigger cuts off says so, and how it goes on")
    func refused() throws {
        let bench = try TableBench(.procrastinate, tasks: 2)
        try bench.session.run(
            """
            CREATE FUNCTION sunday() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION 'no changes on Sundays'; END $$;
            CREATE TRIGGER sunday BEFORE UPDATE ON procrastinate_jobs FOR EACH ROW
            EXECUTE FUNCTION sunday()
            """)
        do {
            _ = try bench.system.hold(TableBench.queue, RQBench.note)
            Issue.record("the hold was not refused")
        } catch let error as QueueError {
            #expect(error.message.contains("no changes on Sundays"))
            #expect(error.message.contains("arrivals in \(TableBench.queue) are held"))
            #expect(error.fix.contains("sluice resume"))
        }
        #expect(try bench.queue()?.hold?.leak != nil)
    }

    @Test("counts that would take long are estimates and say so, the others are exact")
    func estimates() throws {
        let oban = try #require(PlayedTable.all.first { $0.name == "oban" })
        let bench = try TableBench(oban, tasks: 2)
        let system = try Self.table(bench)
        try bench.session.run(
            """
            INSERT INTO oban_jobs (queue, worker, args, state)
            SELECT 'old', 'Run', '{}', 'completed' FROM generate_series(1, 3000);
            CREATE INDEX ON oban_jobs (state, queue, priority, scheduled_at, id);
            ANALYZE oban_jobs
            """)
        let queues = try system.queues()
        #expect(queues.allSatisfy { $0.estimates.isEmpty })
        #expect(queues.first { $0.name == "old" }?.succeeded == 3000)
        // Without patience nothing is counted; names come out of the statistics and the index.
        let counted = try system.counted(within: 0)
        let old = try #require(
            counted.first { $0.queue == "old" && $0.display == .succeeded })
        #expect(old.isEstimate && (2000...4000).contains(old.count))
        let exact = counted.filter { !$0.isEstimate && !$0.isBound }
        #expect(exact.isEmpty)
        // The planner expects a row also where there are none.
        #expect(!counted.contains { $0.isEstimate && $0.count == 1 })
        // A short time limit is enough for exact counts of small groups.
        try bench.session.run(
            """
            INSERT INTO oban_jobs (queue, worker, args, state)
            SELECT 'old', 'Run', '{}', 'completed' FROM generate_series(1, 57000);
            ANALYZE oban_jobs
            """)
        let short = try system.counted(within: 1)
        let many = try #require(short.first { $0.queue == "old" && $0.display == .succeeded })
        #expect(many.isEstimate && (50_000...70_000).contains(many.count))
        let due = short.filter {
            $0.queue == TableBench.queue && [.next, .due].contains($0.display)
        }
        #expect(due.map(\.count) == [2])
    }

    @Test("several questions are one round trip, and what takes too long is left out of it")
    func batches() throws {
        let bench = try TableBench(try #require(PlayedTable.all.first), tasks: 1)
        func questions(_ seconds: [String]) -> [String] {
            seconds.enumerated().map { "SELECT \($0) AS n FROM pg_sleep(\($1))" }
        }
        let all = try bench.session.rows(questions(["0", "0", "0"]), within: 60_000)
        #expect(all.map { $0?.first?["n"]?.integer } == [0, 1, 2])
        // Each separately: questions after a slow one are repeated.
        let some = try bench.session.rows(questions(["0", "90", "0"]), within: 60_000, each: 50)
        #expect(some.map { $0?.first?["n"]?.integer } == [0, nil, 2])
        // All of them together.
        let first = try bench.session.rows(questions(["0", "90", "0"]), within: 200)
        #expect(first.map { $0?.first?["n"]?.integer } == [0, nil, nil])
        #expect(try bench.session.rows(questions(["0"]), within: 0).map { $0 == nil } == [true])
        #expect(try bench.session.rows([], within: 50).isEmpty)
        #expect(try bench.session.value(of: "SHOW statement_timeout") == "0")
        #expect(
            try bench.session.plans(["SELECT 1", "SELECT 1 FROM pg_class"]).map(\.rows)[0] == 1)
        #expect(throws: (any Error).self) { try bench.session.rows(["SELECT nothing"], within: 50) }
        #expect(try bench.session.rows("SELECT 3 AS n").first?["n"]?.integer == 3)
    }

    @Test("what is overdue takes no place among the timers from what waits for a time")
    func overdue() throws {
        let oban = try #require(PlayedTable.all.first { $0.name == "oban" })
        let bench = try TableBench(oban, tasks: 4)
        try bench.session.run(
            """
            UPDATE oban_jobs SET state = 'retryable', scheduled_at = now() - interval '1 hour'
            WHERE id < 4;
            UPDATE oban_jobs SET state = 'scheduled', scheduled_at = now() + interval '1 day'
            WHERE id = 4
            """)
        #expect(try bench.system.timers(limit: 2).map(\.task.reference) == ["4"])
    }

    @Test("of many timers only the rows that come first are read, where an index has their times")
    func timers() throws {
        let oban = try #require(PlayedTable.all.first { $0.name == "oban" })
        let bench = try TableBench(oban, tasks: 1)
        try bench.session.run(
            """
            INSERT INTO oban_jobs (queue, worker, args, state, scheduled_at)
            SELECT 'old', 'Run', json_build_object('text', repeat('x', 300)),
                (CASE WHEN n % 20 = 0 THEN 'scheduled' ELSE 'completed' END)::oban_job_state,
                now() + n * interval '1 minute' FROM generate_series(1, 40000) n;
            CREATE INDEX ON oban_jobs (state, queue, priority, scheduled_at, id)
            """)
        try bench.session.run("VACUUM ANALYZE oban_jobs")
        func fetched() throws -> Int64 {
            for session in [try Self.table(bench).session, bench.session] {
                _ = try session.rows("SELECT pg_stat_force_next_flush() IS NULL AS done")
            }
            let rows = try bench.session.rows(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS n FROM pg_stat_user_tables
                WHERE relname = 'oban_jobs'
                """)
            return rows.first?["n"]?.integer ?? -1
        }
        let before = try fetched()
        let found = try bench.system.timers(limit: 10).map(\.task.reference)
        #expect(found == (1...10).map { String(20 * $0 + 1) })
        #expect(try fetched() - before < 1000)
    }

    @Test("what tells of a change stays as it is while nothing changes, and changes with a commit")
    func stamp() throws {
        for played in moving where played.name != "que" {
            let bench = try TableBench(played, tasks: 1)
            // The stamp is the whole server's, so another test's commit may change it.
            let isStill = try (0..<100).contains { _ in
                let before = try bench.system.stamp()
                _ = try bench.system.queues()
                return try bench.system.stamp() == before
            }
            #expect(isStill)
            let first = try #require(try bench.system.stamp())
            try bench.insert(2)
            #expect(try bench.system.stamp() != first)
        }
        let que = try #require(PlayedTable.all.first { $0.name == "que" })
        #expect(try TableBench(que, tasks: 1).system.stamp() == nil)
    }
}
