import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// The parts that a restore does not change, and the size of images (G5).
@Suite("Parts of restores")
struct RestoredPartsTests {
    @Test("G5 S3 whoever waits for the results of a session still does", arguments: Engine.large)
    func collector(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let app = try bench.attach()
        let id = try bench.enqueue([request { $0.session = "s" }])[0]
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        let adopted = try bench.act { mutation in
            try mutation.adopt(session: "s", by: app, from: .start, limit: 9).entries.count
        }
        #expect(adopted == 1)
        try bench.perform(.priority([TaskTarget(id)], 4))
        try bench.perform(.restore("a"))
        #expect(try bench.task(id).priority == 0 && bench.task(id).collector == app)
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(id).priority == 4 && bench.task(id).collector == app)
    }

    @Test("G5 a task that was purged since comes back with its result", arguments: Engine.large)
    func results(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(9) }
        let id = try bench.enqueue(1)[0]
        var completion = try bench.claimOne(bench.attach()).completion(.handler(.done))
        completion.result = [9]
        let sent = completion
        try bench.act { _ = try $0.settle([sent]) }
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        try bench.perform(.purge([TaskTarget(id)], members: nil))
        #expect(try bench.read { try $0.result(of: id) } == nil)
        try bench.perform(.restore("a"))
        #expect(try bench.states([id]) == [.succeeded])
        #expect(try bench.read { try $0.result(of: id) } == [9])
    }

    @Test("G5 G1 breakpoints stay with their pauses", arguments: Engine.large)
    func breakpoints(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        try bench.perform(.setQueue("q", [.concurrency(5)]))
        try bench.perform(stop("queue:q"))
        let runner = try bench.attach()
        #expect(try bench.claim(runner).isEmpty)
        try bench.perform(.restore("a"))
        let queue = try bench.record()
        #expect(queue.settings.concurrency == 1)
        #expect(queue.pauses.flatMap(\.hits).map(\.task) == [id])
    }

    @Test(
        "G5 A1 the attempts of a task that was purged since are counted on",
        arguments: Engine.large)
    func executions(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let runner = try bench.attach()
        let id = try bench.enqueue(1)[0]
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        try bench.perform(.purge([TaskTarget(id)], members: nil))
        try bench.perform(.restore("a"))
        #expect(try bench.task(id).attempts == 0 && bench.task(id).executions == 1)
        #expect(try bench.claimOne(runner).task.running?.attempt == 2)
    }

    @Test("G5 Q1 what a step back made since makes room too", arguments: Engine.large)
    func roomOfSteps(_ engine: Engine) throws {
        let scene = try StepScene(engine)
        let bench = scene.bench
        let ids = try bench.enqueue(3)
        let place = try bench.task(ids[1]).position
        try scene.step()
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        try bench.perform(.move(TaskTarget(ids[1]), .last))
        try scene.back()
        try bench.act { mutation in
            var task = try mutation.store.requireTask(ids[0])
            task.position = place
            try mutation.store.update([task])
        }
        try bench.perform(.restore("a"))
        try bench.perform(.undelete([TaskTarget(ids[0])]))
        #expect(try bench.waiting() == [ids[1], ids[2], ids[0]])
        #expect(try Set(ids.map { try bench.task($0).position }).count == 3)
    }

    @Test("G5 A2 no pause comes back of a process that has gone", arguments: Engine.large)
    func ownedPauses(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let apps = [try bench.attach(), try bench.attach()]
        try bench.act { mutation in
            for app in apps {
                try mutation.pause("q", for: app, by: "app \(app)", reason: nil)
                try mutation.pause(nil, for: app, by: "app \(app)", reason: nil)
            }
        }
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        try bench.act { mutation in
            _ = try mutation.reap(apps[0])
            try mutation.endPause(of: "q", for: apps[1], by: "ann")
            try mutation.endPause(of: nil, for: apps[1], by: "ann")
        }
        try bench.perform(.restore("a"))
        #expect(try bench.record().pauses.map(\.owner) == [apps[1]])
        #expect(try bench.read { try $0.storeRecord().pauses.map(\.owner) } == [apps[1]])
    }

    @Test(
        "G5 T5 a key that two tasks had one after the other goes back in whatever order",
        arguments: Engine.large, [["q", "r"], ["r", "q"]])
    func keys(_ engine: Engine, _ queues: [String]) throws {
        let bench = try Bench(engine)
        try bench.makeQueue("q")
        try bench.makeQueue("r")
        var ids: [String: TaskID] = [:]
        for queue in queues {
            ids[queue] = try bench.enqueue([UniqueTests.unique(.reject)], to: queue)[0]
        }
        let (own, other) = (try #require(ids["q"]), try #require(ids["r"]))
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        try bench.perform(.delete([TaskTarget(own)], cancelsRunning: false, members: nil))
        try bench.perform(.moveToQueue([TaskTarget(other)], "q"))
        try bench.perform(.restore("a"))
        #expect(try bench.task(own).waiting != nil && bench.task(other).queue == "r")
        let undone = try bench.perform(.undo(event: nil))
        #expect(undone.failed.isEmpty)
        #expect(try bench.task(own).waiting == nil && bench.task(other).queue == "q")
    }
}
