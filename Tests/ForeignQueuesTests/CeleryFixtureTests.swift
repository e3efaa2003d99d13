import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("Celery as Celery itself wrote it", .enabled(if: RedisServer.isInstalled))
struct CeleryFixtureTests {
    private static let five = ["p0 next", "p1 due", "p2 due", "p5 due", "p9 due"]

    @Test("every list of priorities is found, whatever steps and separator an app has")
    func priorities() throws {
        for scenario in ["ten", "separated"] {
            let fixture = try Fixture("celery", scenario)
            #expect(try fixture.recognised() == ["celery"])
            let system = try fixture.system(CelerySystem.self)
            #expect(try system.queues().map { "\($0.name) \($0.waiting)" } == ["mail 5"])
            let shown = try system.shown("mail")
            #expect(scenario == "ten" ? shown == Self.five : shown.count == 5, "\(shown)")
        }
    }

    @Test("guards stand at each list that a priority can have")
    func guarded() throws {
        let ten = try Fixture("celery", "ten").system(CelerySystem.self)
        let names = Set(ten.workLists(of: "mail").map { String(decoding: $0.list, as: UTF8.self) })
        #expect(names == Set(["mail"] + (1...9).map { "mail\u{6}\u{16}\($0)" }))
        let other = try Fixture("celery", "separated").system(CelerySystem.self)
        #expect(other.workLists(of: "mail").map(\.list).contains(Array("mail:7".utf8)))
        let lists = ten.workLists(of: "mail")
        let counts = lists.map { GuardPool.count(of: $0, among: lists, 256) }
        #expect(counts == [64, 16, 16, 64, 16, 16, 64, 16, 16, 64])
    }

    @Test("an app with a prefix of its keys is found, and its queues are named with it")
    func prefixed() throws {
        let fixture = try Fixture("celery", "prefixed")
        #expect(try fixture.recognised() == ["celery"])
        let system = try fixture.system(CelerySystem.self)
        #expect(try system.queues().map { "\($0.name) \($0.waiting)" } == ["shop_mail 5"])
        #expect(try system.detail("p9")?.task.queue == "shop_mail")
        #expect(system.side(of: "shop_mail") == Array("shop_sluice-step.mail".utf8))
    }

