import SluiceModel
import SluiceSystem
import SluiceTestSupport
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

    @Test("D9 takes back the last change of all systems, or says that nothing tells which it was")
    func several() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "several")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/app.db"
        try Files.writeAtomically([], to: path)
        func fill(_ fixture: String) throws {
            let file = try SQLiteFile(path: path)
            for statement in RowBench.statements(try Fixture.text(fixture)) {
                try file.rows(statement)
            }
        }
        for name in ["laravel", "delayedjob"] { try fill("rows-\(name)-sqlite.sql") }
        let store = try ForeignStore.open(path, as: nil, keepers: KeeperLauncher { _, _ in })
        #expect(store.systems.count == 2)
        #expect(try store.lastChanged(by: "dana") == nil)
        func change(_ system: any ForeignSystem, by person: String) throws {
            let tasks = try system.queues().flatMap {
                try system.page(ForeignQuery(queue: $0.name, state: .waiting)).tasks
            }
            let skipped = tasks.first { $0.display == .skipped }
            let task = try #require(skipped ?? tasks.first { $0.display != .delayed })
            _ = try system.change(
                task.reference, skipped == nil ? .skip : .unskip, by: ForeignAuthor(person))
        }
        for system in store.systems + [store.systems[0]] {
            try change(system, by: "dana")
            #expect(try store.lastChanged(by: "dana")?.name == system.name)
        }
        #expect(try store.lastChanged(by: "kim") == nil)
        try fill("huey-sqlite-three.sql")
        let more = try ForeignStore.open(path, as: nil, keepers: KeeperLauncher { _, _ in })
        #expect(more.systems.count == 3)
        #expect(try more.lastChanged(by: "dana")?.name == store.systems[0].name)
        try change(try #require(more.systems.first { $0.name == "huey" }), by: "dana")
        let error = #expect(throws: QueueError.self) { try more.lastChanged(by: "dana") }
        #expect(error?.message.contains("nothing says which change came last") == true)
        #expect(error?.fix.contains("--as huey") == true)
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
