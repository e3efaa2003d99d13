import SluiceModel
import SluicePlatform
import SluicePostgresHarness
import SluiceRedisClient
import SluiceRedisHarness
import SluiceSQLiteClient
import Testing

@testable import SluiceForeignQueues

@Suite("an undo of a verb on several tasks", .enabled(if: RedisServer.isInstalled))
struct WholeUndoTests {
    private static let deed = ForeignAuthor("dana", deed: "one")

    /// Skips one task alone and then others by one verb; two undos take that back.
    private func check(
        _ system: any ForeignSystem, _ ids: [String], lose: (String) throws -> Void
    ) throws {
        _ = try system.change(ids[0], .skip, by: "dana")
        for id in ids[1...] { _ = try system.change(id, .skip, by: Self.deed) }
        #expect(try system.undo(by: "dana")?.changed == ids[1...].reversed())
        #expect(try system.undo(by: "dana")?.changed == [ids[0]])
        #expect(try system.undo(by: "dana") == nil)
        // A task that is gone keeps no other one from its place.
        for id in ids[1...] { _ = try system.change(id, .skip, by: Self.deed) }
        try lose(ids[2])
        let answer = try #require(try system.undo(by: "dana"))
        #expect(answer.changed == [ids[1]] && answer.late.map(\.task) == [ids[2]])
        #expect(answer.late[0].late?.code == .changed)
    }

    @Test("D9 takes all of it back in Redis, and keeps a verb on more tasks than the limit whole")
    func redis() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b", "c"])
        try check(bench.system, ["a", "b", "c"]) { id in
            try bench.redis.call("LREM", bench.system.workLists(of: "mail")[0].skipped, 0, id)
        }
        let many = (0..<520).map { "many\($0)" }
        try bench.enqueue(many)
        for id in many { _ = try bench.system.change(id, .skip, by: Self.deed) }
        #expect(try bench.system.undo(by: "dana")?.changed.count == 520)
    }

    @Test(
        "D9 takes all of it back in tables", .enabled(if: PostgresServer.isInstalled),
        arguments: PlayedTable.all)
    func tables(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 3)
        let table = try played.table(in: bench.session)
        try check(bench.system, bench.waiting().map(\.reference)) { id in
            try bench.session.run("DELETE FROM \(table) WHERE id::text = '\(id)'")
        }
    }

    @Test("D9 takes all of it back in rows, also after an older version", arguments: PlayedRows.all)
    func rows(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.clear()
        for number in 1...3 { try bench.insert(number) }
        let page = try bench.system.page(ForeignQuery(queue: RowBench.queue, state: .waiting))
        let ids = page.tasks.map(\.reference)
        _ = try bench.system.change(ids[0], .skip, by: "dana")
        try bench.session.define("ALTER TABLE \(RowSystem.changesTable) DROP COLUMN deed")
        #expect(try bench.system.undo(by: "dana")?.changed == [ids[0]])
        try check(bench.system, ids) { id in
            let key = bench.system.identifier(id) ?? ""
            try bench.session.transaction {
                _ = try bench.session.changed(
                    "DELETE FROM \(bench.system.table.table) WHERE id = \(key)")
            }
        }
    }

    @Test("D9 takes all of it back in huey's file, also after an older version")
    func huey() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "huey")
        defer { try? Files.removeTree(folder) }
        let file = try Fixture.hueyFile(in: folder, "huey-sqlite-three.sql")
        let system = HueyFile(file)
        _ = try system.change("id-1", .skip, by: "dana")
        try file.rows("ALTER TABLE \(HueyFile.undo) DROP COLUMN deed")
        #expect(try system.undo(by: "dana")?.changed == ["id-1"])
        try check(system, ["id-1", "id-2", "id-3"]) { _ in
            try file.rows("DELETE FROM task WHERE id = 3")
        }
    }
}
