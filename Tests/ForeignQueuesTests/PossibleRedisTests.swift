import SluiceModel
import SluicePlatform
import SluiceRedisClient
import SluiceRedisHarness
import Testing

@testable import SluiceForeignQueues

/// A system in Redis whose tasks are brought into each state as its own library leaves them there.
private struct PlayedRedis: Sendable, CustomTestStringConvertible {
    var name: String
    var make: @Sendable (RedisConnection) -> any ForeignSystem
    /// Makes a task that shows so, and gives its reference; nil for what is not played.
    var play: @Sendable (RedisConnection, any ForeignSystem, ForeignTask.Display) throws -> String?

    var testDescription: String { name }

    static let all = [rq, celery, sidekiq, bullmq, saq, huey, arq, dramatiq, resque]
    private static let silent = KeeperLauncher { _, _ in }
    private static let later = "9999999999"

    /// Puts an element where a list system has what shows so; false where that is no list.
    private static func list(
        _ redis: RedisConnection, _ system: any ForeignSystem, _ display: ForeignTask.Display,
        _ element: [UInt8]
    ) throws -> Bool {
        guard let system = system as? any RedisListSystem else { return false }
        let workList = system.workLists(of: "mail")[0]
        let lists: [ForeignTask.Display: [UInt8]] = [
            .due: workList.list, .held: workList.held, .skipped: workList.skipped,
        ]
        guard let list = lists[display] else { return false }
        try redis.call(RedisCommand("RPUSH", list, element))
        return true
    }

    private static let rq = PlayedRedis(name: "rq", make: { RQSystem($0, silent) }) {
        redis, system, display in
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        let states: [ForeignTask.Display: (status: String, set: String?)] = [
            .due: ("queued", nil), .held: ("queued", nil), .skipped: ("queued", nil),
            .delayed: ("scheduled", "scheduled"), .running: ("started", "wip"),
            .blocked: ("deferred", "deferred"), .succeeded: ("finished", "finished"),
            .failed: ("failed", "failed"), .cancelled: ("canceled", "canceled"),
        ]
        guard let state = states[display] else { return nil }
        try redis.call(
            "HSET", "rq:job:a", "status", state.status, "origin", "mail", "data", Packed.call,
            "description", "tasks.run(1)", "worker_name", "w1")
        if let set = state.set {
            try redis.call("ZADD", "rq:\(set):mail", later, "a")
        } else {
            _ = try list(redis, system, display, Array("a".utf8))
        }
        return "a"
    }

    private static func message(_ headers: JSONObject = [:]) -> JSONValue {
        var all = headers
        (all["id"], all["task"]) = ("t1", "send")
        return [
            "body": "W1sxXSwge30sIHt9XQ==", "headers": .object(all),
            "content-type": "application/json", "content-encoding": "utf-8",
            "properties": ["body_encoding": "base64"],
        ]
    }

    private static let celery = PlayedRedis(name: "celery", make: { CelerySystem($0, silent) }) {
        redis, system, display in
        try redis.call("SADD", "_kombu.binding.mail", "mail\u{6}\u{16}\u{6}\u{16}mail")
        switch display {
        case .taken:
            let kept: JSONValue = [message(), "", "mail"]
            try redis.call("HSET", "unacked", "tag", kept.text)
            return "t1"
        case .delayed:
            let timed = message(["eta": "2099-01-01T00:00:00+00:00"])
            return try list(redis, system, .due, Array(timed.text.utf8)) ? "t1" : nil
        default:
            return try list(redis, system, display, Array(message().text.utf8)) ? "t1" : nil
        }
    }

    private static let sidekiq = PlayedRedis(name: "sidekiq", make: { SidekiqSystem($0, silent) }) {
        redis, system, display in
        try redis.call("SADD", "queues", "mail")
        let job = #"{"jid":"j1","class":"Send","args":[1],"queue":"mail","retry":3}"#
        let sets: [ForeignTask.Display: String] = [
            .delayed: "schedule", .retrying: "retry", .failed: "dead",
        ]
        if let set = sets[display] {
            try redis.call("ZADD", set, later, job)
            return "j1"
        }
        return try list(redis, system, display, Array(job.utf8)) ? "j1" : nil
    }

    private static let bullmq = PlayedRedis(name: "bullmq", make: { BullMQSystem($0, silent) }) {
        redis, _, display in
        try redis.call("HSET", "bull:mail:meta", "opts.maxLenEvents", "10000")
        try redis.call(
            "HSET", "bull:mail:1", "name", "send", "data", "{}", "timestamp", 1, "opts", "{}")
        let places: [ForeignTask.Display: String] = [
            .due: "wait", .running: "active", .delayed: "delayed", .failed: "failed",
            .succeeded: "completed", .blocked: "waiting-children",
        ]
        guard let place = places[display] else { return nil }
        if ["wait", "active"].contains(place) {
            try redis.call("LPUSH", "bull:mail:\(place)", "1")
        } else {
            try redis.call("ZADD", "bull:mail:\(place)", later, "1")
        }
        return "mail:1"
    }

    private static let saq = PlayedRedis(name: "saq", make: { SAQSystem($0, silent) }) {
        redis, system, display in
        try redis.call("ZADD", "saq:mail:stats", 1, "saq:mail:worker_info:w")
        let key = "saq:job:mail:k"
        let words: [ForeignTask.Display: String] = [
            .running: "active", .failed: "failed", .succeeded: "complete", .cancelled: "aborted",
        ]
        let status = words[display] ?? "queued"
        let job = #"{"function":"f","kwargs":{},"key":"k","queue":"mail","status":"\#(status)"}"#
        try redis.call("SET", key, job)
        let score = display == .delayed ? later : "0"
        try redis.call("ZADD", "saq:mail:incomplete", score, key)
        if words[display] != nil || display == .delayed { return key }
        return try list(redis, system, display, Array(key.utf8)) ? key : nil
    }

