import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A worker of Laravel 8.83: the script `pop` of its `LuaScripts`, and with `block_for` a wait for
/// a notice. It runs each job in no time.
private final class LaravelWorker: Sendable {
    private let taken = Protected<[String]>([])
    private let isEnding = Protected(false)
    private let thread: Thread

    private static let pop = """
        local job = redis.call('lpop', KEYS[1])
        local reserved = false
        if(job ~= false) then
            reserved = cjson.decode(job)
            reserved['attempts'] = reserved['attempts'] + 1
            reserved = cjson.encode(reserved)
            redis.call('zadd', KEYS[2], ARGV[1], reserved)
            redis.call('lpop', KEYS[3])
        end
        return {job, reserved}
        """

    init(_ address: RedisAddress, list: String, waits: Bool) throws {
        let (taken, isEnding) = (taken, isEnding)
        let keys = [list, "\(list):reserved", "\(list):notify"].map { Array($0.utf8) }
        thread = try Thread(name: "laravel") {
            guard let redis = try? RedisConnection(address, name: "worker") else { return }
            while !isEnding.withLock({ $0 }) {
                guard
                    let answer = try? redis.call(
                        .script(Self.pop, keys: keys, arguments: ["4102444800"])
                    ).array
                else { return }
                if let bytes = answer.last?.bytes {
                    taken.withLock { $0.append(LaravelJob(bytes)?.id ?? "?") }
                    _ = try? redis.call("ZREM", keys[1], bytes)
                } else if waits {
                    _ = try? redis.call("BLPOP", keys[2], 1)
                } else {
                    _ = try? Poll.wait(fds: [], timeoutMilliseconds: 3)
                }
            }
        }
    }

    var all: [String] { taken.withLock { $0 } }

    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}

@Suite("Laravel on Redis", .enabled(if: RedisServer.isInstalled), .serialized)
struct LaravelRedisTests {
    private static let list = "shop_database_queues:mail"
    private static let cache = "shop_database_shop_cache_:"
    private static let notices = "\(list):notify"

    private static func open(_ scenario: String) throws -> (Fixture, LaravelSystem) {
        let fixture = try Fixture("laravel", scenario)
        return (fixture, try fixture.system(LaravelSystem.self))
    }

    /// A system with a process that holds, on the server of a fixture.
    private static func driven(_ fixture: Fixture) throws -> LaravelSystem {
        let address = fixture.redis.address
        return LaravelSystem(
            try fixture.server.connect(),
            KeeperLauncher { _, queue in
                _ = try Thread(name: "keeper") {
                    guard let own = try? RedisConnection(address) else { return }
                    try? LaravelSystem(own, KeeperLauncher { _, _ in }).keep(queue)
                }
            })
    }

    private static let limits = StepLimits(takeMilliseconds: 20_000, endMilliseconds: 2_000)

    @Test("X1 waiting jobs are read with their command, whatever the prefix of the app")
    func waiting() throws {
        let (fixture, system) = try Self.open("queued")
        #expect(try fixture.recognised() == ["laravel"])
        #expect(try system.shown("mail") == ["job-1 next", "job-2 due", "job-3 due"])
        let detail = try #require(try system.detail("job-2"))
        #expect(detail.task.type == "Ship" && detail.task.label == #"{"order":2,"tries":1}"#)
        #expect(detail.task.attempts == 0 && detail.task.attemptLimit == 1)
        #expect(detail.payload.value?["data"]?["command"]?["order"] == 2)
        let queue = try #require(try system.queues().first)
        #expect(queue.name == "mail" && queue.waiting == 3 && queue.running == 0)
    }

