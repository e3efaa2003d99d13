import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("an undo that comes too late", .enabled(if: RedisServer.isInstalled))
struct LateUndoTests {
    @Test("D9 what cannot be undone any more is named")
    func lateUndo() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        _ = try bench.system.change("a", .skip, by: "dana")
        try bench.redis.call("DEL", bench.system.workLists(of: "mail")[0].skipped)
        let error = #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        #expect(error?.code == .changed)
        #expect(error?.message == "skip of task a is not undone: it is not where it was then")
    }

    @Test("D9 a change in Redis that comes too late goes behind those before it")
    func inRedis() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b", "c"])
        for id in ["c", "b"] { _ = try bench.system.change(id, .delete, by: "dana") }
        _ = try bench.system.change("a", .skip, by: "dana")
        try bench.redis.call("DEL", bench.system.workLists(of: "mail")[0].skipped)
        #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        let undone = try (0..<2).map { _ in try bench.system.undo(by: "dana")?.changed }
        #expect(undone == [["b"], ["c"]])
        // It is not forgotten.
        #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
    }

    @Test("D9 a move and an edit are undone in a queue that was held or given back since then")
    func acrossHold() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b", "c"])
        let list = bench.system.workLists(of: "mail")[0]
        _ = try bench.system.change("c", .move(.first), by: "dana")
        // As a hold and its end leave the list.
        try bench.redis.call("RENAME", list.list, list.held)
        #expect(try bench.system.undo(by: "dana")?.changed == ["c"])
        #expect(try bench.waiting == ["a", "b", "c"])
        _ = try bench.system.change("c", .move(.before("b")), by: "dana")
        try bench.redis.call("RENAME", list.held, list.list)
        #expect(try bench.system.undo(by: "dana")?.changed == ["c"])
        #expect(try bench.waiting == ["a", "b", "c"])
        let fixture = try Fixture("huey", "three")
        let system = try fixture.system(HueySystem.self)
        _ = try system.change("id-2", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        let own = WorkList(HueySystem.list("ship"), takes: .right)
        try fixture.redis.call("RENAME", own.list, own.held)
        #expect(try system.undo(by: "dana")?.changed == ["id-2"])
        #expect(try system.detail("id-2")?.payload.value?["args"] == [2])
    }

    @Test("D9 a task comes back in its place, though others came or went on one side of it")
    func returnBetween() throws {
        let bench = try RQBench()
        func waiting() throws -> [String] {
            try bench.redis.call("LRANGE", "rq:queue:mail", 0, -1).array.compactMap(\.text)
        }
        try bench.enqueue(["a", "b"])
        _ = try bench.system.change("b", .delete, by: "dana")
        try bench.enqueue(["c"])
        #expect(try bench.system.undo(by: "dana")?.changed == ["b"])
        #expect(try waiting() == ["a", "b", "c"])
        _ = try bench.system.change("b", .delete, by: "dana")
        try bench.redis.call("RPOP", "rq:queue:mail")
        #expect(try bench.system.undo(by: "dana")?.changed == ["b"])
        #expect(try waiting() == ["a", "b"])
    }

    @Test("D9 a task comes back into the list where its queue's tasks are, in its place")
    func returnAcrossHold() throws {
        let bench = try RQBench()
        try bench.enqueue(["a", "b", "c"])
        let list = bench.system.workLists(of: "mail")[0]
        let later = Timestamp(milliseconds: 4_102_444_800_000)
        for change in [ForeignChange.skip, .delete, .postpone(later), .move(.last)] {
            for isHeldFirst in [false, true] {
                func turn(_ isHold: Bool) throws {
                    // As a hold and its end leave the list and the record.
                    let (from, to) = isHold ? (list.list, list.held) : (list.held, list.list)
                    try bench.redis.call("RENAME", from, to)
                    try bench.redis.call("DEL", list.record)
                    guard isHold else { return }
                    try bench.redis.call("HSET", "{rq:queue:mail}:sluice:hold", "by", "kim")
                }
                if isHeldFirst { try turn(true) }
                _ = try bench.system.change("b", change, by: "dana")
                try turn(!isHeldFirst)
                #expect(try bench.system.undo(by: "dana")?.changed == ["b"])
                let place = isHeldFirst ? list.list : list.held
                let ids = try bench.redis.call("LRANGE", place, 0, -1).array.compactMap(\.text)
                #expect(ids == ["a", "b", "c"], "\(change) \(isHeldFirst)")
                if !isHeldFirst { try turn(false) }
            }
        }
    }

    @Test(
        "D9 a change of a table that comes too late goes behind those before it",
        .enabled(if: PostgresServer.isInstalled), arguments: PlayedTable.all)
    func inTables(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 3)
        let ids = try bench.waiting().map(\.reference)
        for id in ids { _ = try bench.system.change(id, .skip, by: "dana") }
        let table = try played.table(in: bench.session)
        try bench.session.run("DELETE FROM \(table) WHERE id::text = '\(ids[2])'")
        let late = #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        #expect(late?.message.hasPrefix("skip of task \(ids[2]) is not undone") == true)
        let undone = try (0..<2).map { _ in try bench.system.undo(by: "dana")?.changed }
        #expect(undone == [[ids[1]], [ids[0]]])
        #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
    }

    @Test("D9 a change in huey's file that comes too late goes behind those before it")
    func inHuey() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "huey")
        defer { try? Files.removeTree(folder) }
        let file = try Fixture.hueyFile(in: folder, "huey-sqlite-three.sql")
        let system = HueyFile(file)
        for id in ["id-1", "id-2", "id-3"] {
            _ = try system.change(id, .skip, by: "dana")
        }
        // As `SqliteStorage.dequeue` of 3.5.4 ends.
        try file.rows("DELETE FROM task WHERE id = 3")
        let late = #expect(throws: QueueError.self) { try system.undo(by: "dana") }
        #expect(late?.message.hasPrefix("skip of task id-3 is not undone") == true)
        let undone = try (0..<2).map { _ in try system.undo(by: "dana")?.changed }
        #expect(undone == [["id-2"], ["id-1"]])
        #expect(throws: QueueError.self) { try system.undo(by: "dana") }
    }
}
