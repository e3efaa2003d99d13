import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

/// Ends its executions when the test says so, on the runner's thread.
private final class HeldHandler: TaskHandler, Sendable {
    private let reports = Protected<[TaskID: any ExecutionReport]>([:])

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        reports.withLock { $0[execution.task.id] = report }
        switch execution.task.id {
        case 4: end([1, 2])
        case 6: end([5, 6])
        default: break
        }
        return InstantHandler.Done()
    }

    func end(_ tasks: [TaskID]) {
        for task in tasks { reports.withLock { $0[task] }?.finish(.done) }
    }
}

@Suite("ends that one commit settles")
struct GatheredEndsTests {
    /// The clock counts the commits.
    @Test(
        "A1 what a commit claimed begins before what ended meanwhile is settled with it",
        arguments: Engine.all)
    func together(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.concurrency = 4 }
        let ids = try bench.enqueue(6)
        #expect(ids == [1, 2, 3, 4, 5, 6])
        let (handler, moments) = (HeldHandler(), Protected(bench.now.milliseconds))
        var options = RunnerOptions()
        (options.slots, options.endsWhenEmpty) = (4, true)
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, options: options,
            now: {
                Timestamp(
                    milliseconds: moments.withLock { moment in
                        moment += 1
                        return moment
                    })
            },
            onEvent: { event in
                if case .settled(let settled) = event, settled.id == 2 { handler.end([3, 4]) }
            })
        try runner.start()
        runner.wait()
        let ends = try ids.map { id in
            try bench.read { try $0.attempts(of: id) }.first?.endedAt
        }
        #expect(!ends.contains(nil))
        #expect(ends[0] == ends[1])
        #expect(Set(ends[2...]).count == 1 && ends[2] != ends[0], "\(ends)")
    }
}