    @Test("bindings of an unknown form are told, and no queue of their app is held")
    func unknown() throws {
        let fixture = try Fixture("celery", "ten")
        let binding = try Fixture.commands("celery", "ten", ["\u{6}\u{16}mail": "mail"])
        try Fixture.play(binding.filter { $0.isOf("_kombu.binding.mail") }, at: fixture.redis)
        let system = try fixture.system(CelerySystem.self)
        let error = #expect(throws: QueueError.self) {
            try system.hold("mail", RQBench.note)
        }
        #expect(
            error?.message.hasPrefix("arrivals would leak: the bindings in _kombu.binding.mail")
                == true)
        #expect(try fixture.redis.call("EXISTS", "{mail}:sluice:hold").integer == 0)
    }

    @Test("queues of exchanges of other names have their own tasks")
    func exchanges() throws {
        let system = try Fixture("celery", "exchanges").system(CelerySystem.self)
        #expect(try system.queues().map { "\($0.name) \($0.waiting)" } == ["audit 1", "mail 1"])
        let layout = system.layout
        #expect(layout.queue(CeleryApp(), exchange: "orders", key: "order.mail") == "mail")
        #expect(layout.queue(CeleryApp(), exchange: "news", key: "news.today") == "audit")
    }

    @Test("an app that waits for tasks is known, and its queue is shown")
    func idle() throws {
        let fixture = try Fixture("celery", "idle")
        #expect(try fixture.recognised() == ["celery"])
        #expect(try fixture.system(CelerySystem.self).queues().map(\.name) == ["mail"])
    }

    @Test("what a killed worker had is taken or delayed, and says when Celery gives it back")
    func taken() throws {
        let system = try Fixture("celery", "taken").system(CelerySystem.self)
        #expect(try system.shown("mail").sorted() == ["late taken", "later delayed"])
        #expect(try system.timers(limit: 9).map(\.task.reference) == ["later"])
        let words = try #require(try system.why("late").first)
        #expect(words.hasPrefix("taken at 20"))
        #expect(words.contains("; no worker answers; Celery gives it back after its visibility"))
        #expect(try system.detail("late")?.task.type == "shop.sleep")
    }

    @Test("a step whose worker is gone does not say that its task has ended")
    func killed() throws {
        let system = try Fixture("celery", "taken").system(CelerySystem.self)
        var clock: Int64 = 1_000
        system.instant = { clock }
        let task = try #require(try system.detail("late")?.task)
        var ends: [(outcome: String?, error: String?)?] = []
        for _ in 0..<4 { ends.append(try system.end(of: task, since: 0)) }
        #expect(ends.allSatisfy { $0 == nil })
        clock += 1_000
        #expect(try system.end(of: task, since: 0) != nil)
        #expect(system.ending.note?.contains("was not acknowledged: Celery gives it back") == true)
    }

    @Test("a task that has gone with its worker is not said to have ended either")
    func lost() {
        var ending = CeleryEnding()
        ending.take(having: ["w1@h"], of: ["w1@h", "w2@h"])
        ending.take(having: [], of: ["w2@h"])
        #expect(ending.hasGone && ending.hasLostWorker)
        var other = CeleryEnding()
        other.take(having: ["w1@h"], of: ["w1@h"])
        other.take(having: [], of: ["w1@h"])
        #expect(other.hasGone && !other.hasLostWorker)
    }

    @Test("failures are read out of the results, with their errors and tracebacks")
    func results() throws {
        for scenario in ["results", "extended"] {
            let system = try Fixture("celery", scenario).system(CelerySystem.self)
            let queue = try #require(try system.queues().first)
            #expect(queue.name == "mail" && queue.failed == 1 && queue.succeeded == 1)
            #expect(try system.shown("mail", .failed) == ["bad failed"])
            let bad = try #require(try system.detail("bad"))
            #expect(bad.task.error == "ValueError: no such order: 17")
            #expect(bad.task.type == (scenario == "extended" ? "shop.fail" : "?"))
            #expect(bad.attempts.first?.error?.hasPrefix("Traceback") == true)
            #expect(try system.shown("mail", .succeeded) == ["good succeeded"])
        }
    }

    @Test("results in another database are read and followed by the option results")
    func elsewhere() throws {
        let fixture = try Fixture("celery", "queued")
        let other = try fixture.server.connect(database: 1)
        for option in ["", "?results=1", "?results=\(fixture.server.address(database: 1))"] {
            try other.call("FLUSHDB")
            let store = try ForeignStore.open(
                fixture.server.address() + option, as: "celery",
                keepers: KeeperLauncher { _, _ in })
            let before = try store.queues().first { $0.name == "mail" }
            #expect(before?.failed == 0)
            let stamp = try store.stamp()
            try Fixture.play("celery", "results", at: other)
            let after = try store.queues().first { $0.name == "mail" }
            #expect(after?.failed == (option.isEmpty ? 0 : 1), "\(option)")
            #expect(after?.waiting == before?.waiting)
            #expect(try store.stamp() != stamp)
            guard !option.isEmpty else { continue }
            #expect(try store.find("bad").1.task.error == "ValueError: no such order: 17")
        }
    }

    @Test("a failure has the time at which its system says that it ended")
    func moments() throws {
        let fixture = try Fixture("celery", "results")
        let store = try ForeignStore.open(
            fixture.server.address(), as: "celery", keepers: KeeperLauncher { _, _ in })
        let ended = try #require(
            try Fixture.commands("celery", "results").lazy.flatMap(\.words)
                .compactMap { try? JSONValue.parse($0) }
                .first { $0["status"]?.string == "FAILURE" }?["date_done"]?.string)
        let replica = ForeignReplica(name: "here")
        try replica.update(from: store, at: Timestamp(milliseconds: 4_000_000_000_000))
        let reading = try replica.store.readBlocking {
            try Reading($0, now: .unknown).failures(of: nil)
        }
        #expect(reading.map(\.last) == [try #require(TimeText.rfc3339(ended))])
    }

    @Test("a task with a time is delayed where it lies in a held list")
    func held() throws {
        let fixture = try Fixture("celery", "queued")
        let message = try #require(
            try fixture.redis.call("LINDEX", "mail", -1).bytes.flatMap {
                try? JSONValue.parse($0)
            })
        var envelope = try #require(message.object)
        var headers = try #require(envelope["headers"]?.object)
        (headers["eta"], headers["id"]) = ("2100-01-01T00:00:00+00:00", "later")
        envelope["headers"] = .object(headers)
        try fixture.redis.call("RPUSH", "{mail}:sluice:held", JSONValue.object(envelope).text)
        let system = try fixture.system(CelerySystem.self)
        #expect(try system.shown("mail").first == "later delayed")
        #expect(try system.detail("later")?.task.display == .delayed)
        // The answer suggests no fix that Celery lacks.
        #expect(
            try system.blockers(of: system.require("later"), now: .unknown)
                .allSatisfy { $0.fix == nil })
    }
}
