import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

/// The behaviour that iDelayedJob's users need, with the preset `delayed-job`.
@Suite("scenarios of delayed jobs")
struct DelayedJobTests {
    private func open(
        _ engine: Engine, _ changes: [SettingChange] = []
    ) throws -> (Bench, ProcessID) {
        let bench = try Bench(engine)
        try bench.perform(.setQueue("q", [.preset("delayed-job")] + changes))
        return (bench, try bench.attach())
    }

    /// The times of further attempts of a task that always fails, from the first attempt on.
    private func executions(
        _ bench: Bench, _ runner: ProcessID, _ id: TaskID, restarting: Int = 0
    ) throws -> [Int64] {
        var times: [Int64] = []
        while let claimed = try bench.claim(runner).first {
            times.append((bench.now - at(0)) / 1000)
            let restarts = times.count <= restarting
            try bench.settle(claimed, .handler(.fail, restarts: restarts))
            guard let timer = try bench.task(id).waiting?.timer else { break }
            bench.pass(timer.until - bench.now)
        }
        return times
    }

    @Test(
        "IDJ-05 IDJ-12 IDJ-25 n attempts are n executions, then the task is kept until purged",
        arguments: Case.all([1, 3]))
    func exhausted(_ test: Case<Int>) throws {
        let (bench, runner) = try open(test.engine, [.attempts(test.value)])
        let id = try bench.enqueue(1)[0]
        let times = try executions(bench, runner, id)
        #expect(times == Array([0, 20, 44].prefix(test.value)))
        let task = try bench.task(id)
        #expect(task.state.name == .failed && task.lastError == "no")
        #expect(task.attempts == test.value)
        try bench.perform(.purge([TaskTarget(id)], members: nil))
        #expect(try bench.states([id]) == [nil])
    }

