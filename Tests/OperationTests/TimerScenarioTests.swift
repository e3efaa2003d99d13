import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// The timer behaviour of Customer.io's SDK: set, fire, cancel. Here the waiting tasks determine
/// when a run begins, so no timer exists.
@Suite("the moment of a batched run")
struct TimerScenarioTests {
    /// A queue that runs at some fresh tasks or a time after the first, and one runner.
    private func open(
        _ engine: Engine, count: Int = 3, delay: Int64 = 100
    ) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.start = .batched(count: count, delayMilliseconds: delay)
            $0.attemptLimit = nil
            $0.retry = .fixed(milliseconds: 0)
        }
        return (bench, try bench.attach())
    }

    private func delete(_ ids: [TaskID], _ bench: Bench) throws {
        try bench.perform(Bench.delete(ids.map { TaskTarget($0) }))
    }

    @Test(
        "CIO-62 CIO-63 the first of a batch says when it runs, later ones do not; then anew",
        arguments: Engine.all)
    func firstCounts(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        for _ in 0..<2 {
            try bench.enqueue(1)
            bench.pass(99)
            try bench.enqueue(1)
            #expect(try bench.drain(runner) == [])
            bench.pass(1)
            #expect(try bench.drain(runner).count == 2)
            bench.pass(100)
            #expect(try bench.drain(runner) == [])
        }
    }

    @Test(
        "CIO-64 after a run at the threshold the moment that it came before starts nothing more",
        arguments: Engine.all)
    func replaced(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        try bench.enqueue(1)
        bench.pass(50)
        try bench.enqueue(2)
        #expect(try bench.drain(runner).count == 3)
        bench.pass(20)
        try bench.enqueue(1)
        bench.pass(30)
        // 100 ms after the very first.
        #expect(try bench.drain(runner) == [])
        bench.pass(70)
        #expect(try bench.drain(runner).count == 1)
    }

    @Test(
        "CIO-65 a run of a queue in which nothing waits is no error, and stays open for nothing",
        arguments: Engine.all)
    func nothing(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        #expect(try bench.refusal(.run(queue: "q", limit: nil)) == nil)
        #expect(try bench.drain(runner) == [])
        #expect(try bench.record().run == nil)
    }

    @Test(
        "CIO-66 CIO-67 what is taken away before its moment starts nothing; the next counts anew",
        arguments: Engine.all)
    func takenBack(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        try delete(bench.enqueue(1), bench)
        bench.pass(50)
        let next = try bench.enqueue(1)
        bench.pass(50)
        #expect(try bench.drain(runner) == [])
        #expect(try bench.record().run == nil)
        bench.pass(50)
        #expect(try bench.drain(runner) == next)
        try delete(bench.enqueue(1), bench)
        bench.pass(1000)
        #expect(try bench.drain(runner) == [])
    }

    @Test(
        "Q4 the notification profile (1, 0 s) runs each task at once, and left-overs ever later",
        arguments: Engine.all)
    func notification(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, count: 1, delay: 0)
        let first = try bench.enqueue(1)
        #expect(try bench.drain(runner) == first)
        #expect(try bench.record().run == nil)
        let failing = try bench.enqueue(1)
        var waits: [Int64] = []
        for _ in 0..<6 {
            #expect(try bench.drain(runner) { _ in .fail } == failing)
            let now = bench.now
            let next = try bench.read { try $0.ownRunBegin(of: $0.requireQueue("q"), now: now) }
            waits.append(try #require(next) - now)
            bench.pass(waits.last ?? 0)
        }
        #expect(waits == [2, 4, 8, 16, 32, 64])
        // One that comes is not held up by them, and takes them along; its success begins anew.
        #expect(try bench.drain(runner) { _ in .fail } == failing)
        let other = try bench.enqueue(1)
        let ran = try bench.drain(runner) { $0 == failing[0] ? .fail : .done }
        #expect(ran == failing + other + failing)
    }

    @Test(
        "CIO-96 a task that never ends frees its slot when its time is over", arguments: Engine.all)
    func hanging(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makePreset("customer-io")
        let runner = try bench.attach()
        let ids = try bench.enqueue(10)
        let hanging = try bench.claimOne(runner)
        #expect(hanging.task.id == ids[0] && hanging.timeoutMilliseconds == 600_000)
        #expect(try bench.claim(runner, slots: 7, inFlight: 1) == [])
        bench.pass(600_000)
        try bench.settle(hanging, .abandoned(.timedOut))
        // It still runs somewhere. So the others run, and it does not.
        #expect(try bench.drain(runner) == Array(ids.dropFirst()))
        #expect(try bench.blockers(ids[0]).contains(.abandoned))
    }
}
