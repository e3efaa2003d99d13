import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

/// A handler that records its calls, and ends as the test wants.
final class ToldHandler: TaskHandler {
    /// The body of an attempt. It reports, and returns the outcome, or `nil` for the outcome of its
    /// stop.
    typealias Body = @Sendable (Execution, any ExecutionReport) -> HandlerOutcome?

    private struct Hanging: RunningExecution {
        let report: any ExecutionReport

        func stop() { report.finish(.retry(afterMilliseconds: nil, error: "stopped")) }
        func kill() {}
    }

    let timeoutMilliseconds: Int64?
    let restarts: Bool
    private let body: Body
    private let told = Protected<[String]>([])

    init(timeout: Int64? = nil, restarts: Bool = false, _ body: @escaping Body) {
        timeoutMilliseconds = timeout
        self.restarts = restarts
        self.body = body
    }

    /// The recorded calls, in order.
    var log: [String] { told.withLock { $0 } }

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        add("start \(execution.number)")
        if let outcome = body(execution, report) { report.finish(outcome) }
        return Hanging(report: report)
    }

    func shouldRestart(_ execution: Execution) -> Bool {
        add("restart?")
        return restarts && execution.number < 3
    }

    func beforeDelete(_ execution: Execution, outcome: HandlerOutcome) {
        if case .success = outcome { add("deleted after success") } else { add("deleted") }
    }

    private func add(_ line: String) { told.withLock { $0.append(line) } }
}

/// A one-time event on another thread.
final class EndGate: @unchecked Sendable {
    private let lock = Lock()
    private let changed: Condition
    private var hasCome = false

    init() { changed = Condition(lock) }

    func open() {
        lock.withLock {
            hasCome = true
            changed.broadcast()
        }
    }

    /// Whether the event happens within this time.
    func isOpen(within milliseconds: Int) -> Bool {
        lock.withLock {
            while !hasCome, changed.wait(timeoutMilliseconds: milliseconds) {}
            return hasCome
        }
    }
}

extension Bench {
    /// Runs all startable tasks to their end on a real runner's thread. Throws the remaining tasks
    /// after five minutes.
    @discardableResult
    func runToTheEnd(
        _ handlers: @escaping @Sendable (String) -> (any TaskHandler)?,
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = { _ in }
    ) throws -> [RunnerEvent] {
        var options = RunnerOptions()
        options.endsWhenEmpty = true
        let events = Protected<[RunnerEvent]>([])
        let runner = try Runner(
            store: store, types: nil, handlers: handlers, options: options,
            now: { self.now },
            onEvent: { event in
                events.withLock { $0.append(event) }
                onEvent(event)
            })
        let end = EndGate()
        runner.whenEnded { end.open() }
        try runner.start()
        if !end.isOpen(within: 300_000) {
            runner.stop(isUrgent: true)
            runner.wait()
            let left = try waiting().map { id in "#\(id) \(try blockers(id).map(\.rawValue))" }
            throw QueueError(.storeBusy, "the worker did not come to its end: \(left)")
        }
        runner.wait()
        return events.withLock { $0 }
    }
}
