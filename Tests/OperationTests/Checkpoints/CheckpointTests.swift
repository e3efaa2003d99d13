import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Checkpoints, what differs from them, and putting a store back (G5).
@Suite("Checkpoints")
struct CheckpointTests {
    private func take(_ bench: Bench, _ name: String) throws {
        try bench.perform(.takeCheckpoint(CheckpointRequest(name)))
    }

    private func difference(
        _ bench: Bench, _ old: String? = nil, _ new: String? = nil
    ) throws -> StoreDifference {
        let now = bench.now
        return try bench.read { try Reading($0, now: now).difference(from: old, to: new) }
    }

    @Test(
        "G5 diff names what came, went and changed field by field, queues and settings too",
        arguments: Engine.large)
    func difference(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(4)
        try take(bench, "a")
        #expect(try difference(bench).isEmpty)
        bench.pass(1000)
        try bench.perform(.priority([TaskTarget(ids[0])], 7))
        try bench.perform(.edit([TaskTarget(ids[1])], payload: [65], fields: []))
        try bench.perform(.delete([TaskTarget(ids[2])], cancelsRunning: false, members: nil))
        try bench.perform(.purge([TaskTarget(ids[2])], members: nil))
        try bench.perform(.setQueue("q", [.concurrency(5)]))
        try bench.perform(.pause(PauseRequest(.store)))
        let new = try bench.enqueue(1)[0]
        let found = try difference(bench)
        #expect(found.from == "a" && found.to == "now")
        #expect(found.tasks.map(\.task.id) == [ids[0], ids[1], ids[2], new])
        #expect(found.tasks.map(\.change) == [.changed, .changed, .removed, .added])
        #expect(
            found.tasks[0].fields == [
                FieldDifference(name: "priority", from: .integer(0), to: .integer(7))
            ])
        #expect(
            found.tasks[1].fields == [
                FieldDifference(name: "payload", from: .string("{}"), to: .string("A"))
            ])
        #expect(found.queues.map(\.name) == ["q"] && found.queues[0].change == .changed)
        #expect(found.queues[0].fields.map(\.name) == ["concurrency"])
        #expect(found.store.map(\.name) == ["pauses"])
    }

    @Test("G5 a difference between two checkpoints is of what was so then", arguments: Engine.large)
    func between(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(3)
        try take(bench, "a")
        try bench.perform(.priority([TaskTarget(ids[0])], 1))
        let middle = try bench.enqueue(1)[0]
        try take(bench, "b")
        try bench.perform(.priority([TaskTarget(ids[0]), TaskTarget(ids[1])], 2))
        try bench.perform(.delete([TaskTarget(middle)], cancelsRunning: false, members: nil))
        try bench.perform(.purge([TaskTarget(middle)], members: nil))
        let late = try bench.enqueue(1)[0]
        let forth = try difference(bench, "a", "b")
        #expect(forth.tasks.map(\.task.id) == [ids[0], middle])
        #expect(forth.tasks.map(\.change) == [.changed, .added])
        #expect(forth.tasks[0].fields.map(\.to) == [.integer(1)])
        let back = try difference(bench, "b", "a")
        #expect(back.tasks.map(\.change) == [.changed, .removed] && back.from == "b")
        #expect(back.tasks[0].fields.map(\.to) == [.integer(0)])
        let since = try difference(bench, "b")
        #expect(since.tasks.map(\.task.id) == [ids[0], ids[1], middle, late])
        #expect(since.tasks.map(\.change) == [.changed, .changed, .removed, .added])
        #expect(try difference(bench, "a").tasks.map(\.task.id) == [ids[0], ids[1], late])
    }

    @Test("G5 restore puts back and undo takes that back", arguments: Engine.large)
    func restores(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(5) }
        let runner = try bench.attach()
        let ids = try bench.enqueue(3)
        try take(bench, "a")
        bench.pass(1000)
        let claimed = try bench.claim(runner)
        try bench.settle(claimed[0], .success(result: [1, 2]))
        try bench.perform(.edit([TaskTarget(ids[1])], payload: [65], fields: [.label("x")]))
        try bench.perform(.setQueue("q", [.order(.lifo), .concurrency(3)]))
        try bench.perform(.pause(PauseRequest(.store)))
        try bench.perform(.network(forced: false))
        let new = try bench.enqueue(1)[0]
        let before = try bench.dump()
        let answer = try bench.perform(.restore("a"))
        #expect(answer.restored?.changed == 5 && answer.restored?.name == "a")
        #expect(answer.restored?.effects.map(\.task) == [ids[0]])
        #expect(answer.changed == [ids[0], ids[1], new])
        #expect(try bench.states(ids + [new]) == [.waiting, .waiting, .waiting, .deleted])
        #expect(try bench.read { try $0.result(of: ids[0]) } == nil)
        #expect(try bench.read { try $0.payload(of: ids[1]) } == Array("{}".utf8))
        #expect(try bench.task(ids[0]).executions == 1 && bench.task(ids[0]).attempts == 0)
        #expect(try bench.record().settings.order == .fifo)
        #expect(try bench.read { try $0.storeRecord() }.pauses.isEmpty)
        #expect(try bench.read { try $0.storeRecord() }.forcedNetwork == nil)
        #expect(try difference(bench).isEmpty)
        // A second restore finds no change, so it writes no event.
        #expect(try bench.perform(.restore("a")).undo == nil)
        try bench.perform(.undo(event: nil))
        let after = try bench.dump()
        #expect(after.tasks.map(\.asCompared) == before.tasks.map(\.asCompared))
        #expect(after.results == before.results && after.payloads == before.payloads)
        #expect(after.queues.map(\.settings) == before.queues.map(\.settings))
        #expect(after.store.pauses == before.store.pauses)
        #expect(after.store.forcedNetwork == false)
        try bench.perform(.redo)
        #expect(try difference(bench).isEmpty)
    }

    @Test(
        "G5 an earlier checkpoint is restored past a later one, and again", arguments: Engine.large)
    func nested(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let target = TaskTarget(try bench.enqueue(1)[0])
        for (name, priority) in [("a", 1), ("b", 2), ("c", 3)] {
            try take(bench, name)
            try bench.perform(.priority([target], .number(priority)))
        }
        for (name, priority) in [("b", 1), ("c", 2), ("a", 0), ("c", 2)] {
            try bench.perform(.restore(name))
            #expect(try bench.task(target.id).priority == priority, "\(name)")
        }
        try bench.perform(.removeCheckpoints(["b"]))
        try bench.perform(.priority([target], 9))
        try bench.perform(.restore("a"))
        #expect(try bench.task(target.id).priority == 0)
        try bench.perform(.removeCheckpoints(["c"]))
        try bench.perform(.priority([target], 8))
        try bench.perform(.restore("a"))
        #expect(try bench.task(target.id).priority == 0)
        try bench.perform(.removeCheckpoints(["a"]))
        #expect(try bench.read { try $0.imageCounts(from: .min) } == .init(subjects: 0, bytes: 0))
        #expect(try bench.read { try $0.storeRecord() }.checkpoints.bytes == 0)
    }

    @Test("G5 a queue that went with its tasks comes back with them", arguments: Engine.large)
    func queueComesBack(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 4 }
        let ids = try bench.enqueue(3)
        try take(bench, "a")
        try bench.perform(.deleteQueue("q", evenWithTasks: true))
        #expect(try difference(bench).queues.map(\.change) == [.removed])
        try bench.perform(.restore("a"))
        #expect(try bench.record().settings.concurrency == 4)
        #expect(try bench.waiting() == ids)
        #expect(try bench.read { try $0.payload(of: ids[2]) } == Array("{}".utf8))
        #expect(try difference(bench).isEmpty)
        // Undo keeps the queue and reports that.
        let undone = try bench.perform(.undo(event: nil))
        #expect(try bench.states(ids) == [.deleted, .deleted, .deleted])
        #expect(
            undone.consequences == [
                "q was deleted before the restore and stays: "
                    + "sluice queue delete q forgets it with its trash"
            ])
    }

    @Test(
        "G8 a restore that was undone is not done again in a protected store",
        arguments: Engine.large)
    func protectedRedo(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let target = TaskTarget(try bench.enqueue(1)[0])
        try take(bench, "a")
        try bench.perform(.priority([target], 5))
        try bench.perform(.restore("a"))
        try bench.perform(.undo(event: nil))
        try bench.perform(.redo)
        try bench.perform(.undo(event: nil))
        let undone = try #require(try bench.events().last?.sequence)
        try bench.perform(.protect, by: "eve")
        let before = try bench.dump()
        #expect(try bench.refusal(.redo) == .protected)
        #expect(try bench.refusal(.undo(event: undone)) == .protected)
        #expect(try bench.dump() == before && bench.task(target.id).priority == 5)
        // A protected store allows the undo of an earlier restore.
        try bench.perform(.unprotect(storeName: bench.store.shortName), by: "eve")
        try bench.perform(.redo)
        try bench.perform(.protect, by: "eve")
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(target.id).priority == 5)
    }

    @Test("G5 restore counts the tasks that diff names, not those that only wait behind one again")
    func oneCount() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue { $0.keepFinished = .last(9) }
        let ids = try bench.enqueue([member(start: "g"), member("g"), member("g"), member("g")])
        try take(bench, "a")
        let runner = try bench.attach()
        try bench.settle(bench.claim(runner)[0])
        #expect(try ids.map { try bench.task($0).isHeld } == [false, false, false, false])
        let named = try difference(bench).tasks.map(\.task.id)
        let answer = try bench.perform(.restore("a"))
        #expect(named == [ids[0]] && answer.changed == named)
        #expect(answer.restored?.changed == 1)
        #expect(answer.consequences == ["1 task is restored"])
        #expect(try ids.map { try bench.task($0).isHeld } == [false, true, true, true])
        try bench.perform(.undo(event: nil))
        #expect(try ids.map { try bench.task($0).isHeld } == [false, false, false, false])
    }

    @Test(
        "G5 a start that came since and was deleted holds nobody after a restore",
        arguments: Engine.large)
    func startInTrash(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let old = try bench.enqueue([member("g")])[0]
        try take(bench, "a")
        let start = try bench.enqueue([member(start: "g")])[0]
        try bench.perform(.move(TaskTarget(start), .first))
        try bench.perform(.delete([TaskTarget(start)], cancelsRunning: false, members: .hold))
        #expect(try bench.blockers(old).contains(.groupStart) && bench.task(old).isHeld)
        try bench.perform(.restore("a"))
        #expect(try !bench.blockers(old).contains(.groupStart) && !bench.task(old).isHeld)
        #expect(try bench.read { try $0.problems(.tasks) } == [])
        try bench.perform(.undo(event: nil))
        #expect(try bench.blockers(old).contains(.groupStart) && bench.task(old).isHeld)
        try bench.perform(.redo)
        #expect(try bench.drain(bench.attach()) == [old])
    }

    @Test(
        "G5 Q1 what came since and stands where a task is put back makes room, in the trash too",
        arguments: Engine.large)
    func room(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(3)
        let place = try bench.task(ids[1]).position
        try take(bench, "a")
        try bench.perform(.move(TaskTarget(ids[1]), .last))
        let new = try bench.enqueue(1)[0]
        try bench.perform(.move(TaskTarget(new), .before(ids[2])))
        #expect(try bench.task(new).position == place)
        try bench.perform(.restore("a"))
        #expect(try bench.task(ids[1]).position == place)
        try bench.perform(.undelete([TaskTarget(new)]))
        #expect(try Set((ids + [new]).map { try bench.task($0).position }).count == 4)
        #expect(try bench.waiting() == ids + [new])
    }

    @Test("G3 G5 a restore is a change of its own real moment, wherever the clock of the store is")
    func realMoment() throws {
        let bench = try Bench(.memory)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        try take(bench, "a")
        try bench.perform(.priority([TaskTarget(id)], 1))
        try bench.perform(.setClock(ClockRequest(.move(3_600_000))))
        bench.pass(5)
        try bench.perform(.restore("a"))
        #expect(try bench.task(id).updatedAt == at(5))
    }

    @Test("G5 what is refused changes nothing, and says what to do", arguments: Engine.large)
    func refused(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let runner = try bench.attach()
        try bench.enqueue(2)
        #expect(try bench.refusal(.restore("a")) == .badValue)
        for name in ["", "a b", "list", "now", "-x", String(repeating: "x", count: 65)] {
            let request = CheckpointRequest(name)
            #expect(try bench.refusal(.takeCheckpoint(request)) == .badName, "\(name)")
        }
        try take(bench, "a")
        #expect(try bench.refusal(.takeCheckpoint(CheckpointRequest("a"))) == .badName)
        #expect(try bench.refusal(.removeCheckpoints(["a", "b"])) == .badValue)
        let claimed = try bench.claim(runner)
        let before = try bench.dump()
        #expect(try bench.refusal(.restore("a")) == .notLegal)
        #expect(try bench.dump() == before)
        try bench.settle(claimed[0], .fail)
        try bench.perform(.protect)
        #expect(try bench.refusal(.restore("a")) == .protected)
        try bench.perform(.unprotect(storeName: bench.store.shortName))
        try bench.perform(.takeCheckpoint(CheckpointRequest()))
        let all = try bench.read { try $0.storeRecord() }.checkpoints.all
        #expect(all.map(\.name) == ["a", "checkpoint-2"])
        try bench.perform(.restore("a"))
        #expect(try bench.waiting().count == 2)
    }

    @Test(
        "G5 the first checkpoint ends programs that would keep no images", arguments: Engine.large)
    func older(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.act { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: at(0))
            process.keepsImages = false
            _ = try mutation.attach(process)
        }
        #expect(try bench.refusal(.takeCheckpoint(CheckpointRequest("a"))) == .notLegal)
        var request = CheckpointRequest("a")
        request.endsOlder = true
        try bench.perform(.takeCheckpoint(request))
    }

    @Test(
        "G5 beyond the bound the oldest checkpoint ends, and that is said", arguments: Engine.large)
    func bounded(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(6)
        try bench.store.writeBlocking { try $0.setImageLimit(2500) }
        try take(bench, "a")
        try bench.perform(.priority([TaskTarget(ids[0]), TaskTarget(ids[1])], 1))
        try take(bench, "b")
        try bench.perform(.priority([TaskTarget(ids[0]), TaskTarget(ids[2])], 2))
        #expect(try bench.read { try $0.storeRecord() }.checkpoints.all.map(\.name) == ["a", "b"])
        try bench.perform(.priority([TaskTarget(ids[3])], 2))
        #expect(try bench.read { try $0.storeRecord() }.checkpoints.all.map(\.name) == ["b"])
        #expect(try bench.events().contains { $0.kind == "checkpointEnd" })
        try bench.perform(.restore("b"))
        #expect(try ids.map { try bench.task($0).priority } == [1, 1, 0, 0, 0, 0])
        let counts = try bench.read { try $0.imageCounts(from: .min) }
        #expect(try bench.read { try $0.storeRecord() }.checkpoints.bytes == counts.bytes)
    }

    @Test("G5 where no checkpoint stands nothing is kept", arguments: Engine.large)
    func unused(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        try bench.perform(.priority([TaskTarget(ids[0])], 3))
        #expect(try bench.read { try $0.imageCounts(from: .min).subjects } == 0)
        try take(bench, "a")
        // Later tasks need no image either, because their number identifies them.
        let new = try bench.enqueue(1)
        try bench.perform(.priority([TaskTarget(new[0])], 3))
        #expect(try bench.read { try $0.imageCounts(from: .min).subjects } == 0)
        try bench.perform(.removeCheckpoints(["a"]))
        try bench.perform(.priority([TaskTarget(ids[0])], 4))
        #expect(try bench.read { try $0.imageCounts(from: .min).subjects } == 0)
    }

    @Test(
        "G5 P2 a restore that fails at any of its writes leaves the store as it was",
        arguments: Engine.large)
    func failing(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([member(start: "g"), member("g"), request(), request()])
        try take(bench, "a")
        try bench.perform(.priority([TaskTarget(ids[2])], 4))
        try bench.perform(.delete([TaskTarget(ids[0])], cancelsRunning: false, members: .giveUp))
        try bench.perform(.delete([TaskTarget(ids[3])], cancelsRunning: false, members: nil))
        try bench.perform(.purge([TaskTarget(ids[3])], members: nil))
        try bench.enqueue([member("g"), request()])
        let before = try bench.dump()
        var step = 1
        while true {
            bench.faults.fail(from: step)
            do {
                try bench.perform(.restore("a"))
                bench.faults.fail(from: nil)
                break
            } catch {
                bench.faults.fail(from: nil)
                #expect(try bench.dump() == before, "write \(step)")
            }
            step += 1
        }
        #expect(step > 3)
        #expect(try difference(bench).isEmpty)
    }
}
