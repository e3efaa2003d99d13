import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

@Suite("BullMQ as it lies in Redis", .enabled(if: RedisServer.isInstalled))
struct BullMQTests {
    @Test("D11 a job is run once where its options give no number, or none above 0")
    func attempts() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("HSET", "bull:mail:meta", "opts.maxLenEvents", "10000")
        let options = ["1": #"{"attempts":0}"#, "2": "{}", "3": #"{"attempts":4}"#]
        for (id, text) in options.sorted(by: { $0.key < $1.key }) {
            try redis.call(
                "HSET", "bull:mail:\(id)", "name", "welcome", "data", "{}", "timestamp",
                "1000", "opts", text)
            try redis.call("LPUSH", "bull:mail:wait", id)
        }
        let page = try BullMQSystem(redis).page(ForeignQuery(queue: "mail"))
        #expect(page.tasks.map(\.reference) == ["1", "2", "3"])
        #expect(page.tasks.map(\.attemptLimit) == [1, 1, 4])
    }
}
