import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("Tasks of dead workers in Redis", .enabled(if: RedisServer.isInstalled))
struct ReclaimTests {
    /// The fixtures were made long ago, so their workers have been silent since then.
    @Test("Dramatiq's message of a silent worker goes back as its maintenance does it")
    func dramatiq() throws {
        let fixture = try Fixture("dramatiq", "busy")
        let system = try fixture.system(DramatiqSystem.self)
        let holder = try #require(try system.holder(of: try system.require("m2")))
        #expect(holder.worker == "m1" && holder.heardAt?.milliseconds == 1_795_862_127_964)
        let answer = try system.reclaim("m2")
        #expect(answer.changed == ["m2"])
        #expect(answer.consequences == ["the next idle worker takes it"])
        let redis = fixture.redis
        #expect(try redis.call("LRANGE", "dramatiq:mail", 0, -1).array.map(\.text) == ["m2"])
        #expect(try redis.call("EXISTS", "dramatiq:__acks__.m1.mail").integer == 0)
        #expect(try system.require("m2").task.display == .due)
        #expect(throws: QueueError.self) { try system.reclaim("m2") }
        #expect(try redis.call("LLEN", "dramatiq:mail").integer == 1)
    }

    @Test("Dramatiq's message of a worker with a sign of life stays")
    func livingDramatiq() throws {
        let fixture = try Fixture("dramatiq", "busy")
        let system = try fixture.system(DramatiqSystem.self)
        try beat(fixture, "m1")
        let error = #expect(throws: QueueError.self) { try system.reclaim("m2") }
        #expect(error?.message.contains("its worker m1 gave a sign of life") == true)
        #expect(try system.require("m2").task.display == .running)
    }

    /// A sign of life of a broker, as Dramatiq's script records it.
    private func beat(_ fixture: Fixture, _ broker: String, before age: Int64 = 0) throws {
        let moment = SystemClock.nowMilliseconds() - age
        let beats = try Fixture.commands(
            "dramatiq", "busy", ["1795862127964.0": "\(moment)", "m1": broker]
        ).filter { $0.isOf("dramatiq:__heartbeats__") }
        try #require(beats.count == 1)
        try Fixture.play(beats, at: fixture.redis)
    }

    @Test("a program that only sends is no worker of Dramatiq; one that asks for messages is")
    func senders() throws {
        let fixture = try Fixture("dramatiq", "busy")
        let system = try fixture.system(DramatiqSystem.self)
        func names() throws -> [String] { try system.runners().map(\.name) }
        try beat(fixture, "sender")
        #expect(try names() == ["m1"])
        // This program runs scripts too.
        let tool = try fixture.server.connect()
        try tool.call("CLIENT", "SETNAME", "sluice:control")
        try tool.call("EVAL", "return 1", 0)
        #expect(try names() == ["m1"])
        // A worker asks for messages by a script.
        let worker = try fixture.server.connect()
        try worker.call("CLIENT", "SETNAME", "worker")
        try worker.call("EVAL", "return 1", 0)
        #expect(try names() == ["m1", "sender"])
        // A worker asks at least once a second; the clock of a sender may be ahead.
        for age: Int64 in [10_000, 60_000, -10_000] {
            try beat(fixture, "sender", before: age)
            #expect(try names() == ["m1"], "\(age)")
        }
        withExtendedLifetime((worker, tool)) {}
    }

