import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A Celery worker as seen by remote control, with scripted answers.
private struct AnsweringWorker {
    let answers = Protected<[String: JSONValue]>([:])

    /// Answers when it has heard so many questions.
    init(_ address: RedisAddress, together count: Int = 1) throws {
        let answers = answers
        let channel = "/\(address.database).celery.pidbox"
        _ = try Thread(name: "answering") {
            guard let heard = try? RedisConnection(address),
                let redis = try? RedisConnection(address)
            else { return }
            try? heard.send([RedisCommand("SUBSCRIBE", channel)])
            var replies: [(queue: String, text: String)] = []
            // The server that goes ends it.
            while let value = try? heard.receive(timeoutMilliseconds: 120_000) {
                guard let bytes = value.array.last?.bytes,
                    let body = (try? JSONValue.parse(bytes))?["body"]?.string,
                    let asked = Base64.decode(body).flatMap({ try? JSONValue.parse($0) }),
                    let method = asked["method"]?.string
                else { continue }
                let told: JSONValue = ["w1@h": answers.withLock { $0[method] } ?? []]
                let reply: JSONValue = [
                    "headers": ["ticket": asked["ticket"] ?? .null],
                    "body": .string(Base64.encode(told.bytes)),
                ]
                let to = asked["reply_to"]
                let queue =
                    "\(to?["routing_key"]?.string ?? "").\(to?["exchange"]?.string ?? "")"
                replies.append((queue, reply.text))
                guard replies.count >= count else { continue }
                for reply in replies { _ = try? redis.call("LPUSH", reply.queue, reply.text) }
                replies = []
            }
        }
    }
}

@Suite("Celery and its workers", .enabled(if: RedisServer.isInstalled), .serialized)
struct CeleryWorkerTests {
    private struct Ground {
        let server: RedisServer
        let redis: RedisConnection
        let system: CelerySystem
        let clock = Protected<Int64>(1_000)

        init() throws {
            server = try RedisServer()
            redis = try server.connect()
            try Fixture.play("celery", "emptied", at: redis)
            system = CelerySystem(redis, KeeperLauncher { _, _ in })
            let clock = clock
            system.instant = { clock.withLock { $0 } }
        }

        func message(_ id: String, _ headers: JSONObject = [:]) throws -> JSONValue {
            try CeleryTests.message(id, headers)
        }

        /// A task that a step has just let through.
        func stepped(_ headers: JSONObject = [:]) throws -> ForeignTask {
            let element = Array(try message("t1", headers).text.utf8)
            return try #require(try system.tasks([element], in: "mail", .held).first)
        }

        /// A worker has fetched a message and has not acknowledged it.
        func keep(_ id: String) throws {
            let kept = try Fixture.content("celery", "taken", of: "unacked").first {
                (try? JSONValue.parse($0))?.array?[0]["headers"]?["id"]?.string == "late"
            }
            let value = String(decoding: try #require(kept), as: UTF8.self)
                .replacing("\"late\"", with: "\"\(id)\"")
            try redis.call("HSET", "unacked", "tag-\(id)", value)
        }

        func succeed(_ id: String) throws {
            let commands = try Fixture.commands("celery", "results", ["-good": "-\(id)"])
            let key = Array("celery-task-meta-\(id)".utf8)
            try redis.call(try #require(commands.first { $0.words[1] == key }))
        }

        /// Reads until the task has ended, at most `limit` times.
        func looks(_ task: ForeignTask, limit: Int) throws -> (outcome: String?, error: String?)? {
            for _ in 0..<limit {
                if let end = try system.end(of: task, since: 0) { return end }
            }
            return nil
        }
    }

    @Test("D3 the result of a task that has ended is looked for a second longer where results lie")
    func lateResult() throws {
        let ground = try Ground()
        try ground.succeed("former")
        let task = try ground.stepped()
        #expect(try ground.looks(task, limit: 9) == nil)
        ground.clock.withLock { $0 += 900 }
        #expect(try ground.system.end(of: task, since: 0) == nil)
        try ground.succeed("t1")
        #expect(try ground.system.end(of: task, since: 0)?.outcome == "success")
    }

    @Test("D3 a result that does not come in that time is not waited for any longer")
    func noResult() throws {
        let ground = try Ground()
        try ground.succeed("former")
        let task = try ground.stepped()
        #expect(try ground.looks(task, limit: 9) == nil)
        ground.clock.withLock { $0 += 1_000 }
        let end = try ground.system.end(of: task, since: 0)
        #expect(end != nil && end?.outcome == nil && end?.error == nil)
    }

    @Test("D3 where no result lies, or the message wants none, the end is told at once")
    func unwanted() throws {
        let ground = try Ground()
        let end = try ground.looks(ground.stepped(["ignore_result": false]), limit: 2)
        #expect(end != nil && end?.outcome == nil)
        let other = try Ground()
        try other.succeed("former")
        let ignored = try other.looks(other.stepped(["ignore_result": true]), limit: 2)
        #expect(ignored != nil && ignored?.outcome == nil)
    }

    @Test("D3 what a worker has just taken has not ended because it does not know it yet")
    func justTaken() throws {
        let ground = try Ground()
        let worker = try AnsweringWorker(ground.redis.address)
        try until("the worker listens") {
            try ground.redis.call("PUBSUB", "NUMSUB", "/0.celery.pidbox").array.last?.integer == 1
        }
        worker.answers.withLock { $0["query_task"] = [:] }
        let task = try ground.stepped()
        #expect(try ground.system.end(of: task, since: 0) == nil)
        worker.answers.withLock { $0["query_task"] = ["t1": ["active", [:]]] }
        #expect(try ground.looks(task, limit: 5) == nil)
        worker.answers.withLock { $0["query_task"] = [:] }
        try ground.succeed("t1")
        #expect(try ground.system.end(of: task, since: 0)?.outcome == "success")
    }

    @Test("D7 the worker that has a task is told to end it, and what it answers is told")
    func stops() throws {
        let ground = try Ground()
        try ground.keep("t1")
        let alone = #expect(throws: QueueError.self) { try ground.system.cancel("t1") }
        #expect(alone?.fix.hasPrefix("celery -A APP control terminate SIGTERM t1") == true)
        let worker = try AnsweringWorker(ground.redis.address)
        try until("the worker listens") {
            try ground.redis.call("PUBSUB", "NUMSUB", "/0.celery.pidbox").array.last?.integer == 1
        }
        worker.answers.withLock { $0["query_task"] = [:] }
        let gone = #expect(throws: QueueError.self) { try ground.system.cancel("t1") }
        #expect(gone?.code == .changed)
        worker.answers.withLock {
            $0["query_task"] = ["t1": ["active", [:]]]
            $0["revoke"] = ["error": "NotImplementedError()"]
        }
        let unable = #expect(throws: QueueError.self) { try ground.system.cancel("t1") }
        #expect(
            unable?.message == "the worker w1@h cannot stop task t1: NotImplementedError()")
        worker.answers.withLock { $0["revoke"] = ["ok": "terminate: t1"] }
        #expect(try ground.system.cancel("t1").changed == ["t1"])
    }

