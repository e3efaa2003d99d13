import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("RQ as RQ itself wrote it", .enabled(if: RedisServer.isInstalled))
struct RQFixtureTests {
    @Test("a deferred job says on which jobs it depends, and how the failed one is retried")
    func deferred() throws {
        let system = try Fixture("rq", "deferred").system(RQSystem.self)
        #expect(
            try system.shown("etl", .waiting) == ["other next", "both blocked", "load blocked"])
        #expect(
            try system.why("load").first
                == "it depends on extract (failed): sluice retry extract")
        #expect(
            try system.why("both").first
                == "it depends on extract (failed), other (queued): sluice retry extract")
        let failed = try system.page(ForeignQuery(queue: "etl", state: .failed)).tasks
        #expect(failed.map(\.reference) == ["extract"] && failed[0].endedAt != nil)
        _ = try system.change("extract", .retry, by: "dana")
        #expect(try system.why("load").first == "it depends on extract (queued)")
    }

    @Test("the type of a job is its function, whatever its description says")
    func described() throws {
        let system = try Fixture("rq", "described").system(RQSystem.self)
        func shown() throws -> [ForeignTask] {
            let listed = try system.page(ForeignQuery(queue: "etl", state: .waiting)).tasks
            return listed + [try #require(try system.detail("worded")?.task)]
        }
        #expect(try shown().map(\.type) == ["_operator.add", "_operator.add"])
        #expect(try shown().map(\.label) == Array(repeating: "the first of March (late)", count: 2))
        let call: JSONValue = ["function": "tasks.boom", "args": [9], "kwargs": [:]]
        _ = try system.change("worded", .edit(call), by: "dana")
        #expect(try shown().map(\.type) == ["tasks.boom", "tasks.boom"])
    }

    @Test("a job that a worker took and did not begin is taken, for every command alike")
    func intermediate() throws {
        let system = try Fixture("rq", "intermediate").system(RQSystem.self)
        let queue = try #require(try system.queues().first)
        #expect(queue.taken == 1 && queue.waiting == 1 && queue.running == 0)
        #expect(try system.shown("etl") == ["lost taken", "next next"])
        #expect(try system.shown("etl", .running) == ["lost taken"])
        #expect(try system.detail("lost")?.task.display == .taken)
        #expect(
            try system.why("lost").first?.hasPrefix("a worker took it and has not begun") == true)
        let changes: [(ForeignChange, String)] = [
            (.delete, "deleted"), (.skip, "skipped"),
            (.postpone(Timestamp(milliseconds: 9)), "postponed"),
        ]
        for (change, word) in changes {
            let error = #expect(throws: QueueError.self) {
                try system.change("lost", change, by: "dana")
            }
            #expect(error?.message == "task lost is taken by a worker: it cannot be \(word)")
        }
    }

    @Test("since when it is known to be so is told where another worker has seen it")
    func waited() throws {
        let fixture = try Fixture("rq", "waited")
        let key = "rq:queue:etl:intermediate:first_seen:lost"
        let seconds = try fixture.redis.call("GET", key).text.flatMap { Double($0) }
        let seen = try #require(seconds.flatMap(ForeignTime.moment(seconds:)))
        #expect(
            try fixture.system(RQSystem.self).why("lost")
                == [
                    "a worker took it before \(TimeText.rfc3339(seen)) and has not begun it; RQ "
                        + "gives it up after a minute"
                ])
    }

    @Test("a busy worker of version 3 is busy, and the job is its own")
    func busy() throws {
        let system = try Fixture("rq", "busy").system(RQSystem.self)
        let runner = try #require(try system.runners().first)
        #expect(runner.name == "w1" && runner.queues == ["etl"] && runner.running == ["long"])
        #expect(try system.shown("etl") == ["long running", "next next"])
        #expect(try system.why("next") == ["w1 of RQ: all 1 slots for etl are busy"])
    }

    @Test(
        "a running job names its worker, since when, and how RQ gives it up",
        arguments: ["rq", "rq-old"])
    func holder(file: String) throws {
        let fixture = try Fixture(file, "busy")
        let system = try fixture.system(RQSystem.self)
        let job = try system.require("long")
        let known = try #require(try system.holder(of: job))
        let began = try #require(job.fields["started_at"]?.string.flatMap(TimeText.rfc3339))
        #expect(known.worker == "w1" && known.since == began && !known.isGone)
        // The list has it too, or a console would count from its own first look.
        let running = ForeignQuery(queue: "etl", state: .running)
        #expect(try system.page(running).tasks.map(\.startedAt) == [began])
        #expect(known.heardAt.map { began - $0 < 1000 && began >= $0 } == true)
        let end = TimeText.rfc3339(Timestamp(milliseconds: (began.milliseconds / 1000 + 90) * 1000))
        #expect(known.advice.hasPrefix("RQ gives it up after \(end): a worker of etl "))
        // RQ's key of a worker expires after its last heartbeat.
        try fixture.redis.call("DEL", "rq:worker:w1")
        let gone = try #require(try system.holder(of: job))
        #expect(gone.isGone && gone.worker == "w1" && gone.heardAt == began)
        #expect(try system.holder(of: system.require("next")) == nil)
    }

    @Test("what failed, waits for a time and ended is read as RQ keeps it")
    func ended() throws {
        let system = try Fixture("rq", "failed").system(RQSystem.self)
        let queue = try #require(try system.queues().first)
        #expect(queue.failed == 1 && queue.delayed == 1 && queue.succeeded == 1)
        let failed = try system.page(ForeignQuery(queue: "etl", state: .failed)).tasks
        #expect(failed.map(\.error) == ["ZeroDivisionError: division by zero"])
        #expect(try system.detail("bad")?.payload.value?["args"] == [2, 0])
        let later = try Fixture("rq", "scheduled").system(RQSystem.self)
        #expect(
            try later.timers(limit: 9).map(\.at) == [Timestamp(milliseconds: 4_102_444_800_000)])
    }

    @Test("a payload of many megabytes is not read, and the rest of its job is shown")
    func large() throws {
        let fixture = try Fixture("rq", "queued")
        let bytes = [UInt8](repeating: 1, count: 5 << 20)
        try fixture.redis.call(
            RedisCommand("HSET", words: ["rq:job:job2", "data"].map { Array($0.utf8) } + [bytes]))
        let system = try fixture.system(RQSystem.self)
        let detail = try #require(try system.detail("job2"))
        #expect(detail.payload.bytes.isEmpty && detail.payload.value == nil)
        #expect(detail.payload.whyFixed?.hasPrefix("it has 5242880 bytes") == true)
        #expect(detail.fields["origin"]?.string == "etl")
        let page = try system.page(ForeignQuery(queue: "etl", state: .waiting)).tasks
        let details = try system.details(of: page)
        #expect(details.map { $0?.payload.value == nil } == [false, true, false])
    }

    @Test("names that are no UTF-8, or look the same, end no look, and are not mixed up")
    func names() throws {
        let fixture = try Fixture("rq", "queued")
        for name in [Array("e\u{301}".utf8), Array("\u{e9}".utf8), [0x71, 0xff]] {
            try Fixture.send("rq", ["odd"], queue: name, to: fixture.redis)
        }
        let store = ForeignStore(name: "here", systems: [try fixture.system(RQSystem.self)])
        let shown = try store.named().map(\.name.shown)
        #expect(Set(shown) == ["etl", "e\u{301} (301)", "\u{e9} (e9)", "q\u{FFFD}"])
        let look = try store.look(at: { $0.first }, subject: nil)
        #expect(look.queues.count == 4)
        try ForeignReplica(name: "here").update(from: store, at: Timestamp(milliseconds: 1))
        let error = #expect(throws: QueueError.self) { try store.place(of: "q\u{FFFD}") }
        #expect(error?.message.contains("is no UTF-8") == true)
        _ = try store.place(of: "\u{e9}")
    }
}
