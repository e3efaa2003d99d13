import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// A handler that ends immediately with the scripted outcome; `calls` records its runs.
struct InstantHandler: TaskHandler {
    struct Done: RunningExecution {
        func stop() {}
        func kill() {}
    }
    let outcome: @Sendable (Execution) -> HandlerOutcome

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        report.finish(outcome(execution))
        return Done()
    }
}

/// A paused queue with a runner on another thread, and a stepping process.
final class Stepper {
    let bench: Bench
    let runner: Runner
    let issuer: Attachment
    let calls = CallLog()

    init(
        _ engine: Engine, types: [String]? = nil, onlyPermits: Bool = false,
        outcome: @escaping @Sendable (Execution) -> HandlerOutcome = { _ in .done },
        _ change: @escaping @Sendable (inout QueueSettings) -> Void
    ) throws {
        bench = try Bench(engine)
        try bench.makeQueue {
            $0.retry = .fixed(milliseconds: 0)
            change(&$0)
        }
        let calls = calls
        var options = RunnerOptions()
        options.takesOnlyPermits = onlyPermits
        let handler = InstantHandler { execution in
            calls.add(execution.task.id)
            return outcome(execution)
        }
        runner = try Runner(
            store: bench.store, types: types, handlers: { _ in handler }, options: options,
            now: { [bench] in bench.now })
        try runner.start()
        issuer = try Attachment(to: bench.store, role: .command, now: bench.now)
    }

    func step(_ count: Int = 1, in queue: String = "q") throws -> StepAnswer {
        try bench.control().stepBlocking(.queue(queue, count: count), issuer: issuer)
    }

    /// A step by another process, when the runner has gone.
    func stepAlone() throws -> StepAnswer {
        let other = try Attachment(to: bench.store, role: .command, now: bench.now)
        return try bench.control().stepBlocking(.queue("q", count: 1), issuer: other)
    }

    func step(task: TaskID) throws -> StepAnswer {
        try bench.control().stepBlocking(.task(TaskTarget(task)), issuer: issuer)
    }

    func pause() throws { try bench.perform(.pause(PauseRequest(.queue("q")))) }

    func end() throws {
        runner.stop(isUrgent: true)
        runner.wait()
        try issuer.detach(now: bench.now)
    }
}

/// The executed tasks in order, from several threads.
final class CallLog: Sendable {
    private let ids = Protected<[TaskID]>([])

    func add(_ id: TaskID) { ids.withLock { $0.append(id) } }
    var all: [TaskID] { ids.withLock { $0 } }
}

/// An error code, for expectations.
struct Coded: Error, Equatable {
    let code: QueueError.Code

    init(_ code: QueueError.Code) { self.code = code }
}

func coded<Value>(_ body: () throws -> Value) throws {
    do { _ = try body() } catch let error as QueueError { throw Coded(error.code) }
}

/// The errors that handlers found, in order.
final class ErrorLog: Sendable {
    private let errors = Protected<[String?]>([])

    func add(_ error: String?) { errors.withLock { $0.append(error) } }
    var all: [String?] { errors.withLock { $0 } }
}
