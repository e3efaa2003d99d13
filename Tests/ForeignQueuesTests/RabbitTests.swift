import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("queues of RabbitMQ", .serialized)
struct RabbitTests {
    @Test("a task of Celery at RabbitMQ is listed and shown with its call")
    func celery() throws {
        let bench = try RabbitBench()
        let store = try bench.open()
        #expect(store.systems.map(\.name) == ["rabbitmq"])
        #expect(!store.name.contains("secret"))
        let queue = try #require(try store.queues().first)
        #expect(queue.name == "celery" && queue.waiting == 3 && queue.taken == 2)
        #expect(queue.estimates == [.waiting, .taken])
        let page = try store.systems[0].page(ForeignQuery(queue: "celery"))
        #expect(page.more)
        let task = try #require(page.tasks.first)
        #expect(task.reference == "8f098d9c-9a37-4b9a-bea4-374c96174266")
        #expect(task.type == "tasks.send" && task.attempts == 1 && task.display == .next)
        #expect(task.label == "tasks.send('user0@example.org',) {'subject': 'Hi'}")
        let detail = try #require(try store.systems[0].detail(task.reference))
        #expect(detail.payload.value?["kwargs"]?["subject"]?.string == "Hi")
        // The interface writes a void value as this word.
        #expect(detail.fields["headers.eta"] == nil)
        #expect(detail.fields["headers.id"]?.string == task.reference)
        #expect(bench.server.requests.allSatisfy { $0.headers["authorization"] != nil })
    }

    @Test("messages without an id get one of their content, and two alike get two")
    func plain() throws {
        let bench = try RabbitBench()
        defer { withExtendedLifetime(bench) {} }
        let system = try bench.open().systems[0]
        let tasks = try system.page(ForeignQuery(queue: "mail")).tasks
        #expect(tasks.map(\.reference) == ["m1", "m4280197fbd50d637", "m4280197fbd50d637-2"])
        #expect(tasks.map(\.display) == [.next, .due, .due])
        #expect(tasks.map(\.type) == ["mail.send", "mail", "mail"])
        #expect(tasks[0].priority == 2)
        #expect(tasks[0].createdAt == Timestamp(milliseconds: 1_700_000_000_000))
        let details = try system.details(of: tasks)
        #expect(details[0]?.payload.value == ["n": 0])
        #expect(details[2]?.payload.bytes == [0xFF, 0] + Array("bin".utf8))
        #expect(details[2]?.payload.format == "bytes")
    }

    @Test("ids that senders chose to look like numbered ones stay apart")
    func hostileIDs() throws {
        let ids = ["x", "x-2", "x", "x"]
        let messages = ids.map {
            #"{"properties":{"message_id":"\#($0)"},"payload":"","message_count":0}"#
        }
        let bench = try RabbitBench([
            "/api/queues/%2F/mail/get": (200, "[\(messages.joined(separator: ","))]")
        ])
        defer { withExtendedLifetime(bench) {} }
        let system = try bench.open().systems[0]
        let tasks = try system.page(ForeignQuery(queue: "mail")).tasks
        #expect(tasks.map(\.reference) == ["x", "x-2", "x-3", "x-4"])
        #expect(try system.details(of: tasks).allSatisfy { $0 != nil })
    }

    @Test("a message that was dead-lettered says where, why and how often; a long one is cut")
    func dead() throws {
        let bench = try RabbitBench()
        defer { withExtendedLifetime(bench) {} }
        let system = try bench.open().systems[0]
        let task = try #require(try system.page(ForeignQuery(queue: "dead")).tasks.first)
        #expect(task.attempts == 2 && task.error == "rejected in main, 2 times")
        let detail = try #require(try system.detail(task.reference))
        #expect(detail.payload.value == nil)
        #expect(detail.payload.format == "bytes, the first 7 of 70000")
    }

    @Test("the messages of a quorum queue with a delivery limit are never taken for a look")
    func limited() throws {
        let bench = try RabbitBench()
        let system = try bench.open().systems[0]
        let page = try system.page(ForeignQuery(queue: "limited"))
        #expect(page.tasks.isEmpty && page.more)
        #expect(try system.detail("nothing") == nil)
        #expect(bench.gets(of: "mail") == 1 && bench.gets(of: "limited") == 0)
    }

