import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("BullMQ as BullMQ itself wrote it", .enabled(if: RedisServer.isInstalled))
struct BullMQFixtureTests {
    @Test("its jobs are found in each place")
    func queued() throws {
        let fixture = try Fixture("bullmq", "queued")
        #expect(try fixture.recognised() == ["bullmq"])
        let system = try fixture.system(BullMQSystem.self)
        #expect(
            try system.shown("mail")
                == ["mail:1 next", "mail:2 due", "mail:3 due", "mail:4 due", "mail:5 delayed"])
    }

    @Test("a parent names its children, the one that failed first, and how it is retried")
    func flow() throws {
        let system = try Fixture("bullmq", "flow").system(BullMQSystem.self)
        #expect(try system.shown("reports") == ["reports:parent blocked"])
        #expect(
            try system.why("reports:parent").first
                == "it waits for its children mail:bad (failed), slow:slow (due): "
                + "sluice retry mail:bad")
    }

    @Test(
        "a retried child is one that its parent waits for again, until an undo",
        arguments: zip(["ignored", "fatal"], ["failed", "unsuccessful"]))
    func child(name: String, place: String) throws {
        let fixture = try Fixture("bullmq", "broken")
        let system = try fixture.system(BullMQSystem.self)
        let parent = "bull:reports:\(name)-parent"
        func children() throws -> [String] {
            try fixture.redis.call("SMEMBERS", "\(parent):dependencies").array
                .compactMap(\.text).sorted()
        }
        func isBroken() throws -> Bool {
            try fixture.redis.call("EXISTS", "\(parent):\(place)").integer == 1
        }
        let slow = "bull:slow:\(name)-slow"
        #expect(try children() == [slow])
        #expect(try isBroken())
        _ = try system.change("mail:\(name)", .retry, by: "dana")
        #expect(try children() == ["bull:mail:\(name)", slow])
        #expect(try !isBroken())
        _ = try system.undoLast(by: "dana")
        #expect(try children() == [slow])
        #expect(try isBroken())
    }

    @Test("D11 the last attempt of a failed job ended it; before a retry each was one of several")
    func attempts() throws {
        let fixture = try Fixture("bullmq", "failed")
        let system = try fixture.system(BullMQSystem.self)
        func outcomes() throws -> [String?]? {
            try system.detail("mail:1")?.attempts.map(\.outcome)
        }
        #expect(try outcomes() == ["giveUp"])
        _ = try system.change("mail:1", .retry, by: "dana")
        #expect(try outcomes() == ["retry"])
    }

    @Test("its own pause is told as its own")
    func paused() throws {
        let system = try Fixture("bullmq", "paused").system(BullMQSystem.self)
        #expect(try system.queues().map(\.ownPause) == ["BullMQ's own pause"])
    }

    /// Bull's own library is for Node alone: these are the keys that its pause of 4.16 writes.
    @Test("a paused queue of Bull is told as one, and no verb of BullMQ touches it")
    func bull() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SET", "bull:mail:id", 1)
        try redis.call(
            "HSET", "bull:mail:1", "name", "send", "data", "{}", "opts", "{}", "timestamp", 1)
        try redis.call("LPUSH", "bull:mail:paused", 1)
        try redis.call("SET", "bull:mail:meta-paused", 1)
        try redis.call("HSET", "bull:mail:meta", "paused", 1)
        let system = BullMQSystem(try server.connect(), KeeperLauncher { _, _ in })
        #expect(
            try system.queues().map(\.ownPause)
                == ["Bull's own pause: it is a queue of Bull, not of BullMQ"])
        for verb: () throws -> Void in [
            { _ = try system.hold("mail", RQBench.note) }, { _ = try system.release("mail") },
            { _ = try system.step("mail", task: nil, limits: RQBench.limits) },
            { _ = try system.change("mail:1", .delete, by: "dana") },
        ] {
            let error = #expect(throws: QueueError.self) { try verb() }
            #expect(error?.message.hasPrefix("mail is a queue of Bull, not of BullMQ") == true)
        }
        #expect(try redis.call("HGETALL", "bull:mail:meta").array.count == 2)
    }
}

@Suite("Sidekiq as Sidekiq itself wrote it", .enabled(if: RedisServer.isInstalled))
struct SidekiqFixtureTests {
    private static func id(_ name: String) -> String {
        name + String(repeating: "0", count: 24 - name.utf8.count)
    }

