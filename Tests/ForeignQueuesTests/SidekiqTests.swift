import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("Sidekiq as it lies in Redis", .enabled(if: RedisServer.isInstalled))
struct SidekiqTests {
    @Test("a retry whose time has passed waits for Sidekiq, and not for nothing")
    func overdue() throws {
        let system = try Fixture("sidekiq", "worked").system(SidekiqSystem.self)
        let task = try #require(
            try system.timers(limit: 9).map(\.task).first { $0.display == .retrying })
        let due = try #require(task.notBefore)
        let time = TimeText.rfc3339(due)
        #expect(try system.why(task.reference, at: due + -1).first == "it waits until \(time)")
        #expect(
            try system.why(task.reference, at: due).first
                == "its time was \(time), and Sidekiq has not put it into its queue yet")
    }

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