    @Test("keys of a namespace that is not read are named, and nothing is held there")
    func namespace() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.play("dramatiq", "queued", ["dramatiq:": "shop:"], at: redis)
        func open(_ system: String?) throws -> ForeignStore {
            try ForeignStore.open(
                server.address(), as: system, keepers: KeeperLauncher { _, _ in })
        }
        for system in [nil, "dramatiq"] {
            let error = #expect(throws: QueueError.self) { try open(system) }
            #expect(error?.code == .notAStore)
            #expect(
                error?.message.hasSuffix(
                    "has keys of Dramatiq with the prefix shop:, and dramatiq: alone is read")
                    == true, "\(error?.message ?? "")")
        }
        #expect(try open("rq").systems.map(\.name) == ["rq"])
        try Fixture.play("dramatiq", "busy", at: redis)
        for system in [nil, "dramatiq"] {
            #expect(try open(system).systems.map(\.name) == ["dramatiq"])
        }
    }

    @Test("a reclaimed message of a held queue is held")
    func held() throws {
        let fixture = try Fixture("dramatiq", "busy")
        let system = try fixture.system(DramatiqSystem.self)
        let list = system.workLists(of: "mail")[0]
        try fixture.redis.call("SET", "{dramatiq:mail}:sluice:hold", "{}")
        #expect(try system.reclaim("m2").consequences == ["it is held with its queue"])
        #expect(try fixture.redis.call("LRANGE", list.held, 0, -1).array.map(\.text) == ["m2"])
    }

    private static let job = "saq:job:mail:long"

    /// SAQ leaves out fields with their defaults: these have others.
    private func saq(
        _ fields: String = "", _ names: Fixture.Names = [:]
    ) throws -> (Fixture, SAQSystem) {
        let start = "{\"function\""
        let fixture = try Fixture("saq", "busy", names)
        let job = try Fixture.commands("saq", "busy", [start: "{\(fields)\"function\""])
            .filter { $0.isOf(Self.job) }
        try Fixture.play(job, at: fixture.redis)
        return (fixture, try fixture.system(SAQSystem.self))
    }

    private func stored(_ fixture: Fixture) throws -> JSONValue {
        try JSONValue.parse(try #require(try fixture.redis.call("GET", Self.job).bytes))
    }

    @Test("SAQ's job of a dead worker with retries left waits again, as its sweep does it")
    func retryable() throws {
        let (fixture, system) = try saq("\"retries\": 3, ")
        #expect(try system.holder(of: system.require(Self.job))?.worker?.hasPrefix("5d8c") == true)
        #expect(try system.reclaim(Self.job).consequences == ["the next idle worker takes it"])
        let job = try stored(fixture)
        #expect(job["status"] == "queued" && job["error"] == "swept" && job["started"] == nil)
        #expect(job["attempts"] == 1 && job["key"] == "long")
        let redis = fixture.redis
        #expect(try redis.call("LRANGE", "saq:mail:queued", 0, -1).array.map(\.text) == [Self.job])
        #expect(try redis.call("LLEN", "saq:mail:active").integer == 0)
        #expect(try redis.call("ZSCORE", "saq:mail:incomplete", Self.job).text == "0")
        #expect(throws: QueueError.self) { try system.reclaim(Self.job) }
    }

    @Test("SAQ's retry of a reclaimed job waits for its delay")
    func delayed() throws {
        let (fixture, system) = try saq("\"retries\": 3, \"retry_delay\": 60.5, ")
        let before = SystemClock.nowMilliseconds()
        #expect(try system.reclaim(Self.job).consequences == ["it waits for its retry delay"])
        let task = try system.require(Self.job).task
        #expect(task.display == .retrying)
        #expect(task.notBefore.map { $0.milliseconds >= before + 60_500 } == true)
        #expect(try fixture.redis.call("LLEN", "saq:mail:queued").integer == 0)
    }

    @Test("SAQ's job without a retry left ends as aborted and keeps its time to live")
    func last() throws {
        let (fixture, system) = try saq()
        let answer = try system.reclaim(Self.job)
        #expect(answer.consequences == ["it has no retry left: SAQ calls it aborted"])
        let job = try stored(fixture)
        #expect(job["status"] == "aborted" && job["error"] == "swept")
        #expect(job["completed"]?.integer ?? 0 > 1_795_862_112_187)
        let redis = fixture.redis
        #expect(try redis.call("ZSCORE", "saq:mail:incomplete", Self.job).isNone)
        #expect(try redis.call("LLEN", "saq:mail:active").integer == 0)
        let left = try redis.call("TTL", Self.job).integer ?? 0
        #expect((1...600).contains(left))
    }

    @Test("SAQ's job of a worker that SAQ counts as alive stays")
    func living() throws {
        let later = SystemClock.nowMilliseconds() + 11_000
        let living: Fixture.Names = ["1795862112187.0": "\(later)"]
        let (fixture, system) = try saq("\"retries\": 3, ", living)
        let worker = try #require(try stored(fixture)["worker_id"]?.string)
        let error = #expect(throws: QueueError.self) { try system.reclaim(Self.job) }
        #expect(error?.message.contains("counts its worker \(worker) as alive until") == true)
        // An older SAQ records no worker with a job: then any living worker may have it.
        let older = try Fixture.commands("saq", "busy", ["worker_id": "former_id"])
        try Fixture.play(older.filter { $0.isOf(Self.job) }, at: fixture.redis)
        #expect(throws: QueueError.self) { try system.reclaim(Self.job) }
        #expect(try system.require(Self.job).task.display == .running)
    }
}
