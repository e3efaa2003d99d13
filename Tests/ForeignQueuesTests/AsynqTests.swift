import SluiceModel
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

/// Tasks of Asynq as its own library lays them out.
private struct AsynqBench {
    let server: RedisServer
    let redis: RedisConnection
    let store: ForeignStore

    init() throws {
        server = try RedisServer()
        redis = try server.connect()
        try redis.call("SADD", "asynq:queues", "mail")
        store = try ForeignStore.open(
            server.address(), as: nil, keepers: KeeperLauncher { _, _ in })
    }

    var system: any ForeignSystem { store.systems[0] }

    func put(
        _ id: String, _ state: String, score: Int? = nil, payload: [UInt8] = Array("{}".utf8),
        more: [UInt8] = []
    ) throws {
        let message =
            Message.field(1, "email:send") + Message.field(2, payload) + Message.field(3, id)
            + Message.field(4, "mail") + Message.field(5, 3) + more
        try redis.call(
            "HSET", "asynq:{mail}:t:\(id)", "msg", message, "state", state, "pending_since",
            "1700000000000000000")
        if let score {
            try redis.call("ZADD", "asynq:{mail}:\(state)", score, id)
        } else {
            try redis.call("LPUSH", "asynq:{mail}:\(state)", id)
        }
    }
}

@Suite("queues of Asynq", .enabled(if: RedisServer.isInstalled), .serialized)
struct AsynqTests {
    @Test("its queues and tasks are told in the order in which they are taken")
    func looks() throws {
        let bench = try AsynqBench()
        #expect(bench.store.systems.map(\.name) == ["asynq"])
        for id in ["a", "b", "c"] { try bench.put(id, "pending") }
        try bench.put("run", "active")
        try bench.put("later", "scheduled", score: 4_000_000_000)
        try bench.put(
            "again", "retry", score: 4_000_000_001,
            more: Message.field(6, 1) + Message.field(7, "smtp: refused"))
        try bench.put("dead", "archived", score: 1_700_000_000)
        try bench.put("done", "completed", score: 1_700_000_000)
        try bench.redis.call("SET", "asynq:{mail}:paused", 1)
        let queue = try #require(try bench.system.queues().first)
        #expect(queue.waiting == 3 && queue.running == 1 && queue.delayed == 2)
        #expect(queue.failed == 1 && queue.succeeded == 1)
        #expect(queue.ownPause == "asynq queue pause")
        func ids(_ state: TaskState.Name?, after: String? = nil, limit: Int = 50) throws -> [String]
        {
            try bench.system.page(
                ForeignQuery(queue: "mail", state: state, limit: limit, after: after)
            ).tasks.map(\.reference)
        }
        #expect(try ids(nil) == ["run", "a", "b", "c", "later", "again", "dead"])
        #expect(try ids(.succeeded) == ["done"])
        #expect(try ids(.waiting, limit: 2) == ["a", "b"])
        #expect(try ids(.waiting, after: "b") == ["c", "later", "again"])
        let first = try bench.system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks[0]
        #expect(first.display == .next && first.type == "email:send" && first.attemptLimit == 4)
        #expect(first.createdAt == Timestamp(milliseconds: 1_700_000_000_000))
        let again = try #require(try bench.system.detail("again"))
        #expect(again.task.display == .retrying && again.task.error == "smtp: refused")
        #expect(again.task.attempts == 1)
        #expect(again.task.notBefore == Timestamp(milliseconds: 4_000_000_001_000))
        #expect(try bench.system.timers(limit: 5).map(\.task.reference) == ["later", "again"])
        #expect(try bench.system.detail("gone") == nil)
    }

    @Test("payloads are shown as they are packed, and hostile bytes are told as such")
    func payloads() throws {
        let bench = try AsynqBench()
        try bench.put("json", "pending", payload: Array(#"{"to":"kim"}"#.utf8))
        let inner = Message.field(1, "kim") + Message.field(2, [0xFF])
        try bench.put("proto", "pending", payload: inner)
        try bench.redis.call("HSET", "asynq:{mail}:t:bad", "msg", [0xFF, 0x00], "state", "pending")
        try bench.redis.call("LPUSH", "asynq:{mail}:pending", "bad")
        try bench.redis.call("LPUSH", "asynq:{mail}:pending", "lost")
        let json = try #require(try bench.system.detail("json")).payload
        #expect(json.format == "json" && json.value?["to"]?.string == "kim")
        let proto = try #require(try bench.system.detail("proto")).payload
        #expect(proto.format == "protobuf" && proto.value == ["1": "kim", "2": "<1 bytes>"])
        #expect(proto.whyFixed != nil)
        #expect(try bench.system.detail("bad") == nil)
        let types = try bench.system.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
            .map(\.type)
        #expect(types == ["email:send", "email:send", "?", "?"])
    }

    @Test("its workers and what they serve are told; no verb is")
    func workers() throws {
        let bench = try AsynqBench()
        try bench.put("run", "active")
        let server =
            Message.field(1, "web1") + Message.field(2, 42) + Message.field(4, 10)
            + Message.field(5, Message.field(1, "mail") + Message.field(2, 3))
            + Message.field(5, Message.field(1, "low") + Message.field(2, 1))
        try bench.redis.call("ZADD", "asynq:servers", 1, "asynq:servers:{web1:42:x}")
        try bench.redis.call("SET", "asynq:servers:{web1:42:x}", server)
        try bench.redis.call("ZADD", "asynq:servers", 1, "asynq:servers:{gone:1:y}")
        try bench.redis.call(
            "HSET", "asynq:workers:{web1:42:x}", "run", Message.field(4, "run"))
        let runner = try #require(try bench.system.runners().first)
        #expect(try bench.system.runners().count == 1)
        #expect(runner.name == "{web1:42:x}" && runner.host == "web1" && runner.processID == 42)
        #expect(runner.slots == 10 && runner.queues == ["low", "mail"])
        #expect(runner.running == ["run"])
        for verb in ForeignVerb.allCases { #expect(bench.system.refusal(of: verb) != nil) }
        let error = #expect(throws: QueueError.self) {
            try bench.system.hold("mail", RQBench.note)
        }
        #expect(error?.code == .notLegal && error?.message.contains("asynq cannot pause") == true)
        #expect(throws: QueueError.self) { try bench.system.change("run", .delete, by: "dana") }
        #expect(throws: QueueError.self) { try bench.system.undo(by: "dana") }
    }
}