    @Test("a quorum queue of 4.0 has a limit that nothing says, and a policy may set one")
    func limitedUnsaid() throws {
        let newer = try RabbitBench([
            "/api/overview": (200, #"{"rabbitmq_version":"4.0.2"}"#),
            "/api/queues/%2F": (
                200, #"[{"name":"q","type":"quorum","arguments":{},"messages_ready":1}]"#
            ),
        ])
        let policy =
            #"[{"name":"q","type":"quorum","messages_ready":1,"effective_policy_definition":"#
        let ruled = try RabbitBench([
            "/api/queues/%2F": (200, policy + #"{"delivery-limit":5}}]"#)
        ])
        for bench in [newer, ruled] {
            let system = try bench.open().systems[0]
            let page = try system.page(ForeignQuery(queue: "q"))
            #expect(page.tasks.isEmpty && page.more)
            #expect(bench.gets(of: "q") == 0)
        }
    }

    @Test("the messages of an exclusive queue, as workers of Celery have two, are not asked for")
    func exclusive() throws {
        let bench = try RabbitBench([
            "/api/queues/%2F": (
                200, #"[{"name":"q","type":"classic","exclusive":true,"messages_ready":1}]"#
            )
        ])
        let page = try bench.open().systems[0].page(ForeignQuery(queue: "q"))
        #expect(page.tasks.isEmpty && page.more)
        #expect(bench.gets(of: "q") == 0)
        #expect(bench.server.requests.contains { $0.path.contains("exclusive") })
    }

    @Test("the queues of events, orders and answers of Celery's workers are not listed")
    func controls() throws {
        let names = [
            "celery", "celery@web1.celery.pidbox", "celeryev.8c2f-1", "celeryevents",
            "c0ffee.reply.celery.pidbox", "sluice.held.celery",
        ]
        let all = names.map { #"{"name":"\#($0)","type":"classic","messages_ready":0}"# }
        let bench = try RabbitBench([
            "/api/queues/%2F": (200, "[\(all.dropLast().joined(separator: ","))]")
        ])
        let store = try bench.open()
        #expect(try store.queues().map(\.name) == ["celery", "celeryevents"])
        let stamp = try #require(try store.systems[0].stamp())
        #expect(stamp.contains("celeryevents") && !stamp.contains("pidbox"))
    }

    @Test("counts are exact again after a failure of AMQP")
    func answeringAgain() throws {
        let peer = try AMQPPeer()
        let bench = try RabbitBench()
        defer { withExtendedLifetime(bench) {} }
        let store = try bench.open(port: peer.port)
        func mail() throws -> ForeignQueue? { try store.queues().first { $0.name == "mail" } }
        func isExact() throws -> Bool { try mail()?.estimates.contains(.waiting) == false }
        #expect(try isExact() && mail()?.waiting == 7)
        peer.refuse(true)
        #expect(try !isExact() && mail()?.waiting == 3)
        peer.refuse(false)
        var count = 0
        while try !isExact(), count < 1_000 {
            count += 1
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
        #expect(try isExact() && mail()?.waiting == 7)
    }

    @Test("a queue that only gets dead letters has failed tasks, and says so in each reading")
    func failed() throws {
        let queues = """
            [{"name":"main","type":"classic","messages_ready":0,"consumers":0,"arguments":\
            {"x-dead-letter-exchange":"","x-dead-letter-routing-key":"dead"}},\
            {"name":"dead","type":"classic","messages_ready":1,"consumers":1}]
            """
        let bench = try RabbitBench(["/api/queues/%2F": (200, queues)])
        let store = try bench.open()
        let queue = try #require(try store.queues().first { $0.name == "dead" })
        #expect(queue.failed == 1 && queue.waiting == 0)
        let system = store.systems[0]
        #expect(try system.page(ForeignQuery(queue: "dead", state: .waiting)).tasks.isEmpty)
        #expect(try system.page(ForeignQuery(queue: "main", state: .failed)).tasks.isEmpty)
        #expect(bench.gets(of: "dead") == 0 && bench.gets(of: "main") == 0)
        for state in [nil, TaskState.Name.failed] {
            let page = try system.page(ForeignQuery(queue: "dead", state: state))
            #expect(page.tasks.map(\.display) == [.failed])
            #expect(page.tasks.first?.error == "rejected in main, 2 times")
            #expect(page.tasks.first?.endedAt == Timestamp(milliseconds: 1_795_851_644_000))
        }
    }

    @Test("a page begins after the task that is named")
    func pages() throws {
        let bench = try RabbitBench()
        defer { withExtendedLifetime(bench) {} }
        let system = try bench.open().systems[0]
        let first = try system.page(ForeignQuery(queue: "mail", limit: 1))
        #expect(first.tasks.map(\.reference) == ["m1"] && first.more)
        let rest = try system.page(ForeignQuery(queue: "mail", limit: 5, after: "m1"))
        #expect(rest.tasks.count == 2 && !rest.more)
    }

    @Test("a look puts back what it takes, and takes no more than its bound")
    func bounded() throws {
        let bench = try RabbitBench()
        let system = try bench.open().systems[0]
        let first = try system.page(ForeignQuery(queue: "mail", limit: 500))
        let next = try system.page(
            ForeignQuery(queue: "celery", limit: 500, after: first.tasks.last?.reference))
        #expect(next.tasks.isEmpty && next.more)
        let asked = bench.bodies.withLock { $0 }.filter { !$0.isEmpty }
        #expect(asked.count == 2)
        for text in asked {
            let body = try JSONValue.parse(text)
            #expect(body["ackmode"]?.string == "ack_requeue_true")
            #expect(body["count"]?.integer == 100)
        }
    }

    @Test("consumers are the workers, and why says that their prefetch is used up")
    func workers() throws {
        let consumer = #"""
            {"prefetch_count":1,"queue":{"name":"celery","vhost":"/"},"channel_details":\#
            {"connection_name":"127.0.0.1:4 -> 127.0.0.1:5672","peer_host":"127.0.0.1"}}
            """#
        let bench = try RabbitBench([
            "/api/consumers/%2F": (200, "[\(consumer),\(consumer)]")
        ])
        let system = try bench.open().systems[0]
        let runners = try system.runners()
        #expect(runners.map(\.name) == ["127.0.0.1:4 -> 127.0.0.1:5672"])
        #expect(runners.first?.queues == ["celery"])
        let id = "8f098d9c-9a37-4b9a-bea4-374c96174266"
        let detail = try #require(try system.detail(id))
        #expect(try system.obstacle(of: detail)?.contains("2 messages in hand") == true)
    }

    @Test("a verb on what is not held is refused with the way to hold it, as is what never works")
    func unchanged() throws {
        let bench = try RabbitBench()
        let system = try bench.open().systems[0]
        let error = #expect(throws: QueueError.self) {
            try system.change("m1", .delete, by: "kim")
        }
        #expect(error?.code == .notLegal && error?.fix == "sluice pause mail first")
        for change in [ForeignChange.edit(.null), .priority(1)] {
            let error = #expect(throws: QueueError.self) {
                try system.change("m1", change, by: "kim")
            }
            #expect(error?.fix == "sluice pause mail first")
        }
        for change in [ForeignChange.move(.first), .postpone(Timestamp(milliseconds: 0)), .retry] {
            let error = #expect(throws: QueueError.self) {
                try system.change("m1", change, by: "kim")
            }
            #expect(error?.code == .notLegal)
        }
    }

    @Test("an open console takes nothing from a queue that has consumers, and shows its count")
    func watched() throws {
        let bench = try RabbitBench()
        let system = try bench.open().systems[0]
        var query = ForeignQuery(queue: "celery", state: .waiting)
        query.isWatched = true
        let busy = try system.page(query)
        #expect(busy.tasks.isEmpty && busy.more && bench.gets(of: "celery") == 0)
        query.queue = "mail"
        #expect(try system.page(query).tasks.count == 3 && bench.gets(of: "mail") == 1)
    }

    @Test("a console's look at a busy queue asks for no message")
    func look() throws {
        let bench = try RabbitBench()
        let store = try bench.open()
        let look = try store.look(at: { $0.first }, subject: nil)
        #expect(look.queues.values.first { $0.name == "celery" }?.waiting == 3)
        #expect(look.tasks.isEmpty && bench.gets(of: "celery") == 0)
    }

    @Test("what is no management interface, refuses, or has no such vhost says what to do")
    func wrong() throws {
        func fault(_ path: String, _ status: Int, _ body: String) throws -> QueueError? {
            let bench = try RabbitBench([path: (status, body)])
            return #expect(throws: QueueError.self) { try bench.open() }
        }
        let page = try fault("/api/overview", 200, "<html>")
        #expect(page?.code == .notAStore)
        #expect(page?.fix.contains("?management=PORT") == true)
        let other = try fault("/api/overview", 200, "{}")
        #expect(other?.code == .notAStore)
        let login = try fault(
            "/api/overview", 401, #"{"error":"not_authorized","reason":"Login failed"}"#)
        #expect(login?.code == .denied && login?.message.contains("Login failed") == true)
        #expect(login?.message.contains("secret") == false)
        let rights = try fault(
            "/api/queues/%2F", 401, #"{"error":"not_authorized","reason":"no access"}"#)
        #expect(rights?.code == .denied && rights?.fix.contains("rights in the vhost") == true)
        let vhost = #expect(throws: QueueError.self) { try RabbitBench().open("/nope") }
        #expect(vhost?.code == .notAStore && vhost?.message.contains("\"nope\"") == true)
        // A header line that libcurl gives up.
        let endless = try ScriptedServer { talk in
            try talk.send([UInt8](repeating: UInt8(ascii: "a"), count: 300_000))
            talk.close()
        }
        let long = #expect(throws: QueueError.self) {
            try ForeignStore.open(
                "amqp://127.0.0.1?management=\(endless.port)", as: nil,
                keepers: KeeperLauncher { _, _ in })
        }
        #expect(long?.code == .notAStore && long?.fix.contains("?management=PORT") == true)
        let peer = try ScriptedServer { talk in
            try talk.send([UInt8]("AMQP".utf8) + [0, 0, 9, 1])
            talk.close()
        }
        let amqp = #expect(throws: QueueError.self) {
            try ForeignStore.open(
                "amqp://127.0.0.1?management=\(peer.port)", as: nil,
                keepers: KeeperLauncher { _, _ in })
        }
        #expect(amqp?.code == .notAStore)
        let asked = #expect(throws: QueueError.self) {
            try ForeignStore.open(
                "amqp://127.0.0.1", as: "rq", keepers: KeeperLauncher { _, _ in })
        }
        #expect(asked?.code == .notAStore)
    }

    @Test("a queue that was deleted is unknown, and one whose right is missing is denied")
    func deleted() throws {
        let gone = #"{"error":"not_found","reason":"no queue"}"#
        let refused = #"{"error":"bad_request","reason":"ACCESS_REFUSED - read access"}"#
        let bench = try RabbitBench([
            "/api/queues/%2F/mail/get": (404, gone), "/api/queues/%2F/dead/get": (400, refused),
        ])
        let system = try bench.open().systems[0]
        let unknown = #expect(throws: QueueError.self) {
            try system.page(ForeignQuery(queue: "mail"))
        }
        #expect(unknown?.code == .unknownQueue)
        let denied = #expect(throws: QueueError.self) {
            try system.page(ForeignQuery(queue: "dead"))
        }
        #expect(denied?.code == .denied)
    }

    @Test("addresses are read as AMQP spells them, and shown without the password")
    func addresses() throws {
        let plain = try RabbitAddress("amqp://localhost")
        #expect(plain.user == "guest" && plain.password == "guest" && plain.vhost == "/")
        #expect(plain.port == 5672 && plain.managementPort == 15_672)
        let full = try RabbitAddress("amqps://k%40m:p%2Fw@[::1]:99/a%2Fb?management=8")
        #expect(full.user == "k@m" && full.password == "p/w" && full.vhost == "a/b")
        #expect(full.management == "https://[::1]:8/api/")
        #expect(full.name == "amqps://k%40m@[::1]:99/a%2Fb?management=8")
        #expect(try RabbitAddress("amqp://h//").vhost == "/")
        #expect(try RabbitAddress(plain.name).vhost == "/")
        for wrong in [
            "amqp://k:1/w@h", "amqp://h:x", "amqp://h?port=3", "amqp://h/%",
            "amqp://h?management=0",
        ] {
            let error = #expect(throws: QueueError.self) { try RabbitAddress(wrong) }
            #expect(error?.code == .badValue, "\(wrong)")
        }
    }
}
