import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("huey as huey itself wrote it", .enabled(if: RedisServer.isInstalled))
struct HueyFixtureTests {
    private static let all = [
        "due next", "later delayed", "revoked blocked", "until blocked", "scheduled delayed",
    ]

    private func check(_ system: any ForeignSystem) throws {
        #expect(try system.shown("ship") == Self.all)
        #expect(
            try system.detail("later")?.task.notBefore
                == Timestamp(milliseconds: 4_102_444_800_000))
        #expect(try system.detail("later")?.task.display == .delayed)
        let timers = try system.timers(limit: 9) + system.listedTimers(limit: 9)
        #expect(timers.map(\.task.reference).sorted() == ["later", "scheduled"])
        #expect(try system.why("revoked").first == "it is revoked: a consumer drops it")
        #expect(
            try system.why("until").first
                == "it is revoked until 2100-01-01T00:00:00.000Z: a consumer drops it")
        #expect(try system.why("due").isEmpty)
    }

    @Test(
        "each storage in Redis shows what is delayed and what is revoked",
        arguments: ["plain", "expire", "priority"])
    func redis(scenario: String) throws {
        try check(try Fixture("huey", scenario).system(HueySystem.self))
    }

    @Test("a revocation of all tasks of a kind is told of each")
    func every() throws {
        let system = try Fixture("huey", "every").system(HueySystem.self)
        #expect(try system.shown("ship") == ["one blocked"])
    }

    @Test("its file shows the same")
    func file() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "huey")
        defer { try? Files.removeTree(folder) }
        let file = try Fixture.hueyFile(in: folder)
        try check(HueyFile(file))
    }

    @Test("an edit of a task with a time keeps its time")
    func timed() throws {
        let system = try Fixture("huey", "plain").system(HueySystem.self)
        let before = try #require(try system.detail("later"))
        _ = try system.change("later", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        let after = try #require(try system.detail("later"))
        #expect(after.payload.value == ["args": [9], "kwargs": [:]])
        #expect(after.task.display == before.task.display && after.fields == before.fields)
        #expect(after.task.notBefore == Timestamp(milliseconds: 4_102_444_800_000))
    }

    private static let other = Timestamp(milliseconds: 2_524_653_296_789)

    @Test("D7 a postponed task has the message that huey itself schedules for that time")
    func postponed() throws {
        let key = "huey.schedule.ship"
        let own = try Fixture("huey", "postponed").redis.call("ZRANGE", key, 0, -1, "WITHSCORES")
        let fixture = try Fixture("huey", "plain")
        let system = try fixture.system(HueySystem.self)
        // One is in its list with a later time, the other in the schedule.
        for id in ["later", "scheduled"] {
            _ = try system.change(id, .postpone(Self.other), by: "dana")
            #expect(try system.detail(id)?.task.notBefore == Self.other)
        }
        let made = try fixture.redis.call("ZRANGE", key, 0, -1, "WITHSCORES")
        #expect(made.array.compactMap(\.bytes) == own.array.compactMap(\.bytes))
        // A consumer would put a task back until the time of its message.
        let now = Timestamp(milliseconds: 1_800_000_000_123)
        _ = try system.change("later", .postpone(now), by: "dana")
        #expect(try system.detail("later")?.fields["eta"]?.text.contains("datetime") == true)
        let moved = try fixture.redis.call("ZRANGE", key, 0, 0).array.first?.bytes
        let message = try #require(moved.flatMap { HueyMessage($0) })
        #expect(message.task(in: "ship", .delayed).notBefore == now)
        #expect(message.id == "later" && message.payload.value?["args"] == [2])
        for _ in 0..<3 { _ = try system.undo(by: "dana") }
        #expect(try system.shown("ship") == Self.all)
    }

    @Test("D7 the time of a message that cannot be changed is no earlier one")
    func fixedTime() throws {
        let bytes = try #require(
            try Fixture.content("huey", "postponed", of: "huey.schedule.ship").last)
        let message = try #require(HueyMessage(bytes))
        let later = Timestamp(milliseconds: 2_600_000_000_000)
        #expect(HueyMessage(try message.postponed(to: later)) != nil)
        // The schedule decides about a message without a time.
        let plain = try #require(HueyMessage(try Fixture.hueyMessage()))
        #expect(try plain.postponed(to: later) == Fixture.hueyMessage())
    }

    @Test("D7 a priority in its file says that the message keeps its own")
    func priority() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "huey-")
        defer { try? Files.removeTree(folder) }
        let system = HueyFile(try Fixture.hueyFile(in: folder, "huey-sqlite-three.sql"))
        let tasks = try system.page(ForeignQuery(queue: "ship")).tasks
        let last = try #require(tasks.last).reference
        let answer = try system.change(last, .priority(3), by: "dana")
        #expect(answer.consequences.map { $0.hasPrefix("its message keeps its own") } == [true])
        #expect(try system.page(ForeignQuery(queue: "ship")).tasks.first?.reference == last)
        #expect(try system.detail(last)?.task.priority == 3)
        let postponed = try system.change(last, .postpone(Self.other), by: "dana")
        #expect(
            postponed.consequences == [
                "huey's schedule keeps no priority: it returns with its message's own, 0"
            ])
        #expect(try system.undo(by: "dana")?.changed == [last])
        let first = try #require(tasks.first).reference
        let moved = try system.change(first, .move(.first), by: "dana")
        #expect(moved.consequences == ["its place is made by its priority, which is 3 now"])
        #expect(try system.change(last, .move(.first), by: "dana").consequences.isEmpty)
        for reference in [last, first] {
            #expect(try system.undo(by: "dana")?.changed == [reference])
        }
        #expect(try system.undo(by: "dana")?.changed == [last])
        #expect(try system.page(ForeignQuery(queue: "ship")).tasks == tasks)
    }

    @Test("a step of what its consumer does not execute says what it did with it")
    func fate() {
        var task = ForeignTask(reference: "a", queue: "ship", type: "ship", display: .delayed)
        task.notBefore = Timestamp(milliseconds: 4_102_444_800_000)
        #expect(
            HueyMessage.fate(of: task, isInSchedule: true)
                == "a consumer took it: it begins at 2100-01-01T00:00:00.000Z, and huey put it "
                + "into its schedule")
        task.display = .blocked
        #expect(HueyMessage.fate(of: task, isInSchedule: false)?.contains("revoked") == true)
        task.display = .held
        #expect(HueyMessage.fate(of: task, isInSchedule: true) == nil)
    }
}
