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
        // Version 7 renamed the hash to `work`.
        let fixture = try Fixture("sidekiq", "two", [":workers": ":\(key)"])
        let (long, next) = ("long".padded, "next".padded)
        let system = try fixture.system(SidekiqSystem.self)
        #expect(try system.queues().map(\.running) == [1])
        let page = try system.page(ForeignQuery(queue: "mail"))
        #expect(page.tasks.map(\.reference) == [long, next])
        #expect(page.tasks.map(\.display) == [.running, .next])
        #expect(Set(try system.runners().map(\.running)) == [[long], []])
        #expect(try system.runners().count == 2)
    }
}

extension String {
    /// The id of a fixture's job: Sidekiq's ids have 24 characters.
    fileprivate var padded: String { self + String(repeating: "0", count: 24 - utf8.count) }
}
