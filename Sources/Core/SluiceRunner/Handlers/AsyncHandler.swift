public import SluiceModel
import SluiceSystem

/// A handler made of Swift code: `async throws`, cancelled by task cancellation (A6). It runs at
/// the priority `utility`, so that one that blocks does not hold up the program's other tasks.
package struct AsyncHandler: TaskHandler {
    /// The limit of one execution; nil takes the queue's.
    package var timeoutMilliseconds: Int64?
    /// Whether a task without attempts left restarts (A5).
    package var restart: @Sendable (Execution) -> Bool = { _ in false }
    /// Called after the last attempt, before it is settled (A5).
    package var deleted: @Sendable (Execution, HandlerOutcome) -> Void = { _, _ in }
    /// Whether each attempt has its own thread, so that one that blocks does not delay others.
    package var hasOwnThread = false
    private let body: @Sendable (Execution, any ExecutionReport) async throws -> HandlerOutcome

    /// A handler from a body. An error that it throws means a retry, unless it is a `HandlerError`
    /// (A4).
    package init(
        timeoutMilliseconds: Int64? = nil,
        _ body:
            @escaping @Sendable (Execution, any ExecutionReport) async throws
            -> HandlerOutcome
    ) {
        self.timeoutMilliseconds = timeoutMilliseconds
        self.body = body
    }

    /// Starts the body as a Swift task and returns immediately.
    package func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        let body = body
        let work: @Sendable () async -> Void = {
            do {
                report.finish(try await body(execution, report))
            } catch let error as HandlerError {
                report.finish(error.outcome)
            } catch {
                report.finish(.retry(afterMilliseconds: nil, error: String(describing: error)))
            }
        }
        guard hasOwnThread else {
            return RunningSwiftTask(task: Task(priority: .utility) { await work() })
        }
        do {
            let thread = try OwnThread(name: "sluice-handler")
            let task = Task(executorPreference: thread, priority: .utility) {
                await work()
                withExtendedLifetime(thread) {}
            }
            return RunningSwiftTask(task: task)
        } catch {
            report.finish(
                .retry(afterMilliseconds: nil, error: "it has no thread: \(error)"))
            return RunningSwiftTask(task: Task {})
        }
    }

    package func shouldRestart(_ execution: Execution) -> Bool { restart(execution) }

    package func beforeDelete(_ execution: Execution, outcome: HandlerOutcome) {
        deleted(execution, outcome)
    }
}

/// An error with which a handler chooses its outcome (A3).
public struct HandlerError: Error, Hashable, Sendable {
    /// The outcome.
    public var outcome: HandlerOutcome

    /// Ends the execution with an outcome.
    public init(_ outcome: HandlerOutcome) { self.outcome = outcome }
}

private struct RunningSwiftTask: RunningExecution {
    let task: Task<Void, Never>

    func stop() { task.cancel() }
    func kill() {}
}
