public import SluiceModel
import SluicePlatform

/// A handler made of Swift code: `async throws`, cancelled by task cancellation (A6). It runs at
/// the priority `utility`, so that one that blocks does not hold up the program's other tasks.
package struct AsyncHandler: TaskHandler {
    /// The limit of one execution; nil takes the queue's.
    package var timeoutMilliseconds: Int64?
    /// Whether a task whose attempts are used up begins again (A5).
    package var restart: @Sendable (Execution) -> Bool = { _ in false }
    /// Told after the last execution, before it is settled (A5).
    package var deleted: @Sendable (Execution, HandlerOutcome) -> Void = { _, _ in }
    /// Whether each execution has a thread of its own, so that one that blocks holds up no other.
    package var hasOwnThread = false
    private let body: @Sendable (Execution, any ExecutionReport) async throws -> HandlerOutcome

    /// A handler from a body; what it throws is a retry, unless it is a `HandlerError` (A4).
    package init(
        timeoutMilliseconds: Int64? = nil,
        _ body:
            @escaping @Sendable (Execution, any ExecutionReport) async throws
            -> HandlerOutcome
    ) {
        self.timeoutMilliseconds = timeoutMilliseconds
        self.body = body
    }

    /// Begins the body as a Swift task and returns at once.
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

    /// What `restart` answers.
    package func shouldRestart(_ execution: Execution) -> Bool { restart(execution) }

    /// Tells `deleted`.
    package func beforeDelete(_ execution: Execution, outcome: HandlerOutcome) {
        deleted(execution, outcome)
    }
}

/// What a handler throws to choose its outcome (A3).
public struct HandlerError: Error, Hashable, Sendable {
    /// The outcome.
    public var outcome: HandlerOutcome

    /// Ends the execution with an outcome.
    public init(_ outcome: HandlerOutcome) { self.outcome = outcome }
}

/// A handler's Swift task.
private struct RunningSwiftTask: RunningExecution {
    let task: Task<Void, Never>

    func stop() { task.cancel() }
    func kill() {}
}
