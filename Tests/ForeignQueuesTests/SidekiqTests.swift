import SluiceModel
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

@Suite("Sidekiq as it lies in Redis", .enabled(if: RedisServer.isInstalled))
struct SidekiqTests {
    @Test(
        "X1 what a worker does is told as its own, whichever name its version has for that",
        arguments: ["work", "workers"])
    func running(_ key: String) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SADD", "queues", "mail")
        let job = #"{\"jid\":\"j1\",\"class\":\"Send\",\"args\":[1],\"queue\":\"mail\"}"#
        let work = #"{"queue":"mail","run_at":1767225601,"payload":"\#(job)"}"#
        for name in ["h:1:a", "h:2:b"] {
            try redis.call("SADD", "processes", name)
            let info = #"{"hostname":"h","pid":1,"concurrency":2,"queues":["mail"]}"#
            try redis.call("HSET", name, "info", info, "busy", 0, "beat", "1767225602.5")
        }
        try redis.call("HSET", "h:1:a:\(key)", "tid", work)
        let system = SidekiqSystem(try server.connect(), KeeperLauncher { _, _ in })
        #expect(try system.queues().map(\.running) == [1])
        let page = try system.page(ForeignQuery(queue: "mail"))
        #expect(page.tasks.map(\.reference) == ["j1"])
        #expect(page.tasks.map(\.display) == [.running])
        #expect(try system.runners().map(\.running) == [["j1"], []])
    }
}