    private static let huey = PlayedRedis(name: "huey", make: { HueySystem($0, silent) }) {
        redis, system, display in
        if display == .delayed {
            try redis.call("RPUSH", "huey.redis.mail", [0x80])
            try redis.call("ZADD", HueySystem.schedule("mail"), later, hueyBytes)
            return "id-1"
        }
        return try list(redis, system, display, hueyBytes) ? "id-1" : nil
    }

    private static let arq = PlayedRedis(name: "arq", make: { ARQSystem($0, silent) }) {
        redis, system, display in
        try redis.call("SET", "mail:health-check", "Nov-25 j_complete=0 j_failed=0")
        try redis.call("SET", "arq:job:j1", ARQTests.payload(1), "EX", 86_400)
        let isLater = display == .delayed || display == .retrying
        try redis.call("ZADD", "mail", isLater ? "9999999999999" : "1700000000000", "j1")
        switch display {
        case .due, .delayed: break
        case .retrying: try redis.call("SET", "arq:retry:j1", 1)
        case .running: try redis.call("SET", "arq:in-progress:j1", 1)
        case .skipped: _ = try system.change("j1", .skip, by: "dana")
        case .held: _ = try system.hold("mail", RQBench.note)
        default: return nil
        }
        return "j1"
    }

    private static let dramatiq = PlayedRedis(
        name: "dramatiq", make: { DramatiqSystem($0, silent) }
    ) { redis, system, display in
        let text = #"""
            {"queue_name":"mail","actor_name":"run","args":[1],"kwargs":{},"options":
            {"redis_message_id":"m"},"message_id":"m-1","message_timestamp":1700000000000}
            """#
        try redis.call("ZADD", "dramatiq:__heartbeats__", 1, "w")
        try redis.call("HSET", "dramatiq:mail.msgs", "other", text)
        switch display {
        case .running: try redis.call("HSET", "dramatiq:mail.msgs", "m", text)
        case .delayed: try redis.call("HSET", "dramatiq:mail.DQ.msgs", "m", text)
        case .failed:
            try redis.call("HSET", "dramatiq:mail.XQ.msgs", "m", text)
            try redis.call("ZADD", "dramatiq:mail.XQ", 1, "m")
        default:
            try redis.call("HSET", "dramatiq:mail.msgs", "m", text)
            guard try list(redis, system, display, Array("m".utf8)) else { return nil }
        }
        return "m"
    }

    private static let resque = PlayedRedis(name: "resque", make: { ResqueSystem($0, silent) }) {
        redis, system, display in
        try redis.call("SADD", "resque:queues", "mail")
        let job = #"{"class":"Run","args":[1]}"#
        let id = try #require(ResqueJob(Array(job.utf8))).id
        if display == .failed {
            try redis.call(
                "RPUSH", "resque:failed",
                #"{"payload":\#(job),"queue":"mail","exception":"E","error":"boom"}"#)
            return id
        }
        return try list(redis, system, display, Array(job.utf8)) ? id : nil
    }
}

@Suite(
    "What is possible in Redis, by the systems' own keys", .enabled(if: RedisServer.isInstalled),
    .serialized)
struct PossibleRedisTests {
    @Test("D7 each verb on each state does what the table says", arguments: PlayedRedis.all)
    private func cells(played: PlayedRedis) throws {
        let server = try RedisServer()
        let redis = try server.connect()
        let rules = try #require(SystemRules.byName[played.name])
        var seen: Set<ForeignTask.Display> = []
        for display in ForeignTask.Display.allCases where rules.displays.contains(display) {
            // What stops a task needs the worker that has it.
            for verb in PossibleCell.verbs
            where verb != .cancel || rules.refusal(of: .cancel, on: display) != nil {
                try redis.call("FLUSHALL")
                let system = played.make(try server.connect())
                guard let reference = try played.play(redis, system, display) else { continue }
                seen.insert(display)
                try PossibleCell(system: system, reference: reference, display: display)
                    .check(verb)
            }
        }
        #expect(seen.isSuperset(of: [.due]) && seen.count >= 3, "\(seen)")
    }

    @Test("D7 a running job of RQ is stopped by its worker, as its own command does it")
    func stopsRQ() throws {
        let bench = try RQBench()
        try bench.redis.call(
            "HSET", "rq:job:a", "status", "started", "origin", "mail", "data", Packed.call,
            "worker_name", "w1")
        try bench.redis.call("ZADD", "rq:wip:mail", 9_999_999_999, "a")
        let deaf = #expect(throws: QueueError.self) { try bench.system.cancel("a") }
        #expect(deaf?.message == "the worker w1 of task a hears no commands")
        let heard = try bench.server.connect()
        try heard.send([RedisCommand("SUBSCRIBE", "rq:pubsub:w1")])
        _ = try heard.receive()
        let answer = try bench.system.cancel("a")
        #expect(answer.changed == ["a"])
        let told = try heard.receive(timeoutMilliseconds: 20_000).array.last?.bytes
        #expect(
            try JSONValue.parse(told ?? []) == ["command": "stop-job", "job_id": "a"])
        try bench.redis.call("HDEL", "rq:job:a", "worker_name")
        #expect(throws: QueueError.self) { try bench.system.cancel("a") }
    }
}
