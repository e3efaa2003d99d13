import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// The oldest versions that docs/foreign/redis.md names, by `make.py --old`.
@Suite("the oldest versions of other systems", .enabled(if: RedisServer.isInstalled))
struct OldestTests {
    @Test("RQ 1.15.0 is read as the newest is")
    func rq() throws {
        func open(_ scenario: String) throws -> RQSystem {
            try Fixture("rq-old", scenario).system(RQSystem.self)
        }
        #expect(try Fixture("rq-old", "queued").recognised() == ["rq"])
        let queued = try open("queued")
        #expect(try queued.shown("etl") == ["job1 next", "job2 due", "job3 due"])
        #expect(try queued.detail("job2")?.payload.value?["args"] == [2, 1])
        #expect(try open("deferred").shown("etl", .waiting).last == "load blocked")
        #expect(try open("intermediate").shown("etl") == ["lost taken", "next next"])
        #expect(
            try open("scheduled").timers(limit: 9).map(\.at)
                == [Timestamp(milliseconds: 4_102_444_800_000)])
        let busy = try open("busy")
        #expect(try busy.shown("etl") == ["long running", "next next"])
        #expect(try busy.runners().map(\.running) == [["long"]])
        let ended = try open("failed")
        let queue = try #require(try ended.queues().first)
        #expect(queue.failed == 1 && queue.delayed == 1 && queue.succeeded == 1)
        #expect(try ended.detail("bad")?.task.error == "ZeroDivisionError: division by zero")
        _ = try ended.change("bad", .retry, by: "dana")
        #expect(try ended.detail("bad")?.task.display == .due)
    }

    @Test("Celery 5.0.0 is read as the newest is")
    func celery() throws {
        func open(_ scenario: String) throws -> CelerySystem {
            try Fixture("celery-old", scenario).system(CelerySystem.self)
        }
        #expect(try Fixture("celery-old", "queued").recognised() == ["celery"])
        #expect(try open("queued").shown("mail") == ["t1 next", "t2 due", "t3 due"])
        // One client process sent both: it wrote the binding with its first task alone.
        let both = try Fixture("celery-old", "queued")
        try Fixture.play("celery-old", "priorities", at: both.redis)
        let priorities = try both.system(CelerySystem.self)
        #expect(try priorities.queues().map { "\($0.name) \($0.waiting)" } == ["mail 8"])
        let taken = try open("taken")
        #expect(try taken.shown("mail").sorted() == ["late taken", "later delayed"])
        let results = try open("results")
        #expect(try results.shown("mail", .failed) == ["bad failed"])
        #expect(try results.detail("bad")?.task.error == "ValueError: no such order: 17")
        let queued = try open("queued")
        _ = try queued.change("t2", .edit(["args": [9], "kwargs": [:]]), by: "dana")
        #expect(try queued.detail("t2")?.payload.value?["args"] == [9])
    }

    @Test("huey 2.0.0 is read as the newest is", arguments: ["plain", "priority"])
    func huey(scenario: String) throws {
        let fixture = try Fixture("huey-old", scenario)
        #expect(try fixture.recognised() == ["huey"])
        let system = try fixture.system(HueySystem.self)
        #expect(
            try system.shown("ship") == [
                "due next", "later delayed", "revoked blocked", "until blocked",
                "scheduled delayed",
            ])
        #expect(
            try system.detail("later")?.task.notBefore
                == Timestamp(milliseconds: 4_102_444_800_000))
        let edit = ForeignChange.edit(["args": [9], "kwargs": [:]])
        guard scenario == "plain" else {
            let error = #expect(throws: QueueError.self) {
                try system.change("later", edit, by: "dana")
            }
            return #expect(error?.message.contains("a queue with priorities is shown") == true)
        }
        _ = try system.change("later", edit, by: "dana")
        let after = try #require(try system.detail("later"))
        #expect(after.payload.value?["args"] == [9])
        #expect(after.task.notBefore == Timestamp(milliseconds: 4_102_444_800_000))
    }
}