    @Test("IDJ-05 a queue may forget what was given up after a time", arguments: Engine.all)
    func retention(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, [.attempts(1), .retention(60_000)])
        let id = try bench.enqueue(1)[0]
        try bench.drain(runner) { _ in .fail }
        bench.pass(59_000)
        try bench.act { try $0.housekeep() }
        #expect(try bench.states([id]) == [.failed])
        bench.pass(2_000)
        try bench.act { try $0.housekeep() }
        #expect(try bench.states([id]) == [nil])
    }

    @Test(
        "IDJ-06 IDJ-13 one whose handler asks for a restart begins again at 0, by itself",
        arguments: Engine.all)
    func restart(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, [.attempts(2), .retry(.fixed(milliseconds: 0))])
        try bench.act { try $0.detach(runner) }
        let id = try bench.enqueue(1)[0]
        let attempts = Protected<[Int]>([])
        let handler = ToldHandler(restarts: true) { execution, _ in
            attempts.withLock { $0.append(execution.task.attempts) }
            return .fail
        }
        try bench.runToTheEnd { _ in handler }
        #expect(attempts.withLock { $0 } == [0, 1, 0, 1])
        let log = ["start 1", "start 2", "restart?", "start 3", "start 4", "restart?", "deleted"]
        #expect(handler.log == log)
        #expect(try bench.states([id]) == [.failed])
    }

    @Test("IDJ-13 what begins again waits as it did in the beginning", arguments: Engine.all)
    func restartWaits(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, [.attempts(2)])
        let id = try bench.enqueue(1)[0]
        let times = try executions(bench, runner, id, restarting: 2)
        #expect(times == [0, 20, 44, 64])
        #expect(try bench.states([id]) == [.failed])
        #expect(try bench.task(id).attempts == 2)
    }

    @Test("IDJ-07 a handler is any type, or a closure", arguments: Engine.all)
    func handlers(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        try bench.act { try $0.detach(runner) }
        try bench.enqueue([request("object"), request("closure")])
        let object = ToldHandler { _, _ in .done }
        let calls = CallLog()
        let closure = AsyncHandler { execution, _ in
            calls.add(execution.task.id)
            return .done
        }
        try bench.runToTheEnd { type -> (any TaskHandler)? in type == "object" ? object : closure }
        #expect(object.log == ["start 1", "deleted after success"])
        #expect(calls.all == [2])
        #expect(try bench.waiting() == [])
    }

    @Test(
        "IDJ-11 a handler's own time holds, and without one the queue's rule", arguments: Engine.all
    )
    func ownSchedule(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue(2)
        try bench.drain(runner) { id in
            .retry(afterMilliseconds: id == ids[0] ? 3_600_000 : nil, error: nil)
        }
        let waits = try ids.map { try bench.task($0).waiting?.timer?.until }
        #expect(waits == [at(3_600_000), at(20_000)])
    }

    @Test(
        "IDJ-14 without a network what needs it waits, uncounted, and others overtake it",
        arguments: Engine.all)
    func network(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let ids = try bench.enqueue([
            request { ($0.priority, $0.requires) = (10, [.network]) },
            request { $0.priority = 1 },
        ])
        try bench.perform(.network(forced: false))
        #expect(try bench.drain(runner) == [ids[1]])
        #expect(try bench.blockers(ids[0]) == [.requirement])
        #expect(try bench.task(ids[0]).executions == 0)
        try bench.perform(.network(forced: true))
        #expect(try bench.drain(runner) == [ids[0]])
    }

    @Test(
        "IDJ-26 a task whose network goes while it runs waits, uncounted, and runs again",
        arguments: Engine.all)
    func networkLost(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        let id = try bench.enqueue([request { $0.requires = [.network] }])[0]
        try bench.settle(try bench.claimOne(runner), .offline(error: "no route"))
        let task = try bench.task(id)
        #expect(task.attempts == 0 && task.executions == 1 && task.waiting != nil)
        #expect(try bench.drain(runner) == [])
        bench.pass(30_000)
        #expect(try bench.drain(runner) == [id])
    }

    @Test(
        "IDJ-15 a paused queue starts nothing by itself, all by hand, and again when resumed",
        arguments: Engine.all)
    func paused(_ engine: Engine) throws {
        let (bench, runner) = try open(engine)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        let ids = try bench.enqueue(3)
        #expect(try bench.drain(runner) == [])
        try bench.perform(.run(queue: "q", limit: nil))
        #expect(try bench.drain(runner) == ids)
        let later = try bench.enqueue(1)
        #expect(try bench.drain(runner) == [])
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.drain(runner) == later)
    }

    @Test(
        "IDJ-04 IDJ-16 a queue has one name and one place, however often it is set and served",
        arguments: Engine.all)
    func oneName(_ engine: Engine) throws {
        let (bench, first) = try open(engine)
        let ids = try bench.enqueue(4)
        let answer = try bench.perform(.setQueue("q", [.concurrency(2)]))
        #expect(answer.createdQueue == nil)
        #expect(try bench.read { try $0.queues().map(\.name) } == ["q"])
        #expect(try bench.waiting() == ids)
        // Two runners share it, and no task is in both hands.
        let second = try bench.attach()
        let hands = try [bench.claimOne(first), bench.claimOne(second)]
        #expect(hands.map(\.task.id) == Array(ids[..<2]))
        #expect(try bench.claim(first) == [] && bench.claim(second) == [])
        for claimed in hands { try bench.settle(claimed) }
        // Runners replace each other, and the work continues.
        for runner in [first, second] { try bench.act { try $0.detach(runner) } }
        #expect(try bench.drain(try bench.attach()) == Array(ids[2...]))
    }

    @Test(
        "IDJ-17 a step is exactly one task; a run is all that are due, and says how many",
        arguments: Engine.all)
    func stepAndRun(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { $0 = QueueSettings.preset(named: "delayed-job") ?? $0 }
        try stepper.pause()
        let bench = stepper.bench
        let ids = try bench.enqueue(4)
        let step = try stepper.step()
        #expect(step.stepped.map(\.id) == [ids[0]])
        #expect(stepper.calls.all == [ids[0]])
        let later = try bench.enqueue([request { $0.notBefore = at(60_000) }])
        let run = try bench.control().openRunBlocking("q")
        let rest = try bench.control().endBlocking(of: run)
        #expect(rest.stepped.map(\.id) == Array(ids[1...]))
        #expect(rest.run == RunReport(isOpen: false, attempted: 3, left: 1))
        #expect(stepper.calls.all == ids)
        #expect(try bench.waiting() == later)
        try stepper.end()
    }

    @Test(
        "IDJ-23 the error of a failure is kept, and the next attempt can read it",
        arguments: Engine.all)
    func lastError(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, [.retry(.fixed(milliseconds: 0)), .attempts(3)])
        try bench.act { try $0.detach(runner) }
        let id = try bench.enqueue(1)[0]
        let seen = ErrorLog()
        let handler = ToldHandler { execution, _ in
            seen.add(execution.task.lastError)
            return .retry(afterMilliseconds: nil, error: "failure \(execution.number)")
        }
        try bench.runToTheEnd { _ in handler }
        #expect(seen.all == [nil, "failure 1", "failure 2"])
        #expect(try bench.task(id).lastError == "failure 3")
        let log = try bench.read { try $0.attempts(of: id) }
        #expect(log.map(\.error) == ["failure 1", "failure 2", "failure 3"])
    }

    @Test(
        "IDJ-25 waits below a second are what they say: nothing polls", arguments: Engine.all)
    func shortWaits(_ engine: Engine) throws {
        let (bench, runner) = try open(engine, [.retry(.fixed(milliseconds: 500))])
        let id = try bench.enqueue(1)[0]
        try bench.drain(runner) { _ in .fail }
        bench.pass(499)
        #expect(try bench.drain(runner) == [])
        bench.pass(1)
        #expect(try bench.drain(runner) == [id])
    }

    @Test(
        "IDJ-29 an execution answers for itself whether its task begins again",
        arguments: Engine.all
    )
    func ownRestart(_ engine: Engine) throws {
        let (bench, runner) = try open(
            engine, [.retry(.fixed(milliseconds: 0)), .attempts(1)])
        try bench.act { try $0.detach(runner) }
        let id = try bench.enqueue(1)[0]
        let handler = AsyncHandler { execution, report in
            report.restart(execution.number < 3)
            return .fail
        }
        try bench.runToTheEnd { _ in handler }
        let task = try bench.task(id)
        #expect(task.state.name == .failed && task.executions == 3 && task.attempts == 1)
    }
}
