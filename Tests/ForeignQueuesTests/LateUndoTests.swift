import SluiceModel
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

@Suite("an undo that comes too late", .enabled(if: RedisServer.isInstalled))
struct LateUndoTests {
    @Test("D9 what cannot be taken back any more is named")
    func lateUndo() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        _ = try bench.system.change("a", .skip, by: "dana")
        try bench.redis.call("DEL", bench.system.workLists(of: "mail")[0].skipped)
        let error = #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
        #expect(error?.code == .changed)
        #expect(error?.message == "skip of task a is not taken back: it is not where it was then")
    }
}
