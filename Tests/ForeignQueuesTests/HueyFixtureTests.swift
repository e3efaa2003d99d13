import SluiceModel
import SluicePlatform
import SluiceRedisClient
import SluiceRedisHarness
import SluiceSQLiteClient
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
