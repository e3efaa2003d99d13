import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("Celery as it lies in Redis", .enabled(if: RedisServer.isInstalled), .serialized)
struct CeleryTests {
    @Test("D3 a step tells of its own execution, not of the result that the last one left")
    func results() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let address = redis.address
        let launcher = KeeperLauncher { _, queue in
            _ = try Thread(name: "keeper") {
                guard let own = try? RedisConnection(address) else { return }
                try? CelerySystem(own, KeeperLauncher { _, _ in }).keep(queue)
            }
        }
        let system = CelerySystem(redis, launcher)
        try Fixture.play("celery", "emptied", at: redis)
        let worker = try FakeWorker(address, list: "mail", takes: "BRPOP")
        try until("the worker waits") {
            try redis.call("INFO", "clients").text?.contains("blocked_clients:1") == true
        }
        _ = try system.hold("mail", RQBench.note)
        // The next attempt of a task that requested a retry, with its error as the result.
        try redis.call("SET", "celery-task-meta-t1", Self.retryResult())
        try redis.call("LPUSH", "mail", Self.message("t1", ["retries": 1]).text)
        try until("it is held") { try system.queues().first?.held == 1 }
        let step = try system.step(
            "mail", task: "t1",
            limits: StepLimits(takeMilliseconds: 20_000, endMilliseconds: 20_000))
        try until("it was taken") { worker.all.count == 1 }
        #expect(step?.task.reference == "t1")
        #expect(step?.outcome != "retry" && step?.error == nil, "\(String(describing: step))")
        _ = try system.release("mail")
        worker.end()
    }

    @Test("X1 an app with queues of its own is known when all its workers are gone")
    func recognised() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.others(3_000, at: redis)
        func found() throws -> [String] {
            try RedisSystems.recognise(redis, as: nil, KeeperLauncher { _, _ in }).map(\.name)
        }
        #expect(throws: QueueError.self) { try found() }
        try Fixture.play("celery", "emptied", at: redis)
        #expect(try found() == ["celery"])
    }

    private static func retryResult() throws -> [UInt8] {
        let result = try Fixture.content("celery", "retried", of: "celery-task-meta-t1")[0]
        #expect(try JSONValue.parse(result)["status"]?.string == "RETRY")
        return result
    }

    /// A message of Celery's own, under another id and with no arguments.
    static func message(_ id: String, _ headers: JSONObject = [:]) throws -> JSONValue {
        let written = try Fixture.content("celery", "queued", of: "mail")
        var envelope = try #require(try JSONValue.parse(written[0]).object)
        var all = try #require(envelope["headers"]?.object)
        (all["id"], all["task"]) = (.string(id), "send")
        for pair in headers.pairs { all[pair.key] = pair.value }
        (envelope["headers"], envelope["body"]) = (.object(all), "W10=")
        return .object(envelope)
    }

    private static func bytes(of id: String) throws -> [UInt8] {
        var envelope = try #require(pattern.object)
        var headers = try #require(envelope["headers"]?.object)
        headers["id"] = .string(id)
        envelope["headers"] = .object(headers)
        return JSONValue.object(envelope).bytes
    }

    private static let pattern = (try? message("", [:])) ?? .null

    private static func searches(_ redis: RedisConnection) throws -> Int {
        let lines = try redis.call("INFO", "commandstats").text?.split(separator: "\r\n") ?? []
        let line = lines.first { $0.hasPrefix("cmdstat_lpos:calls=") }
        return line.flatMap { Int($0.dropFirst(19).prefix { $0 != "," }) } ?? 0
    }

    @Test("X1 a long list is read page by page without a search for each, also while it is taken")
    func pages() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.play("celery", "emptied", at: redis)
        let ids = (0..<6_000).map { "t\($0)" }
        try Fixture.send("celery", ids, to: redis)
        let system = CelerySystem(redis, KeeperLauncher { _, _ in })
        var read: [String] = []
        #expect(
            try system.each(of: "mail", .waiting, limit: 10_000) {
                read.append($0.reference)
                return true
            })
        #expect(read == ids)
        #expect(try Self.searches(redis) == 0)
        // Each payload equals the one on the page.
        var payloads: [[UInt8]?] = []
        _ = try system.pages(of: "mail", .waiting, limit: 10_000) { tasks in
            payloads += try system.details(of: tasks).map { $0?.payload.bytes }
            return true
        }
        let body = try JSONValue.parse(Fixture.sent("celery", "t0"))["body"]?.string
        #expect(payloads == ids.map { _ in body.flatMap(Base64.decode) } && body != nil)
        #expect(try Self.searches(redis) == 0)
        // A worker takes some during the read.
        read = []
        _ = try system.each(of: "mail", .waiting, limit: 10_000) {
            if read.count % 1_000 == 500 { try redis.call("RPOP", "mail", 100) }
            read.append($0.reference)
            return true
        }
        #expect(read == ids)
        #expect(try Self.searches(redis) == 0)
    }

    @Test("X1 a task is found by its id wherever it lies, whatever signs its id has")
    func found() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.play("celery", "emptied", at: redis)
        let ids = ["a/b", "say \"hi\"", "grün", "7b1c-42", #"C:\x"#]
        for id in ids + (0..<2_500).map({ "t\($0)" }) {
            try redis.call(RedisCommand("LPUSH", "mail", Self.bytes(of: id)))
        }
        for id in ids + ["t2499"] {
            let system = CelerySystem(redis, KeeperLauncher { _, _ in })
            #expect(try system.detail(id)?.task.reference == id)
        }
        let system = CelerySystem(redis, KeeperLauncher { _, _ in })
        #expect(try system.detail("t249")?.task.reference == "t249")
        #expect(try system.detail("7b1c") == nil)
    }
}
