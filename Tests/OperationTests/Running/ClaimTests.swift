import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("claims")
struct ClaimTests {
    @Test(
        "A1 nothing is claimed ahead of a free slot, and every lease is its own",
        arguments: Engine.all)
    func slots(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 10 }
        try bench.makeQueue("r") { $0.concurrency = 10 }
        let ids = try bench.enqueue(3) + bench.enqueue(3, to: "r")
        let runner = try bench.attach()
        #expect(try bench.claim(runner, slots: 0) == [])
        let claimed = try bench.claim(runner, slots: 4)
        #expect(claimed.map(\.task.id) == Array(ids.prefix(4)))
        #expect(Set(claimed.compactMap(\.task.running?.token)).count == 4)
        let attempts = try bench.read { store in
            try ids.flatMap { try store.attempts(of: $0) }
        }
        #expect(attempts.map(\.number) == [1, 1, 1, 1])
        #expect(attempts.allSatisfy { $0.outcome == nil && $0.runner == runner })
    }

    @Test("G4 what was executed elsewhere is no execution of ours", arguments: Engine.all)
    func executedElsewhere(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.retry = .fixed(milliseconds: 0) }
        var request = EnqueueRequest(type: "t")
        request.attempts = 2
        try bench.enqueue([request])
        let runner = try bench.attach()
        let first = try bench.claimOne(runner)
        #expect(first.task.executions == 3)
        #expect(first.ownNumber == 1)
        try bench.settle(first, .handler(.retry(afterMilliseconds: 0, error: "boom")))
        #expect(try bench.claimOne(runner).ownNumber == 2)
    }

    @Test("A1 a completion with a stale token changes nothing and says so", arguments: Engine.all)
    func stale(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let first = try bench.attach()
        let old = try bench.claimOne(first)
        try bench.act { try $0.reap(first) }
        bench.pass(1000)
        let new = try bench.claim(try bench.attach())[0]
        let before = try bench.dump()
        #expect(try bench.settle(old).attempt == nil)
        #expect(try bench.dump() == before)
        try bench.settle(new)
        let done = try bench.dump()
        #expect(try bench.settle(new).attempt == nil)
        #expect(try bench.settle(old).attempt == nil)
        #expect(try bench.dump() == done)
        #expect(try bench.states([id]) == [nil])
    }

    @Test("A1 one commit settles and claims by what it settled", arguments: Engine.all)
    func settleAndClaim(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        let first = try bench.claimOne(runner)
        let claimed = try bench.settleAndClaim(first, .done, runner)
        #expect(claimed.map(\.task.id) == [ids[1]])
    }

    /// Outcomes that pause a queue in the commit of their settlement.
    static let pausing: [HandlerOutcome] = [
        .pauseQueue(milliseconds: 60_000, isCounted: false, error: nil), .giveUp(error: "no"),
    ]

    @Test(
        "CIO-40 Q6 a task that pauses its queue is the last that ran, in the same commit too",
        arguments: Case.all(pausing))
    func pauses(_ test: Case<HandlerOutcome>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        let ids = try bench.enqueue([request { $0.isRequired = true }, request()])
        let runner = try bench.attach()
        let first = try bench.claimOne(runner)
        #expect(try bench.settleAndClaim(first, test.value, runner) == [])
        #expect(try bench.waiting().contains(ids[1]))
        #expect(try bench.record().isPaused(at: bench.now))
    }

    @Test("A2 a process that died loses its executions, not their attempts", arguments: Engine.all)
    func losses(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.concurrency = 3
            $0.attemptLimit = 1
        }
        let ids = try bench.enqueue(2)
        for loss in 1...4 {
            let runner = try bench.attach()
            let claimed = try bench.claim(runner, slots: 3)
            #expect(claimed.map(\.isAlone) == (loss <= 2 ? [false, false] : [true]))
            try bench.act { try $0.reap(runner) }
            let lost = try bench.task(ids[0])
            #expect([lost.attempts, lost.losses, lost.lossesInSuccession] == [0, loss, loss])
            #expect(lost.waiting?.timer?.cause == .retry)
            bench.pass(1000)
        }
        let runner = try bench.attach()
        let last = try bench.claim(runner, slots: 3)
        #expect(last.map(\.task.id) == [ids[0]])
        try bench.act { try $0.reap(runner) }
        #expect(try bench.task(ids[0]).waiting?.parking?.cause == .lost)
        #expect(try bench.task(ids[1]).lossesInSuccession == 2)
        bench.pass(1000)
        let healed = try bench.claim(try bench.attach(), slots: 3)[0]
        try bench.settle(healed, .retry(afterMilliseconds: 0, error: nil))
        #expect(try bench.task(ids[1]).state.name == .failed)
        try bench.perform(.retry([TaskTarget(ids[0]), TaskTarget(ids[1])]))
        #expect(try bench.task(ids[0]).lossesInSuccession == 0)
    }

    @Test(
        "A2 a task that was lost twice runs alone, and nothing overtakes it", arguments: Engine.all)
    func alone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 9 }
        let ids = try bench.enqueue(1)
        for _ in 0..<2 {
            let runner = try bench.attach()
            try bench.claim(runner)
            try bench.act { try $0.reap(runner) }
            bench.pass(1000)
        }
        let others = try bench.enqueue(3)
        let runner = try bench.attach()
        #expect(try bench.claim(runner, slots: 3, inFlight: 1) == [])
        let alone = try bench.claim(runner, slots: 4)
        #expect(alone.map(\.task.id) == ids)
        var busy = ClaimRequest(runner: runner, freeSlots: 3, inFlight: 1)
        busy.isAlone = true
        #expect(try bench.claim(busy) == [])
        try bench.settle(alone[0])
        #expect(try bench.claim(runner, slots: 4).map(\.task.id) == others)
    }

    @Test(
        "A2 A6 what a person said of a running task holds when its worker dies",
        arguments: Engine.all)
    func diedWhileStopping(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 2 }
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        try bench.claim(runner, slots: 2)
        try bench.perform(.cancel([TaskTarget(ids[0])]))
        try bench.perform(.delete([TaskTarget(ids[1])], cancelsRunning: true, members: nil))
        try bench.act { try $0.reap(runner) }
        #expect(try bench.task(ids[0]).waiting?.parking?.cause == .cancelled)
        #expect(try bench.states(ids) == [.waiting, .deleted])
    }

    @Test("A6 a process that leaves gives back what it has, not counted", arguments: Engine.all)
    func detach(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 2 }
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        let claimed = try bench.claim(runner, slots: 2)
        try bench.settle(claimed[1], .abandoned(.timedOut))
        #expect(try bench.blockers(ids[1]).contains(.abandoned))
        try bench.act { try $0.detach(runner) }
        #expect(try bench.task(ids[0]).attempts == 0)
        #expect(try bench.task(ids[1]).waiting?.lingering == nil)
        #expect(try bench.read { try $0.processes() } == [])
        #expect(throws: QueueError.self) { try bench.claim(runner) }
    }

    @Test(
        "A6 B12 a retry of a task that was given up waits for its abandoned execution",
        arguments: Case.all([true, false]))
    func retriedWhileAbandoned(_ test: Case<Bool>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue { $0.attemptLimit = 1 }
        let id = try bench.enqueue(1)[0]
        let runner = try bench.attach()
        try bench.settle(try bench.claimOne(runner), .abandoned(.timedOut))
        #expect(try bench.states([id]) == [.failed])
        let other = try bench.attach()
        let isRetriedFirst = test.value
        if isRetriedFirst {
            try bench.perform(.retry([TaskTarget(id)]))
            #expect(try bench.blockers(id).contains(.abandoned))
            #expect(try bench.claim(other) == [])
        }
        try bench.act { try $0.release(id, attempt: 1) }
        if !isRetriedFirst { try bench.perform(.retry([TaskTarget(id)])) }
        #expect(try bench.drain(other) == [id])
    }

    @Test(
        "B12 D9 an undo brings back no execution of a worker that has gone",
        arguments: Engine.all)
    func undoneAfterItsRunner(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let runner = try bench.attach()
        try bench.settle(try bench.claimOne(runner), .abandoned(.stopped))
        #expect(try bench.blockers(id).contains(.abandoned))
        try bench.perform(.delete([TaskTarget(id)], cancelsRunning: false, members: nil))
        try bench.act { _ = try $0.reap(runner) }
        try bench.perform(.undo(event: nil))
        #expect(try bench.drain(try bench.attach()) == [id])
    }

    @Test(
        "A6 B12 what came to its end while its task lay in the trash holds it no longer",
        arguments: Case.all([true, false]))
    func releasedInTrash(_ test: Case<Bool>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let runner = try bench.attach()
        try bench.settle(try bench.claimOne(runner), .abandoned(.stopped))
        try bench.perform(.delete([TaskTarget(id)], cancelsRunning: false, members: nil))
        let isReleased = test.value
        try bench.act { mutation in
            if isReleased {
                try mutation.release(id, attempt: 1)
            } else {
                try mutation.detach(runner)
            }
        }
        try bench.perform(.undelete([TaskTarget(id)]))
        #expect(try bench.drain(try bench.attach()) == [id])
    }

    @Test(
        "A2 B12 a child that outlived its worker blocks its task, deleted and brought back too",
        arguments: Engine.all)
    func orphans(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 2 }
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        try bench.claim(runner, slots: 2)
        try bench.perform(.delete([TaskTarget(ids[1])], cancelsRunning: true, members: nil))
        try bench.act { try $0.reap(runner, remains: { _, _ in .orphan(pid: 7) }) }
        bench.pass(1000)
        let next = try bench.attach()
        try bench.perform(.undelete([TaskTarget(ids[1])]))
        for id in ids { #expect(try bench.blockers(id).contains(.orphan)) }
        #expect(try bench.claim(next, slots: 2) == [])
        try bench.perform(.reclaim(ids.map { TaskTarget($0) }))
        #expect(try bench.claim(next, slots: 2).count == 2)
    }

    @Test(
        "A3 Q2 what goes on of an execution keeps its slot in the queue until it ends",
        arguments: Engine.all)
    func orphanedSlot(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        try bench.claim(runner)
        try bench.act { try $0.reap(runner, remains: { _, _ in .orphan(pid: 7) }) }
        bench.pass(1000)
        let next = try bench.attach()
        #expect(try bench.claim(next) == [])
        #expect(try bench.blockers(ids[1]).contains(.noSlot))
        #expect(try !bench.blockers(ids[0]).contains(.noSlot))
        try bench.perform(.reclaim([TaskTarget(ids[0])]))
        #expect(try bench.claim(next).map(\.task.id) == [ids[0]])
    }

    @Test(
        "A3 a task waits for what its own command left behind with its lock, a success does not",
        arguments: Engine.all)
    func leftBehind(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 3 }
        let ids = try bench.enqueue(2)
        let runner = try bench.attach()
        let claimed = try bench.claim(runner, slots: 2)
        let outcomes: [HandlerOutcome] = [
            .retry(afterMilliseconds: 0, error: nil), .success(result: nil),
        ]
        let completions = zip(claimed, outcomes).map { claimed, outcome in
            Completion(
                task: claimed.task.id, token: claimed.task.running?.token ?? 0,
                ending: .handler(outcome))
        }
        try bench.act { _ = try $0.settle(completions) { _, _ in .orphan(pid: nil) } }
        #expect(try bench.blockers(ids[0]).contains(.orphan))
        #expect(try bench.claim(runner) == [])
        try bench.perform(.reclaim([TaskTarget(ids[0])]))
        #expect(try bench.claim(runner).map(\.task.id) == [ids[0]])
    }

    @Test(
        "A2 the journal tells of each worker that died, also of one that ran nothing",
        arguments: Engine.all)
    func deaths(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.makeQueue("wide") { $0.concurrency = 9 }
        let ids = try bench.enqueue(1)
        let (idle, busy) = (try bench.attach(), try bench.attach())
        #expect(try bench.claim(busy).map(\.task.id) == ids)
        try bench.enqueue(2, to: "wide")
        let wide = try bench.attach()
        #expect(try bench.claim(wide, slots: 2).count == 2)
        // A step ends with its process. Only a running task shows that the process died.
        let steps = [try bench.attach(onlyPermits: true), try bench.attach(onlyPermits: true)]
        let stepped = try bench.enqueue(1, to: "wide")
        try bench.act { mutation in
            let runner = try mutation.store.processes().first { $0.id == steps[1] }
            let task = try mutation.store.requireTask(stepped[0])
            _ = try mutation.start(task, runner: #require(runner), isStep: true)
        }
        for runner in [idle, busy, wide] + steps { try bench.act { try $0.reap(runner) } }
        let died = try bench.events().filter { $0.kind == "died" }
        let told =
            [(idle, "ran nothing"), (busy, "had 1 task in hand")]
            + [(wide, "had 2 tasks in hand"), (steps[1], "had 1 task in hand")]
        #expect(died.map(\.text) == told.map { "worker \($0) (pid 1 on h) died; it \($1)" })
        #expect(died.allSatisfy { $0.queue == nil && $0.task == nil })
        #expect(try bench.read { try $0.attempts(of: ids[0]).last?.outcome } == .lost)
    }

    @Test(
        "A2 D7 reclaim of what was freed of a dead owner already says so, and is no refusal",
        arguments: Engine.all)
    func freedAlready(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 4 }
        let ids = try bench.enqueue(5)
        let runner = try bench.attach()
        let claimed = try bench.claim(runner, slots: 4)
        // #1 is lost, #2 abandoned by the dead runner, #3 lost with a surviving command.
        try bench.act { mutation in
            let kinds: [(Int, Ending)] = [(1, .abandoned(.timedOut)), (3, .handler(.fail))]
            for (place, ending) in kinds {
                _ = try mutation.settle([claimed[place].completion(ending)])
            }
            try mutation.reap(runner) { task, _ in task.id == ids[2] ? .orphan(pid: 7) : .gone }
        }
        let way = "waits again: its worker was dead"
        let answer = try bench.perform(.reclaim(ids.map { TaskTarget($0) }))
        #expect(answer.changed == Array(ids[0...2]) && answer.failed.map(\.id) == Array(ids[3...]))
        #expect(answer.failed.allSatisfy { $0.error.code == .notLegal })
        #expect(answer.consequences == ids[0...1].map { "#\($0) \(way)" })
        #expect(answer.summary == "#\(ids[2]) reclaimed by ann")
        let events = try bench.read { try $0.journal(JournalQuery(limit: 100)).count }
        let alone = try bench.perform(.reclaim([TaskTarget(ids[0])]))
        #expect(alone.changed == [ids[0]] && alone.undo == nil)
        #expect(alone.consequences == ["#\(ids[0]) \(way)"])
        #expect(alone.summary == "nothing is left to be reclaimed")
        // No change, so no journal entry.
        #expect(try bench.read { try $0.journal(JournalQuery(limit: 100)).count } == events)
    }
}
