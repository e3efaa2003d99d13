import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("a Redis that moves to another server", .enabled(if: RedisServer.isInstalled))
struct FailoverTests {
    @Test("X6 what is held moves with the service, and what arrives at the new master is held")
    func moves() throws {
        let first = try RedisServer()
        let second = try RedisServer(
            options: ["--replicaof", "127.0.0.1", String(first.port)])
        let sentinel = try RedisSentinel(watching: first, replicas: 1)
        let place = "redis+sentinel://127.0.0.1:\(sentinel.port)/\(RedisSentinel.service)"
        let bench = try RQBench(first, at: place)
        try bench.enqueue(["a", "b"])
        _ = try bench.system.hold("mail", RQBench.note)
        let workList = bench.system.workLists(of: "mail")[0]
        #expect(try bench.redis.call("LLEN", workList.held).integer == 2)
        let copy = try second.connect()
        try until("the copy has what is held") {
            try copy.call("LLEN", workList.held).integer == 2
        }
        try first.stop(isCrash: true)

        var moved: RedisConnection?
        try until("the service stands at the other server") {
            moved = try? RedisConnection(try RedisAddress(place))
            return moved?.server.place == .server(.address(host: "127.0.0.1", port: second.port))
        }
        let redis = try #require(moved)
        let system = RQSystem(redis, KeeperLauncher { _, _ in })
        try until("its keeper stands at the new master") {
            try system.queues().first.map { $0.hold != nil && $0.hold?.leak == nil } ?? false
        }
        try Fixture.send("rq", ["c"], to: redis)
        try until("what comes is held") {
            try redis.call("LLEN", workList.held).integer == 3
        }
        _ = try system.release("mail")
        #expect(
            try redis.call("LRANGE", "rq:queue:mail", 0, -1).array.map(\.text)
                == ["a", "b", "c"])
    }
}
