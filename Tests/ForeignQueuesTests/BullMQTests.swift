import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("BullMQ as it lies in Redis", .enabled(if: RedisServer.isInstalled))
struct BullMQTests {
    @Test("D11 a job is run once where its options give no number, or none above 0")
    func attempts() throws {
        let fixture = try Fixture("bullmq", "attempts")
        let page = try fixture.system(BullMQSystem.self).page(
            ForeignQuery(queue: "mail"))
        #expect(page.tasks.map(\.reference) == ["mail:1", "mail:2", "mail:3"])
        #expect(page.tasks.map(\.attemptLimit) == [1, 1, 4])
    }

    @Test("its workers are known by what names them, each once, and as its own queue's")
    func runners() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        for queue in ["abc", "abcd"] {
            try Fixture.send("bullmq", ["1"], queue: queue, to: redis)
        }
        func connect(_ name: String, _ command: RedisCommand) throws -> RedisConnection {
            let connection = try server.connect()
            try connection.call("CLIENT", "SETNAME", name)
            try connection.call(command)
            return connection
        }
        let waits = RedisCommand("BZPOPMIN", "bull:abc:marker", "0.01")
        let runs = RedisCommand("EVAL", "return 1", 0)
        // Node names the connection that waits, after the queue in base64.
        let others = try [
            ("bull:YWJj", waits), ("bull:YWJj:w:kim", runs), ("bull:YWJjZA==", waits),
            ("bull:YWJj:qe", waits),
        ].map(connect)
        #expect(
            try BullMQSystem(redis, KeeperLauncher { _, _ in }).runners().flatMap(\.queues) == [
                "abc", "abc", "abcd",
            ])
        // Python names all connections of a worker after the queue itself.
        let python = try [
            ("bull:abc", runs), ("bull:abc", waits), ("bull:abcd:w:kim", waits),
            ("bull:abcd:w:kim", runs),
        ].map(connect)
        let queues = try BullMQSystem(redis, KeeperLauncher { _, _ in }).runners().flatMap(\.queues)
        #expect(queues == ["abc", "abc", "abc", "abcd", "abcd"])
        #expect(others.count + python.count == 8)
    }

    @Test("D3 a job is its queue's: another queue's of the same number is not touched")
    func numbers() throws {
        let system = try Fixture("bullmq", "numbers").system(BullMQSystem.self)
        func waiting(_ queue: String) throws -> [String] {
            try system.page(ForeignQuery(queue: queue, state: .waiting)).tasks.map(\.reference)
        }
        let rest = try system.page(
            ForeignQuery(queue: "mail", state: .waiting, limit: 9, after: "mail:1"))
        #expect(rest.tasks.map(\.reference) == ["mail:2", "mail:3"])
        #expect(try system.details(of: rest.tasks).map { $0?.task.type } == ["mail", "mail"])
        let error = #expect(throws: QueueError.self) {
            try system.change("1", .delete, by: "dana")
        }
        #expect(error?.code == .ambiguousTask)
        #expect(error?.message == "\"1\" may be alerts:1, mail:1")
        #expect(try system.detail("3")?.task.reference == "mail:3", "no other queue has it")
        _ = try system.change("mail:1", .move(.after("mail:2")), by: "dana")
        _ = try system.change("mail:2", .delete, by: "dana")
        #expect(try waiting("mail") == ["mail:1", "mail:3"])
        #expect(try waiting("alerts") == ["alerts:1", "alerts:2"])
        #expect(try system.undo(by: "dana")?.changed == ["mail:2"])
        #expect(try system.undo(by: "dana")?.changed == ["mail:1"])
        #expect(try waiting("mail") == ["mail:1", "mail:2", "mail:3"])
    }
}
