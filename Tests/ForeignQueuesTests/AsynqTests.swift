import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("queues of Asynq", .enabled(if: RedisServer.isInstalled), .serialized)
struct AsynqTests {
    /// Asynq's scenario, and the recognised system.
    private static func open(
        _ scenario: String
    ) throws -> (fixture: Fixture, system: any ForeignSystem) {
        let fixture = try Fixture("asynq", scenario)
        let store = try ForeignStore.open(
            fixture.server.address(), as: nil, keepers: KeeperLauncher { _, _ in })
        #expect(store.systems.map(\.name) == ["asynq"])
        return (fixture, try #require(store.systems.first))
    }

    @Test("its queues and tasks are told in the order in which they are taken")
    func looks() throws {
        let (_, system) = try Self.open("states")
        let queue = try #require(try system.queues().first)
        #expect(queue.waiting == 3 && queue.running == 1 && queue.delayed == 2)
        #expect(queue.failed == 1 && queue.succeeded == 1)
        #expect(queue.ownPause == "asynq queue pause")
        func ids(_ state: TaskState.Name?, after: String? = nil, limit: Int = 50) throws -> [String]
        {
            try system.page(
                ForeignQuery(queue: "mail", state: state, limit: limit, after: after)
            ).tasks.map(\.reference)
        }
        #expect(try ids(nil) == ["run", "a", "b", "c", "later", "again", "dead"])
        #expect(try ids(.succeeded) == ["done"])
        #expect(try ids(.waiting, limit: 2) == ["a", "b"])
        #expect(try ids(.waiting, after: "b") == ["c", "later", "again"])
        let first = try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks[0]
        #expect(first.display == .next && first.type == "email:send" && first.attemptLimit == 4)
        let fields = try Fixture.content("asynq", "states", of: "asynq:{mail}:t:a")
            .map { String(decoding: $0, as: UTF8.self) }
        let place = try #require(fields.firstIndex(of: "pending_since"))
        let created = try #require(Int64(fields[place + 1]))
        #expect(first.createdAt == Timestamp(milliseconds: created / 1_000_000))
        let again = try #require(try system.detail("again"))
        #expect(again.task.display == .retrying && again.task.error == "smtp: refused")
        #expect(again.task.attempts == 1)
        #expect(again.task.notBefore == Timestamp(milliseconds: 4_000_000_001_000))
        #expect(try system.timers(limit: 5).map(\.task.reference) == ["later", "again"])
        #expect(try system.detail("gone") == nil)
    }

    @Test("payloads are shown as they are packed, and hostile bytes are told as such")
    func payloads() throws {
        let (fixture, system) = try Self.open("payloads")
        // A damaged message, and a message without its hash.
        let bad = try Fixture.commands("asynq", "payloads").filter {
            $0.isOf("asynq:{mail}:t:bad")
        }
        try Fixture.play(bad.map { $0.cutting("msg") }, at: fixture.redis)
        try fixture.redis.call("DEL", "asynq:{mail}:t:lost")
        let json = try #require(try system.detail("json")).payload
        #expect(json.format == "json" && json.value?["to"]?.string == "kim")
        let proto = try #require(try system.detail("proto")).payload
        #expect(proto.format == "protobuf" && proto.value == ["1": "kim", "2": "<1 bytes>"])
        #expect(proto.whyFixed != nil)
        #expect(try system.detail("bad") == nil)
        let types = try system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
            .map(\.type)
        #expect(types == ["email:send", "email:send", "?", "?"])
    }

    @Test("its workers and what they serve are told; no verb is")
    func workers() throws {
        let (_, system) = try Self.open("workers")
        // `{host:pid:uuid}` of the server that still had its sign of life.
        let prefix = "asynq:servers:"
        let key = try #require(
            try Fixture.commands("asynq", "workers").lazy.map { $0.words[1] }
                .map { String(decoding: $0, as: UTF8.self) }.first { $0.hasPrefix(prefix + "{") })
        let parts = key.dropFirst(prefix.count + 1).split(separator: ":")
        let runner = try #require(try system.runners().first)
        #expect(try system.runners().count == 1)
        #expect(runner.name == String(key.dropFirst(prefix.count)))
        #expect(runner.host == String(parts[0]))
        #expect(runner.processID == Int64(parts[1]))
        #expect(runner.slots == 10 && runner.queues == ["low", "mail"])
        #expect(runner.running == ["run"])
        for verb in ForeignVerb.allCases { #expect(system.refusal(of: verb) != nil) }
        let error = #expect(throws: QueueError.self) {
            try system.hold("mail", RQBench.note)
        }
        #expect(error?.code == .notLegal && error?.message.contains("asynq cannot pause") == true)
        #expect(throws: QueueError.self) { try system.change("run", .delete, by: "dana") }
        #expect(throws: QueueError.self) { try system.undo(by: "dana") }
    }
}
