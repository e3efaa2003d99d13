import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("SAQ as SAQ itself wrote it", .enabled(if: RedisServer.isInstalled))
struct SAQTests {
    @Test("a job that waits for a time says it in its list, its details and why")
    func later() throws {
        let system = try Fixture("saq", "queued").system(SAQSystem.self)
        let time = Timestamp(milliseconds: 4_102_444_800_000)
        let detail = try #require(try system.detail("saq:job:mail:later"))
        #expect(detail.task.display == .delayed && detail.task.notBefore == time)
        let listed = try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks.last
        #expect(listed?.notBefore == time)
        #expect(
            try system.why("saq:job:mail:later").first == "it waits until 2100-01-01T00:00:00.000Z")
    }

    @Test("D7 a postponed job has the time in its text as SAQ itself writes it")
    func postponed() throws {
        let fixture = try Fixture("saq", "queued")
        let system = try fixture.system(SAQSystem.self)
        let own = try #require(try system.detail("saq:job:mail:later")?.fields["scheduled"])
        let before = try fixture.redis.call("GET", "saq:job:mail:j1").bytes
        let time = Timestamp(milliseconds: 4_102_444_800_000)
        _ = try system.change("saq:job:mail:j1", .postpone(time), by: "dana")
        let detail = try #require(try system.detail("saq:job:mail:j1"))
        #expect(detail.task.notBefore == time && detail.fields["scheduled"] == own)
        _ = try system.undo(by: "dana")
        #expect(try fixture.redis.call("GET", "saq:job:mail:j1").bytes == before)
        #expect(try system.detail("saq:job:mail:j1")?.task.display == .due)
    }

    @Test("a job without arguments has none, and the fields that SAQ leaves out their defaults")
    func bare() throws {
        let system = try Fixture("saq", "bare").system(SAQSystem.self)
        let detail = try #require(try system.detail("saq:job:mail:bare"))
        #expect(detail.payload.value == [:] && detail.payload.whyFixed == nil)
        #expect(detail.task.attempts == 0 && detail.task.attemptLimit == 1)
        _ = try system.change("saq:job:mail:bare", .edit(["order": 1]), by: "dana")
        #expect(try system.detail("saq:job:mail:bare")?.payload.value == ["order": 1])
    }
}