    @Test("one to which only a client has written is known", arguments: ["client", "scheduled"])
    func client(scenario: String) throws {
        let fixture = try Fixture("sidekiq", scenario)
        #expect(try fixture.recognised() == ["sidekiq"])
        let system = try fixture.system(SidekiqSystem.self)
        #expect(try system.queues().map(\.name) == ["mail"])
        let words =
            scenario == "client" ? ["j1 next", "j2 due", "j3 due"] : ["later delayed"]
        let shown = try system.shown("mail").map { text in
            text.split(separator: " ").map { $0.prefix { $0 != "0" } }.joined(separator: " ")
        }
        #expect(shown == words)
    }

    @Test("a set of another program is not taken for its queues")
    func other() throws {
        let server = try RedisServer()
        let redis = try server.connect()
        try Fixture.play("sidekiq", "client", ["\"class\"": "\"kind\""], at: redis)
        #expect(throws: QueueError.self) {
            try RedisSystems.recognise(redis, as: nil, KeeperLauncher { _, _ in })
        }
    }

    @Test("retries, dead jobs and what runs are read as its worker left them")
    func worked() throws {
        let system = try Fixture("sidekiq", "worked").system(SidekiqSystem.self)
        #expect(
            try system.shown("mail")
                == ["\(Self.id("again")) retrying", "\(Self.id("dead")) failed"])
        #expect(
            try system.detail(Self.id("dead"))?.task.error == "RuntimeError: no such order")
        let busy = try Fixture("sidekiq", "busy").system(SidekiqSystem.self)
        #expect(try busy.runners().map(\.running) == [[Self.id("long")]])
        #expect(try busy.shown("mail").first == "\(Self.id("long")) running")
        let long = try #require(
            try busy.page(ForeignQuery(queue: "mail", state: .running)).tasks.first)
        let came = try #require(long.createdAt)
        // The start is in whole seconds.
        #expect(long.startedAt.map { $0 > came + -1000 && $0 < came + 60_000 } == true)
    }

    /// GitLab's fetcher is no package of Debian's: its keys, as its sources of 0.12 name them.
    @Test("what a reliable fetcher has taken is shown, and an orphan told as one")
    func fetcher() throws {
        let fixture = try Fixture("sidekiq", "client")
        let redis = fixture.redis
        try redis.call("LMOVE", "queue:mail", "working:queue:mail:h1:7", "RIGHT", "LEFT")
        try redis.call("LMOVE", "queue:mail", "working:queue:mail:h2:8", "RIGHT", "LEFT")
        try redis.call("SET", "reliable-fetcher-heartbeat-h2-8", 1)
        let system = try fixture.system(SidekiqSystem.self)
        try system.learn()
        #expect(system.polling?.fillers == 0)
        #expect(try system.queues().map(\.taken) == [2])
        #expect(try system.shown("mail", .running).count == 2)
        #expect(
            try system.why(Self.id("j1")).first?.hasPrefix(
                "the process that took it does not tell of itself any more") == true)
        #expect(try system.why(Self.id("j2")).isEmpty)
    }
}

@Suite("other systems as they wrote it themselves", .enabled(if: RedisServer.isInstalled))
struct OtherFixtureTests {
    @Test(
        "what waits and what failed is read as its library keeps it",
        arguments: ["saq", "dramatiq", "arq"])
    func queued(system: String) throws {
        let fixture = try Fixture(system, "queued")
        #expect(try fixture.recognised() == [system])
        let store = try ForeignStore.open(
            fixture.server.address(), as: system, keepers: KeeperLauncher { _, _ in })
        let found = try #require(store.systems.first)
        let tasks = try found.page(ForeignQuery(queue: "mail", state: .waiting)).tasks
        #expect(tasks.count == 4)
        #expect(tasks.count { $0.display == .delayed } == 1, "\(tasks.map(\.display))")
        #expect(tasks.allSatisfy { $0.type == "send" })
    }

    @Test("a dead message of Dramatiq has its error")
    func dead() throws {
        let system = try Fixture("dramatiq", "failed").system(DramatiqSystem.self)
        let failed = try system.page(ForeignQuery(queue: "mail", state: .failed)).tasks
        #expect(failed.count == 1)
        #expect(failed.first?.error?.contains("no such order") == true)
    }
}
