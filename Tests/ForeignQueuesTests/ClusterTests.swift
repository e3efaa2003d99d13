import SluiceModel
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

@Suite("clusters of Redis", .enabled(if: RedisServer.isInstalled))
struct ClusterTests {
    @Test("a node of a cluster is refused, with what to do, before anything is asked of it")
    func cluster() throws {
        let bus = try RedisServer.freePort()
        let server = try RedisServer(
            options: ["--cluster-enabled", "yes", "--cluster-port", "\(bus)"])
        for system in [nil, "rq"] {
            let error = #expect(throws: QueueError.self) {
                try ForeignStore.open(
                    server.address(), as: system, keepers: KeeperLauncher { _, _ in })
            }
            #expect(error?.code == .notAStore)
            #expect(error?.message.contains("is a node of a cluster") == true)
            #expect(error?.fix.contains("single server") == true)
        }
        let moved = QueueError(
            RedisError(.refused(word: "MOVED"), "MOVED 8713 127.0.0.1:7432"), "redis://a")
        #expect(moved.message.contains("is a node of a cluster"))
    }
}
