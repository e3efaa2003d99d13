import SluiceModel
import SluiceRedisClient
import SluiceRedisHarness
import SluiceSQLiteClient
import Testing

@testable import SluiceForeignQueues

/// A message that huey 3.5.4 wrote: run(7, 'a', k=[1]) with two retries.
let hueyBytes = Packed.hex(
    "80049554000000000000008c0d687565792e7265676973747279948c074d65737361676594939428"
        + "8c0469642d31948c076170702e72756e944e4b024b004e4b078c01619486947d948c016b945d944b"
        + "0161734e4e4e4e4e4e4e749481942e")

@Suite("messages of other systems")
struct MessageTests {
    private let celery = """
        {"body": "W1sxMF0sIHt9LCB7ImNhbGxiYWNrcyI6IG51bGx9XQ==", "content-encoding": "utf-8",
        "content-type": "application/json", "headers": {"lang": "py", "task": "run",
        "id": "abc", "retries": 1, "eta": null, "argsrepr": "[10]", "kwargsrepr": "{}"},
        "properties": {"delivery_tag": "t1", "priority": 3, "body_encoding": "base64"}}
        """

    @Test("Celery: a message is read, and edited with all else as it was")
    func celeryMessage() throws {
        let message = try #require(CeleryMessage(Array(celery.utf8)))
        let task = message.task(in: "mail", .due)
        #expect(task.reference == "abc" && task.type == "run" && task.label == "run[10]")
        #expect(task.attempts == 1 && task.priority == 3)
        #expect(message.payload.value?["args"] == [10])
        let edited = try message.edited(["args": [11, "é"], "kwargs": ["a": 1]])
        let again = try #require(CeleryMessage(edited))
        #expect(again.payload.value?["args"] == [11, "é"])
        #expect(again.payload.value?["embed"] == message.payload.value?["embed"])
        #expect(again.envelope["properties"] == message.envelope["properties"])
        #expect(again.task(in: "mail", .due).label == "run[11, 'é'] {'a': 1}")
        #expect(throws: QueueError.self) { try message.edited(["args": 1]) }
        #expect(CeleryMessage(Array("{}".utf8)) == nil)
        #expect(CeleryMessage([0x80, 4, 0x4E, 0x2E]) == nil)
    }