    @Test("X1 delayed jobs, jobs that wait for another try, and reserved ones")
    func others() throws {
        let (_, delayed) = try Self.open("delayed")
        #expect(try delayed.shown("mail") == ["now next", "later delayed"])
        #expect(
            try delayed.timers(limit: 9).map(\.at) == [Timestamp(milliseconds: 4_102_444_800_000)])
        let (_, again) = try Self.open("retrying")
        #expect(try again.shown("mail") == ["again retrying"])
        #expect(try again.detail("again")?.task.attempts == 1)
        let (_, busy) = try Self.open("busy")
        #expect(try busy.shown("mail") == ["long running", "next next"])
        let long = try #require(try busy.detail("long"))
        #expect(try busy.holder(of: long)?.worker == nil)
        #expect(try busy.holder(of: long)?.advice.hasPrefix("Laravel gives it to another") == true)
        let queue = try #require(try busy.queues().first)
        #expect(queue.running == 1 && queue.waiting == 1)
        let error = #expect(throws: QueueError.self) {
            try busy.change("long", .delete, by: "dana")
        }
        #expect(error?.message == "task long runs: it cannot be deleted")
    }

    @Test("X1 Horizon's records give failed and completed jobs, and its supervisors")
    func horizon() throws {
        let (fixture, system) = try Self.open("horizon")
        let queue = try #require(try system.queues().first)
        #expect(queue.failed == 1 && queue.succeeded == 1 && queue.waiting == 1)
        #expect(try system.shown("mail") == ["job-3 next", "job-1 failed"])
        #expect(try system.shown("mail", .succeeded) == ["job-2 succeeded"])
        let failed = try #require(try system.detail("job-1"))
        #expect(
            failed.task.error == "RuntimeException: no such order: 1 in /app/Ship.php:9")
        #expect(failed.attempts.first?.error?.contains("Stack trace") == true)
        #expect(failed.attempts.first?.endedAt == Timestamp(milliseconds: 1_767_225_602_250))
        let runner = try #require(try system.runners().first)
        #expect(runner.name == "web1-Xc4d:supervisor-1" && runner.slots == 3)
        #expect(runner.queues == ["mail", "bulk"] && runner.processID == 77)
        let before = try fixture.redis.call("HGETALL", "shop_horizon:job-1").dictionary
        _ = try system.change("job-1", .retry, by: "dana")
        #expect(try system.shown("mail") == ["job-3 next", "job-1 due"])
        #expect(try system.detail("job-1")?.task.attempts == 0)
        #expect(try fixture.redis.call("LLEN", Self.notices).integer == 2)
        _ = try system.undo(by: "dana")
        #expect(try fixture.redis.call("HGETALL", "shop_horizon:job-1").dictionary == before)
        #expect(try system.shown("mail") == ["job-3 next", "job-1 failed"])
        _ = try system.change("job-1", .delete, by: "dana")
        #expect(try system.detail("job-1") == nil)
    }

    @Test("X1 a queue that Laravel's own command paused says so in why")
    func paused() throws {
        let (_, system) = try Self.open("paused")
        #expect(
            try system.why("job-2") == ["mail is paused by Laravel: by php artisan queue:pause"])
    }

    /// Its key is from Laravel 13.26.1's source, `pauseAll` of `QueueManager`.
    @Test("X1 a pause of all queues stops the queues of its app")
    func allPaused() throws {
        let (fixture, system) = try Self.open("allPaused")
        let reason = "all queues, by php artisan queue:pause --all"
        #expect(try system.why("job-2") == ["mail is paused by Laravel: \(reason)"])
        // An app without a prefix, whose key is the end of the other one's, and an app of its own.
        for prefix in ["", "blog_database_"] {
            try Fixture.play(
                "laravel", "queued", ["shop_database_": prefix, "job-": "\(prefix)-"],
                at: fixture.redis)
        }
        #expect(
            try system.queues().map { "\($0.name) \($0.ownPause ?? "runs")" } == [
                "blog_database_queues:mail runs", "queues:mail runs", "\(Self.list) \(reason)",
            ])
        #expect(try fixture.redis.call("DEL", "\(Self.cache)illuminate:queues:paused").integer == 1)
        #expect(try system.queues().allSatisfy { $0.ownPause == nil })
    }

    @Test("queues of one name in two apps have the names of their lists")
    func twoApps() throws {
        let (fixture, system) = try Self.open("queued")
        try Fixture.play(
            "laravel", "queued", ["shop_database_": "blog_database_", "job-": "post-"],
            at: fixture.redis)
        #expect(
            try system.queues().map(\.name) == ["blog_database_queues:mail", Self.list])
        #expect(try system.shown(Self.list, .waiting).first == "job-1 next")
        #expect(try system.detail("post-2")?.task.queue == "blog_database_queues:mail")
    }

    @Test("a queue without a job is held by the name of its list, since its prefix is unknown")
    func unknown() throws {
        let (fixture, _) = try Self.open("queued")
        try fixture.redis.call("FLUSHALL")
        let system = try Self.driven(fixture)
        let error = #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        #expect(error?.code == .notLegal && error?.fix.contains("queues:mail") == true)
        _ = try system.hold(Self.list, RQBench.note)
        #expect(try system.queues().map(\.name) == ["mail"])
        try Fixture.send("laravel", ["a"], to: fixture.redis)
        try until("it is held") { try system.queues().first?.held == 1 }
        _ = try system.release("mail")
        #expect(try system.shown("mail") == ["a next"])
    }

    @Test("D7 an edit keeps the job's command and its ids, and is undone")
    func edit() throws {
        let (fixture, system) = try Self.open("delayed")
        for id in ["now", "later"] {
            let value = try #require(try system.detail(id)?.payload.value?.object)
            var changed = value
            changed["timeout"] = 30
            _ = try system.change(id, .edit(.object(changed)), by: "dana")
            #expect(try system.detail(id)?.payload.value?["timeout"] == 30)
            _ = try system.undo(by: "dana")
            #expect(try system.detail(id)?.payload.value == .object(value))
            for name in ["uuid", "id", "data"] {
                changed[name] = "another"
                #expect(throws: QueueError.self) {
                    try system.change(id, .edit(.object(changed)), by: "dana")
                }
                changed[name] = value[name]
            }
        }
        #expect(try fixture.redis.call("ZCARD", "\(Self.list):delayed").integer == 1)
    }

    @Test("D7 a delayed job is due after a retry, with a notice, and is delayed after its undo")
    func retry() throws {
        let (fixture, system) = try Self.open("delayed")
        _ = try system.change("later", .retry, by: "dana")
        #expect(try system.shown("mail") == ["now next", "later due"])
        #expect(try fixture.redis.call("LLEN", Self.notices).integer == 2)
        _ = try system.undo(by: "dana")
        #expect(try system.shown("mail") == ["now next", "later delayed"])
    }

    @Test("D3 workers take the job of a step alone, polling or waiting", arguments: [false, true])
    func steps(waits: Bool) throws {
        let (fixture, _) = try Self.open("queued")
        let system = try Self.driven(fixture)
        _ = try system.hold("mail", RQBench.note)
        #expect(try fixture.redis.call("LLEN", Self.notices).integer == 0)
        let workers = try (0..<2).map { _ in
            try LaravelWorker(fixture.redis.address, list: Self.list, waits: waits)
        }
        try Fixture.send("laravel", (4...9).map { "job-\($0)" }, to: fixture.redis)
        try until("all are held") { try system.queues().first?.held == 9 }
        var expected: Set<String> = []
        for number in [5, 1, 9] {
            let step = try system.step("mail", task: "job-\(number)", limits: Self.limits)
            #expect(step?.task.reference == "job-\(number)")
            expected.insert("job-\(number)")
            try until("a worker notes it") { workers.flatMap(\.all).count >= expected.count }
            #expect(Set(workers.flatMap(\.all)) == expected)
        }
        _ = try system.release("mail")
        try until("the others run") { workers.flatMap(\.all).count == 9 }
        #expect(Set(workers.flatMap(\.all)).count == 9)
        for worker in workers { worker.end() }
    }

    @Test("hostile keys and members are passed over")
    func hostile() throws {
        let (fixture, system) = try Self.open("queued")
        let redis = fixture.redis
        try redis.call("RPUSH", "queues:", "x")
        try redis.call("SET", "x_queues:text", "no list")
        try redis.call("RPUSH", "x_queues:rubbish", "no json", "[1]")
        try redis.call("ZADD", "\(Self.list):delayed", 5, "no json")
        try redis.call("RPUSH", Self.list, #"{"uuid":7,"job":"x","data":1,"attempts":"many"}"#)
        try redis.call("SET", "x_failed_jobs", "no set")
        #expect(try system.queues().map(\.name) == ["mail"])
        #expect(try system.shown("mail").last == "? due")
        #expect(try system.detail("no such") == nil)
    }
}
