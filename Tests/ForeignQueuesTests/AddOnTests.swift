import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Schedulers that RQ and Celery get as add-ons, with content that they wrote themselves.
@Suite("Schedulers of other systems", .enabled(if: RedisServer.isInstalled))
struct AddOnTests {
    private static func moment(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: seconds * 1000)
    }

    @Test("jobs of rq-scheduler are timers of their queues, counted and listed there")
    func scheduled() throws {
        let fixture = try Fixture("rqscheduler", "mixed")
        #expect(try fixture.recognised() == ["rq"])
        let system = try fixture.system(RQSystem.self)
        #expect(
            try system.queues().map { "\($0.name) \($0.waiting) \($0.delayed)" }
                == ["etl 1 2", "reports 0 1"])
        #expect(try system.shown("etl") == ["next next", "once delayed", "poll delayed"])
        #expect(try system.shown("reports") == ["nightly delayed"])
        let timers = try system.timers(limit: 9)
        #expect(timers.map(\.task.reference) == ["once", "poll", "nightly"])
        #expect(
            timers.map(\.at)
                == [4_102_444_800, 4_102_531_200, 4_102_628_400].map(Self.moment))
        #expect(timers.map(\.task.queue) == ["etl", "etl", "reports"])
        #expect(
            try ["once", "poll", "nightly"].map {
                try system.detail($0)?.fields["rq-scheduler"]?.string
            } == [nil, "every 60 s, 5 more times", "cron 0 3 * * *"])
        #expect(try system.detail("poll")?.task.notBefore == Self.moment(4_102_531_200))
    }

    @Test("a repeated job that is in its queue, or runs, waits there once, and keeps its time")
    func repeated() throws {
        let fixture = try Fixture("rqscheduler", "mixed")
        let system = try fixture.system(RQSystem.self)
        func set(_ status: String) throws {
            try fixture.redis.call("HSET", "rq:job:poll", "status", status)
        }
        try fixture.redis.call("RPUSH", "rq:queue:etl", "poll")
        try set("queued")
        #expect(try system.shown("etl") == ["next next", "poll due", "once delayed"])
        #expect(try system.queues().first.map { "\($0.waiting) \($0.delayed)" } == "2 1")
        #expect(try system.timers(limit: 9).map(\.task.reference) == ["once", "poll", "nightly"])
        try fixture.redis.call("LREM", "rq:queue:etl", 0, "poll")
        try fixture.redis.call("ZADD", "rq:wip:etl", 4_102_444_800, "poll:1")
        try set("started")
        #expect(try system.shown("etl") == ["poll running", "next next", "once delayed"])
        // A status that is left over hides nothing.
        try fixture.redis.call("DEL", "rq:wip:etl")
        #expect(try system.shown("etl") == ["next next", "once delayed", "poll delayed"])
        try set("queued")
        #expect(try system.shown("etl") == ["next next", "once delayed", "poll delayed"])
    }

    @Test("a store that only rq-scheduler wrote to is RQ's")
    func alone() throws {
        let fixture = try Fixture("rqscheduler", "timers")
        #expect(try fixture.recognised() == ["rq"])
        #expect(
            try fixture.system(RQSystem.self).queues().map { "\($0.name) \($0.delayed)" }
                == ["etl 2", "reports 1"])
    }

    @Test("a page that begins after a timed job begins with the next one")
    func pages() throws {
        let fixture = try Fixture("rqscheduler", "mixed")
        try Fixture.play("rq", "scheduled", at: fixture.redis)
        let system = try fixture.system(RQSystem.self)
        var (seen, after): ([String], String?) = ([], nil)
        repeat {
            let page = try system.page(
                ForeignQuery(queue: "etl", state: .waiting, limit: 1, after: after))
            seen += page.tasks.map(\.reference)
            after = page.more ? page.tasks.last?.reference : nil
        } while after != nil && seen.count < 9
        #expect(seen == ["next", "later", "once", "poll"])
    }

    @Test("a job of rq-scheduler is postponed, retried and deleted in its own set, and undone")
    func changed() throws {
        let fixture = try Fixture("rqscheduler", "mixed")
        let (system, redis) = (try fixture.system(RQSystem.self), fixture.redis)
        let set = "rq:scheduler:scheduled_jobs"
        let answer = try system.change("once", .postpone(Self.moment(4_102_500_000)), by: "dana")
        #expect(answer.consequences == ["the process rqscheduler brings it into its queue"])
        #expect(try redis.call("ZSCORE", set, "once").text == "4102500000")
        #expect(try redis.call("EXISTS", "rq:scheduled:etl").integer == 0)
        _ = try system.change("once", .retry, by: "dana")
        #expect(try redis.call("ZSCORE", set, "once").isNone)
        let listed = try redis.call("LRANGE", "rq:queue:etl", 0, -1).array
        #expect(listed.map(\.text) == ["next", "once"])
        let error = #expect(throws: QueueError.self) {
            try system.change("poll", .retry, by: "dana")
        }
        #expect(error?.message.hasPrefix("rq-scheduler runs task poll again and again") == true)
        #expect(error?.fix == "sluice postpone poll 1s")
        #expect(
            try system.why("poll").first
                == "it waits until 2100-01-02T00:00:00.000Z, every 60 s, 5 more times: "
                + "sluice postpone poll 1s")
        _ = try system.change("poll", .delete, by: "dana")
        #expect(try redis.call("ZSCORE", set, "poll").isNone)
        #expect(try system.detail("poll") == nil)
        _ = try system.undo(by: "dana")
        #expect(try redis.call("ZSCORE", set, "poll").text == "4102531200")
        #expect(try system.detail("poll")?.task.display == .delayed)
    }

    @Test("entries of celery-redbeat are timers, and one that is off is skipped")
    func entries() throws {
        let fixture = try Fixture("redbeat", "timers")
        #expect(try fixture.recognised() == ["celery"])
        let system = try fixture.system(CelerySystem.self)
        #expect(
            try system.queues().map { "\($0.name) \($0.waiting) \($0.delayed) \($0.skipped)" }
                .sorted() == ["mail 1 1 1", "reports 1 1 0"])
        #expect(
            try system.shown("mail", .waiting)
                == ["t1 next", "redbeat:poll delayed", "redbeat:off skipped"])
        let timers = try system.timers(limit: 9)
        #expect(
            timers.map { "\($0.task.reference) \($0.task.queue) \($0.task.label ?? "")" } == [
                "redbeat:poll mail shop.add(1, 2), every 60.0 s",
                "redbeat:nightly reports shop.add(1, 2), cron 0 3 * * *",
            ])
        #expect(timers.map(\.at) == [4_102_444_800, 4_102_628_400].map(Self.moment))
        let detail = try #require(try system.detail("redbeat:nightly"))
        #expect(detail.payload.value?["args"] == [1, 2])
        #expect(detail.fields["celery-redbeat"]?.string == "cron 0 3 * * *")
    }

    @Test("an entry is switched off and on, and verbs on messages name the way out")
    func switched() throws {
        let fixture = try Fixture("redbeat", "timers")
        let (system, redis) = (try fixture.system(CelerySystem.self), fixture.redis)
        let before = try redis.call("HGETALL", "redbeat:poll").dictionary
        func isEnabled() throws -> Bool? {
            let text = try #require(try redis.call("HGET", "redbeat:poll", "definition").text)
            return try JSONValue.parse(text)["enabled"]?.bool
        }
        _ = try system.change("redbeat:poll", .skip, by: "dana")
        #expect(try isEnabled() == false)
        #expect(try system.detail("redbeat:poll")?.task.display == .skipped)
        _ = try system.change("redbeat:poll", .unskip, by: "dana")
        #expect(try isEnabled() == true)
        _ = try system.undo(by: "dana")
        _ = try system.undo(by: "dana")
        #expect(try redis.call("HGETALL", "redbeat:poll").dictionary == before)
        for verb in [
            { _ = try system.change("redbeat:poll", .move(.first), by: "dana") },
            { _ = try system.step("mail", task: "redbeat:poll", limits: StepLimits()) },
            { _ = try system.cancel("redbeat:poll") },
        ] as [() throws -> Void] {
            let error = #expect(throws: QueueError.self) { try verb() }
            #expect(
                error?.message
                    == "redbeat:poll is an entry of celery-redbeat, and no message in a list")
            #expect(error?.fix == "sluice skip redbeat:poll switches it off")
        }
    }
}