    @Test("Celery: bodies of msgpack and packed ones are shown, and edited in no case")
    func celeryBodies() throws {
        func message(_ body: [UInt8], _ type: String, _ more: String = "") throws -> CeleryMessage {
            let text = """
                {"body": "\(Base64.encode(body))", "content-type": "\(type)", "headers": {"id": "a"
                \(more)}, "properties": {"body_encoding": "base64"}}
                """
            return try #require(CeleryMessage(Array(text.utf8)))
        }
        let json = Array(#"[[7],{},{"chain":null}]"#.utf8)
        let packed = Inflate.stored(json)
        let gzip = #", "compression": "application/x-gzip""#
        // [[7], {}, nil] as msgpack has it.
        let cases = [
            try message([0x93, 0x91, 7, 0x80, 0xC0], "application/x-msgpack"),
            try message(packed, "application/json", gzip),
        ]
        for one in cases {
            #expect(one.payload.value?["args"] == [7] && one.payload.whyFixed != nil)
            #expect(throws: QueueError.self) { try one.edited(["args": [8], "kwargs": [:]]) }
        }
        let hostile = [
            try message(Array(packed.dropLast(3)), "application/json", gzip),
            try message([0xDD, 255, 255, 255, 255], "application/x-msgpack"),
            try message(json, "text/x-yaml"), try message([], "application/json", gzip),
        ]
        for one in hostile { #expect(one.payload.value == nil && one.payload.whyFixed != nil) }
    }

    @Test("values are written as Python writes them")
    func pythonText() throws {
        let value = try JSONValue.parse(#"{"a'b":[true,null,1.5,"it's \"x\"\n\u0001é"]}"#)
        #expect(
            PythonText.named(try #require(value.object))
                == #"{"a'b": [True, None, 1.5, 'it\'s "x"\n\x01é']}"#)
        #expect(PythonText.arguments([7], asList: false) == "(7,)")
        #expect(PythonText.arguments(["a", 7], asList: false) == "('a', 7)")
        #expect(
            PythonText.arguments([.string(String(repeating: "x", count: 5000))], asList: true)
                .count == 1024)
    }

    @Test("Sidekiq: a job is read with its error, of any version's clock")
    func sidekiqJob() throws {
        let text = """
            {"class":"ActiveJob::Wrapper","wrapped":"Mail","args":[1],"jid":"j1","queue":"mail",
            "retry":3,"retry_count":1,"created_at":1767225600.5,"failed_at":1767225601,
            "error_class":"IOError","error_message":"gone"}
            """
        let job = try #require(SidekiqJob(Array(text.utf8)))
        let task = job.task(in: "mail", .retrying)
        #expect(task.type == "Mail" && task.error == "IOError: gone")
        #expect(task.attempts == 2 && task.attemptLimit == 4)
        #expect(task.createdAt?.milliseconds == 1_767_225_600_500)
        let newer = try #require(
            SidekiqJob(Array(#"{"jid":"x","class":"A","created_at":1767225600500}"#.utf8)))
        #expect(newer.task(in: "q", .due).createdAt?.milliseconds == 1_767_225_600_500)
        #expect(SidekiqJob(Array("[1]".utf8)) == nil)
    }

    @Test("huey: a message is read, and edited as its own library reads it")
    func hueyMessage() throws {
        let message = try #require(HueyMessage(hueyBytes))
        #expect(message.id == "id-1" && message.retries == 2)
        #expect(message.payload.value == ["args": [7, "a"], "kwargs": ["k": [1]]])
        #expect(message.payload.whyFixed == nil)
        let again = try #require(
            HueyMessage(try message.edited(["args": [8], "kwargs": [:]])))
        #expect(again.payload.value == ["args": [8], "kwargs": [:]])
        #expect(again.id == "id-1" && again.retries == 2)
        #expect(HueyMessage(Packed.evil) == nil)
    }

    @Test("a text ends no statement and no block that it stands in")
    func literals() throws {
        #expect(try SQLDesk.literal("a'b\\c$sluice$") == #"E'a''b\\c\x24sluice\x24'"#)
        #expect(throws: QueueError.self) { try SQLDesk.literal("a\0b") }
        #expect(SQLDesk.name("a\"b") == "\"a\"\"b\"")
    }
}

@Suite("several systems in one Redis", .enabled(if: RedisServer.isInstalled))
struct SideBySideTests {
    @Test("X1 each is recognised by its keys, and hostile ones are passed over")
    func sideBySide() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        try redis.call("SADD", "queues", "mail", "a'b")
        try redis.call("SET", "stat:processed", "1")
        try redis.call("SADD", "_kombu.binding.celery", "mail\u{6}\u{16}\u{6}\u{16}mail", "odd")
        try redis.call("HSET", "bull:mail:meta", "opts.maxLenEvents", "10000")
        try redis.call("ZADD", "saq:mail:stats", 1, "saq:mail:worker_info:w")
        try redis.call("RPUSH", "queue:mail", "no json", "{\"jid\":7}")
        try redis.call("RPUSH", "bull:mail:wait", "gone")
        try redis.call("RPUSH", "saq:mail:queued", "saq:job:mail:gone")
        try redis.call("SET", "unacked", "no hash")
        let keepers = KeeperLauncher { _, _ in }
        let store = try ForeignStore.open(server.address(), as: nil, keepers: keepers)
        #expect(store.systems.map(\.name) == ["rq", "celery", "sidekiq", "saq", "bullmq"])
        let error = #expect(throws: QueueError.self) { try store.system(of: "a") }
        #expect(error?.code == .unknownQueue)
        let same = #expect(throws: QueueError.self) { try store.system(of: "mail") }
        #expect(same?.message == "several systems have a queue \"mail\"")
        let before = try redis.call("DBSIZE")
        for system in store.systems {
            let page = try system.page(ForeignQuery(queue: "mail"))
            #expect(page.tasks.allSatisfy { $0.queue == "mail" })
            #expect(try system.detail("no such task") == nil)
            #expect(try system.timers(limit: 10).isEmpty)
        }
        #expect(try redis.call("DBSIZE") == before)
    }
}
