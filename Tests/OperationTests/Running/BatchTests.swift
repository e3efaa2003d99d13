import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("batched runs")
struct BatchTests {
    /// A queue that runs at 3 fresh tasks or 100 ms after the first, and one runner.
    private func open(
        _ engine: Engine, _ change: @escaping @Sendable (inout QueueSettings) -> Void = { _ in }
    ) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.start = .batched(count: 3, delayMilliseconds: 100)
            $0.attemptLimit = nil
            $0.retry = .fixed(milliseconds: 0)
            change(&$0)
        }
        return (bench, try bench.attach())
    }

    @Test(
        "Q4 CIO-49 CIO-50 a run begins at the count, or a delay after the first fresh task",
        arguments: Engine.all)
    func threshold(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let first = try bench.enqueue(1)
        #expect(try bench.drain(runner) == [])
        #expect(try bench.blockers(first[0]) == [.noRun])
        bench.pass(60)
        let second = try bench.enqueue(1)
        #expect(try bench.drain(runner) == [])
        bench.pass(39)
        #expect(try bench.drain(runner) == [])
        bench.pass(1)
        #expect(try bench.drain(runner) == first + second)
        #expect(try bench.record().run == nil)
        // Long after the last run the delay counts from the first fresh task all the same.
        bench.pass(5000)
        try bench.enqueue(1)
        #expect(try bench.drain(runner) == [])
        let more = try bench.enqueue(2)
        #expect(try bench.drain(runner).count == 3)
        #expect(try bench.states(more) == [nil, nil])
    }

    @Test(
        "Q4 CIO-42 what arrives joins the run, each task is attempted once in it",
        arguments: Engine.all)
    func joins(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(3)
        var late: [TaskID] = []
        let ran = try bench.drain(runner) { id in
            if id == ids[1] { late = (try? bench.enqueue(1)) ?? [] }
            return id == ids[0] ? .fail : .done
        }
        #expect(late.count == 1 && ran == ids + late)
        #expect(try bench.waiting() == [ids[0]])
    }

    @Test(
        "CIO-86 a task that fails is attempted once in a run, and the order stays",
        arguments: Engine.all)
    func once(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(3)
        #expect(try bench.drain(runner) { $0 == ids[0] ? .fail : .done } == ids)
        bench.pass(100)
        #expect(try bench.drain(runner) == [ids[0]])
    }

    @Test(
        "CIO-55 CIO-87 members of a start that failed wait for the next run",
        arguments: Engine.all)
    func groups(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue([member(start: "g"), member("g"), request()])
        #expect(try bench.drain(runner) { $0 == ids[0] ? .fail : .done } == [ids[0], ids[2]])
        #expect(try bench.waiting() == [ids[0], ids[1]])
        bench.pass(100)
        #expect(try bench.drain(runner) == [ids[0], ids[1]])
    }

    @Test("Q10 `release` lets members of a start given up go at once", arguments: Engine.all)
    func released(_ engine: Engine) throws {
        let (bench, runner) = try open(engine) { $0.whenStartFails = .release }
        let ids = try bench.enqueue([member(start: "g"), member("g"), request()])
        #expect(
            try bench.drain(runner) { $0 == ids[0] ? .giveUp(error: "400") : .done } == ids)
    }

    @Test(
        "Q4 what waits when a queue becomes batched counts as fresh, whatever it went through",
        arguments: Case.all([true, false]))
    func backlog(_ test: Case<Bool>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue { $0.retry = .fixed(milliseconds: 0) }
        let id = try bench.enqueue(1)[0]
        let runner = try bench.attach()
        if test.value { try bench.settle(try bench.claimOne(runner), .fail) }
        try bench.perform(.setQueue("q", [.start(.batched), .batchDelay(100)]))
        bench.pass(100)
        #expect(try bench.drain(runner, limit: 1) == [id])
    }

    @Test(
        "CIO-94 left-overs wait the delay, doubled for each run without a success, to 30 min",
        arguments: Engine.all)
    func leftOvers(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let id = try bench.enqueue(3)[0]
        try bench.drain(runner) { $0 == id ? .fail : .done }
        var waits: [Int64] = []
        for _ in 0..<17 {
            let now = bench.now
            let next = try bench.read { try $0.ownRunBegin(of: try $0.requireQueue("q"), now: now) }
            let begin = try #require(next)
            waits.append(begin - bench.now)
            bench.pass(begin - bench.now - 1)
            #expect(try bench.drain(runner) == [])
            bench.pass(1)
            #expect(try bench.drain(runner) { _ in .fail } == [id])
        }
        #expect(waits.prefix(5) == [100, 200, 400, 800, 1600])
        #expect(waits.suffix(2) == [1_800_000, 1_800_000])
        bench.pass(1_800_000)
        let other = try bench.enqueue(3)[0]
        #expect(try bench.drain(runner, limit: 3) { $0 == id ? .fail : .done }.contains(other))
        #expect(try bench.drain(runner).count == 1)
    }

    @Test(
        "CIO-94 left-overs never count towards the threshold, nor begin before their retry",
        arguments: Engine.all)
    func leftOversDoNotCount(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(3)
        try bench.drain(runner) { _ in .fail }
        try bench.enqueue(1)
        #expect(try bench.drain(runner) == [])
        bench.pass(100)
        #expect(try bench.drain(runner).count == 4)
        let (slow, other) = try open(engine) { $0.retry = .fixed(milliseconds: 1000) }
        try slow.enqueue(3)
        try slow.drain(other) { _ in .fail }
        slow.pass(999)
        #expect(try slow.drain(other) == [])
        slow.pass(1)
        #expect(try slow.drain(other, limit: 3) == ids)
    }

    @Test(
        "Q4 CIO-95 what comes in the commit of a run's end is fresh for the next",
        arguments: Engine.all)
    func strandsNothing(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(3)
        var last: Claimed?
        for _ in 0..<3 {
            let claimed = try bench.claimOne(runner)
            if claimed.task.id == ids[2] { last = claimed } else { try bench.settle(claimed) }
        }
        let completion = try #require(last).completion(.handler(.done))
        try bench.act { mutation in
            _ = try mutation.settle([completion])
            _ = try mutation.enqueue([request(), request(), request()], to: "q")
        }
        #expect(try bench.record().run == nil)
        #expect(try bench.drain(runner).count == 3)
    }

    @Test(
        "Q4 a pause leaves the run open with its marks, and a verb never ends it",
        arguments: Engine.all)
    func pauses(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(3)
        #expect(try bench.drain(runner, limit: 1) { _ in .fail } == [ids[0]])
        let run = try #require(try bench.record().run)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        #expect(try bench.drain(runner) == [])
        try bench.perform(.skip([TaskTarget(ids[1])], forMilliseconds: nil))
        try bench.perform(.delete([TaskTarget(ids[2])], cancelsRunning: false, members: nil))
        #expect(try bench.record().run?.number == run.number)
        try bench.perform(.undelete([TaskTarget(ids[2])]))
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.record().run?.number == run.number)
        #expect(try bench.drain(runner) == [ids[2]])
        // A skip without a time returns when the run ends.
        #expect(try bench.task(ids[1]).waiting?.skip == nil)
        #expect(try bench.task(ids[0]).waiting?.attemptedInRun == false)
    }

    @Test("Q4 a run of a dead worker is carried on by another", arguments: Engine.all)
    func carriedOn(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(3)
        try bench.claim(runner)
        try bench.act { try $0.reap(runner) }
        let number = try #require(try bench.record().run?.number)
        let next = try bench.attach()
        #expect(try bench.drain(next) == [ids[1], ids[2]])
        let ended = try bench.events().filter { $0.kind == "runEnded" }
        #expect(ended.count == 1 && number > 0)
    }

    @Test(
        "P2 a clock that is set back by an hour holds no batch up by an hour",
        arguments: Engine.all)
    func clockBack(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        try bench.enqueue(3)
        try bench.drain(runner) { _ in .fail }
        bench.pass(-3_600_000)
        let ids = try bench.enqueue(3)
        #expect(try bench.drain(runner).suffix(3) == ids[...])
        try bench.enqueue(1)
        bench.pass(200)
        #expect(try bench.drain(runner).count == 1)
    }

    @Test("Q4 what only waits for a time of its own begins a run after it", arguments: Engine.all)
    func timers(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let id = try bench.enqueue([request { $0.notBefore = at(500) }])
        bench.pass(500)
        #expect(try bench.drain(runner) == [])
        bench.pass(99)
        #expect(try bench.drain(runner) == [])
        bench.pass(1)
        #expect(try bench.drain(runner) == id)
    }
}
