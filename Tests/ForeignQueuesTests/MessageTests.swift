import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("messages of other systems")
struct MessageTests {
    @Test("Celery: a message is read, and edited with all else as it was")
    func celeryMessage() throws {
        let list = "mail\u{6}\u{16}3"
        let written = try Fixture.content("celery", "counted", of: list)
        let message = try #require(CeleryMessage(written[0]))
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
        let written = try Fixture.content("celery", "packed", of: "mail").map {
            try #require(CeleryMessage($0))
        }
        func made(_ id: String) throws -> CeleryMessage {
            try #require(written.first { $0.task(in: "mail", .due).reference == id })
        }
        /// A message with a body that no library would give it.
        func damaged(_ id: String, _ body: ([UInt8]) -> [UInt8]) throws -> CeleryMessage {
            var envelope = try made(id).envelope
            let own = try #require(envelope["body"]?.string.flatMap(Base64.decode))
            envelope["body"] = .string(Base64.encode(body(own)))
            return try #require(CeleryMessage(JSONValue.object(envelope).bytes))
        }
        let cases = [try made("msgpack"), try made("gzip")]
        for one in cases {
            #expect(one.payload.value?["args"] == [7] && one.payload.whyFixed != nil)
            #expect(throws: QueueError.self) { try one.edited(["args": [8], "kwargs": [:]]) }
        }
        let hostile = [
            try damaged("gzip") { $0.dropLast(3) },
            try damaged("msgpack") { _ in [0xDD, 255, 255, 255, 255] },
            try made("yaml"), try damaged("gzip") { _ in [] },
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
        let written = try Fixture.content("sidekiq", "wrapped", of: "retry")[1]
        let job = try #require(SidekiqJob(written))
        let task = job.task(in: "mail", .retrying)
        #expect(task.type == "Mail" && task.error == "IOError: gone")
        #expect(task.attempts == 2 && task.attemptLimit == 4)
        let fields = try JSONValue.parse(written)
        let seconds = try #require(fields["created_at"]?.double)
        #expect(task.createdAt == ForeignTime.moment(seconds: seconds))
        #expect(task.createdAt.map { Double($0.milliseconds) / 1000 - seconds < 0.001 } == true)
        // Version 8 writes milliseconds (`Sidekiq::JobUtil#now_in_millis`).
        var newer = try #require(fields.object)
        newer["created_at"] = .integer(1_767_225_600_500)
        let later = try #require(SidekiqJob(JSONValue.object(newer).bytes))
        #expect(later.task(in: "q", .due).createdAt?.milliseconds == 1_767_225_600_500)
        #expect(SidekiqJob(Array("[1]".utf8)) == nil)
    }

    @Test("huey: a message is read, and edited as its own library reads it")
    func hueyMessage() throws {
        let message = try #require(HueyMessage(Fixture.hueyMessage()))
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
        #expect(try SQLSession.literal("a'b\\c$sluice$") == #"E'a''b\\c\x24sluice\x24'"#)
        #expect(throws: QueueError.self) { try SQLSession.literal("a\0b") }
        #expect(SQLSession.name("a\"b") == "\"a\"\"b\"")
    }
}

@Suite("several systems in one Redis", .enabled(if: RedisServer.isInstalled))
struct SideBySideTests {
    @Test("X1 each is recognised by its keys, and hostile ones are passed over")
    func sideBySide() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        for system in ["rq", "celery", "saq", "bullmq"] {
            try Fixture.send(system, ["one"], to: redis)
        }
        try Fixture.play("sidekiq", "two", at: redis)
        // Damage: an odd name, a binding without separators, invalid JSON, JSON without a job, ids
        // of removed jobs, and a text instead of a hash.
        try Fixture.send("sidekiq", ["odd"], queue: "a'b", to: redis)
        let binding = try Fixture.commands("celery", "emptied", ["\u{6}\u{16}": ""])
        try Fixture.play(binding.filter { $0.isOf("_kombu.binding.mail") }, at: redis)
        for names: Fixture.Names in [["{": ""], ["\"jid\":\"": "\"jid\":7,\"no\":\""]] {
            try Fixture.play("sidekiq", "send", names, at: redis)
        }
        for system in ["bullmq", "saq"] { try Fixture.send(system, ["gone"], to: redis) }
        try redis.call("DEL", "bull:mail:gone", "saq:job:mail:gone")
        try redis.call("COPY", "bull:mail:id", "unacked")
        let keepers = KeeperLauncher { _, _ in }
        let store = try ForeignStore.open(server.address(), as: nil, keepers: keepers)
        #expect(store.systems.map(\.name) == ["rq", "celery", "sidekiq", "saq", "bullmq"])
        let error = #expect(throws: QueueError.self) { try store.place(of: "a") }
        #expect(error?.code == .unknownQueue)
        let same = #expect(throws: QueueError.self) { try store.place(of: "mail") }
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