    @Test("what workers say that they run runs, what they have fetched is taken")
    func active() throws {
        let ground = try Ground()
        for id in ["p1", "p2", "late"] {
            try ground.keep(id)
        }
        func shown() throws -> [String] {
            try ground.system.page(ForeignQuery(queue: "mail", state: .running)).tasks.map {
                "\($0.reference) \($0.display.word)"
            }.sorted()
        }
        #expect(try shown() == ["late taken", "p1 taken", "p2 taken"])
        let worker = try AnsweringWorker(ground.redis.address)
        try until("the worker listens") {
            try ground.redis.call("PUBSUB", "NUMSUB", "/0.celery.pidbox").array.last?.integer == 1
        }
        func entry(_ id: String, acknowledged: Bool) -> JSONValue {
            [
                "id": .string(id), "name": "send", "args": ["kim@example.org"], "kwargs": [:],
                "acknowledged": .bool(acknowledged),
                "time_start": .number(acknowledged ? "1769868202.25" : "8061.5"),
                "delivery_info": ["exchange": "", "routing_key": "mail"],
            ]
        }
        worker.answers.withLock {
            $0["active"] = [
                entry("r1", acknowledged: true), entry("late", acknowledged: false),
            ]
            $0["active_queues"] = [["name": "mail"]]
            $0["stats"] = ["pid": 7, "pool": ["max-concurrency": 2]]
        }
        let store = ForeignStore(name: "here", systems: [ground.system])
        let look = try store.look(at: { _ in nil }, subject: nil)
        // View 6 shows the runners for any queue.
        #expect(look.runners.map(\.runner.running) == [["r1", "late"]])
        let seen = look.tasks.map { "\($0.task.reference) \($0.task.display.word)" }.sorted()
        #expect(seen == ["late running", "r1 running"])
        // Celery 3 reports a time that is no date.
        #expect(look.tasks.compactMap(\.task.startedAt?.milliseconds) == [1_769_868_202_250])
        let snapshot = ForeignSnapshot(
            look, numbers: ForeignNumbers(), at: Timestamp(milliseconds: 1_769_868_300_000))
        let since = Set(snapshot.tasks.compactMap(\.running?.since.milliseconds))
        #expect(since == [1_769_868_202_250, 1_769_868_300_000])
        #expect(try shown() == ["late running", "p1 taken", "p2 taken", "r1 running"])
        let mail = try #require(look.queues.values.first)
        #expect(mail.running == 2)
        #expect(try ground.system.detail("r1")?.payload.value?["args"] == ["kim@example.org"])
        #expect(try ground.system.detail("p1")?.task.reference == "p1")
        // A result is newer than the answer of the workers.
        try Fixture.play(
            Fixture.commands("celery", "results", ["bad": "r1"]), at: ground.redis)
        #expect(try !shown().contains("r1 running"))
    }

    @Test("the workers are asked all that is to be known of them at the same time")
    func together() throws {
        let ground = try Ground()
        let worker = try AnsweringWorker(ground.redis.address, together: 3)
        try until("the worker listens") {
            try ground.redis.call("PUBSUB", "NUMSUB", "/0.celery.pidbox").array.last?.integer == 1
        }
        worker.answers.withLock {
            $0["active_queues"] = [["name": "mail"]]
            $0["stats"] = ["pid": 7, "pool": ["max-concurrency": 2]]
        }
        let runners = try ground.system.runners()
        #expect(runners.map(\.queues) == [["mail"]] && runners.map(\.slots) == [2])
        #expect(try ground.redis.call("KEYS", "*.reply.celery.pidbox").array.isEmpty)
    }
}
