import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("runs")
struct RunTests {
    private static let starts: [StartMode] = [
        .continuous, .manual, .batched(count: 9, delayMilliseconds: 60_000),
    ]

    /// A paused queue with tasks, and one runner.
    private func open(
        _ engine: Engine, _ start: StartMode, isPaused: Bool = true, count: Int = 4
    ) throws -> (Bench, ProcessID, [TaskID]) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.start = start
            $0.retry = .fixed(milliseconds: 0)
        }
        if isPaused { try bench.perform(.pause(PauseRequest(.queue("q")))) }
        return (bench, try bench.attach(), try bench.enqueue(count))
    }

    @Test(
        "KKT-20 a step that never says that it is done is shown as stuck, and a time-out ends it",
        arguments: Engine.all)
    func neverDone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makePreset("startup")
        try bench.perform(.setQueue("q", [.timeout(600_000)]))
        let runner = try bench.attach()
        let ids = try bench.enqueue(2)
        try bench.perform(.run(queue: "q", limit: nil))
        let claimed = try bench.claimOne(runner)
        #expect(claimed.timeoutMilliseconds == 600_000)
        #expect(try bench.display(ids[0]) == .running)
        bench.pass(300_001)
        #expect(try bench.display(ids[0]) == .stuck)
        let now = bench.now
        #expect(try bench.read { try Reading($0, now: now).queues()[0].isStuck })
        #expect(try bench.blockers(ids[1]) == [.noSlot])
        try bench.settle(claimed, .stopped(.timedOut))
        #expect(try bench.drain(runner) == [ids[1]])
    }

    @Test("D4 a run works on a paused queue, each task at most once", arguments: Case.all(starts))
    func onPaused(_ test: Case<StartMode>) throws {
        let (bench, runner, ids) = try open(test.engine, test.value)
        #expect(try bench.drain(runner) == [])
        #expect(try bench.blockers(ids[0]).first == .queuePaused)
        try bench.perform(.run(queue: "q", limit: nil))
        #expect(try bench.blockers(ids[0]) == [])
        #expect(try bench.drain(runner) { $0 == ids[1] ? .fail : .done } == ids)
        #expect(try bench.record().run == nil)
        #expect(try bench.drain(runner) == [])
        #expect(try bench.waiting() == [ids[1]])
    }

    @Test(
        "D4 KKT-03 nothing to run is not an error, and opens nothing", arguments: Case.all(starts))
    func nothing(_ test: Case<StartMode>) throws {
        let (bench, _, _) = try open(test.engine, test.value, count: 0)
        let before = try bench.record()
        let answer = try bench.perform(.run(queue: "q", limit: nil))
        #expect(answer.summary.contains("nothing"))
        #expect(try bench.record() == before)
    }

    @Test(
        "D4 a task that pauses its queue, or a person, stops the run; run takes it up again",
        arguments: Case.all(starts))
    func stops(_ test: Case<StartMode>) throws {
        let (bench, runner, ids) = try open(test.engine, test.value)
        try bench.perform(.run(queue: "q", limit: nil))
        let ran = try bench.drain(runner) { id in
            id == ids[1] ? .pauseQueue(milliseconds: 1, isCounted: false, error: nil) : .done
        }
        #expect(ran == [ids[0], ids[1]])
        #expect(try bench.record().run != nil)
        try bench.perform(.run(queue: "q", limit: .count(1)))
        #expect(try bench.drain(runner) == [ids[2]])
        try bench.perform(.run(queue: "q", limit: nil))
        for scope in [VerbScope.queue("q"), .store] {
            try bench.perform(.pause(PauseRequest(scope)))
            #expect(try bench.drain(runner) == [])
            try bench.perform(.resume(.store))
        }
        #expect(try bench.waiting() == [ids[1], ids[3]])
    }

    @Test("D4 until a task, a count, or a time", arguments: Case.all(starts))
    func until(_ test: Case<StartMode>) throws {
        let (bench, runner, ids) = try open(test.engine, test.value, count: 8)
        try bench.perform(.run(queue: "q", limit: .count(2)))
        #expect(try bench.drain(runner) == Array(ids[0..<2]))
        try bench.perform(.run(queue: "q", limit: .task(ids[4])))
        #expect(try bench.drain(runner) { _ in .fail } == Array(ids[2..<5]))
        try bench.perform(.run(queue: "q", limit: .time(bench.now + 10)))
        #expect(try bench.drain(runner, limit: 1) == [ids[2]])
        bench.pass(10)
        #expect(try bench.drain(runner) == [])
        #expect(try bench.record().run == nil)
        #expect(try bench.refusal(.run(queue: "q", limit: .task(ids[0]))) == .unknownTask)
        #expect(try bench.refusal(.run(queue: "q", limit: .count(0))) == .badValue)
        #expect(try bench.refusal(.run(queue: "none", limit: nil)) == .unknownQueue)
    }

    @Test("D4 the end of a run that was named is kept when its task goes", arguments: Engine.all)
    func namedTaskGoes(_ engine: Engine) throws {
        let (bench, runner, ids) = try open(engine, .manual)
        try bench.perform(.run(queue: "q", limit: .task(ids[1])))
        try bench.perform(.delete([TaskTarget(ids[1])], cancelsRunning: false, members: nil))
        #expect(try bench.drain(runner) == [])
        #expect(try bench.record().run == nil)
    }

    @Test(
        "KKT-02 KKT-07 a manual queue starts nothing by itself, nor after resume",
        arguments: Engine.all)
    func manual(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makePreset("startup")
        let runner = try bench.attach()
        let ids = try bench.enqueue(
            [5, 0, 3, 1, 4, 2].map { rank in
                request {
                    $0.priority = -rank
                    $0.isRequired = rank == 3
                }
            })
        let ranked = [1, 3, 5, 2, 4, 0].map { ids[$0] }
        #expect(try bench.drain(runner) == [])
        try bench.perform(.run(queue: "q", limit: nil))
        #expect(try bench.drain(runner) { $0 == ids[2] ? .fail : .done } == Array(ranked[0..<4]))
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.drain(runner) == [])
        try bench.perform(.run(queue: "q", limit: nil))
        #expect(try bench.drain(runner) == Array(ranked[4...]))
    }

    @Test("Q4 a run with concurrency ends when the last of it has ended", arguments: Engine.all)
    func concurrent(_ engine: Engine) throws {
        let (bench, runner, ids) = try open(engine, .manual)
        try bench.perform(.setQueue("q", [.concurrency(3)]))
        try bench.perform(.run(queue: "q", limit: .count(2)))
        let claimed = try bench.claim(runner, slots: 8)
        #expect(claimed.map(\.task.id) == Array(ids.prefix(2)))
        try bench.settle(claimed[1])
        #expect(try bench.record().run != nil)
        try bench.settle(claimed[0])
        #expect(try bench.record().run == nil)
    }
}
