import SluiceModel
import SluiceStore
import SluiceSystem

/// Starts an attempt with an injected fault (G2). A crash fault kills the runner before this call,
/// or after the handler ends.
enum InjectedStart {
    static func start(
        _ injection: Injection?, _ handler: any TaskHandler, _ execution: Execution,
        report: Report
    ) -> any RunningExecution {
        let begin = { @Sendable in handler.start(execution, report: report) }
        switch injection?.kind {
        case nil, .crashBefore, .crashAfter:
            return begin()
        case .fail(_)?, .retryAfter(_)?, .giveUp(_)?, .offline?:
            let outcome = injection?.kind.outcome ?? .retry(afterMilliseconds: nil, error: nil)
            elsewhere { report.finish(outcome) }
            return EndedExecution()
        case .timeOut, .delay(_)?:
            return DelayedExecution(begin) {
                elsewhere { report.finish(.retry(afterMilliseconds: nil, error: nil)) }
            }
        case .twice:
            return RepeatedExecution(handler, execution, report)
        }
    }

    /// The end of an execution may ask its handler, which may block; so may a second start.
    static func elsewhere(_ body: @escaping @Sendable () -> Void) {
        do {
            _ = try Thread(name: "sluice-fault", body)
        } catch {
            body()
        }
    }
}

extension Fault.Kind {
    /// The outcome to report instead of the handler's, or `nil` to call the handler.
    fileprivate var outcome: HandlerOutcome? {
        switch self {
        case .fail: .retry(afterMilliseconds: nil, error: error)
        case .retryAfter(let milliseconds):
            .retry(afterMilliseconds: milliseconds, error: error)
        case .giveUp: .giveUp(error: error)
        case .offline: .offline(error: error)
        case .timeOut, .delay, .crashBefore, .crashAfter, .twice: nil
        }
    }
}

/// An attempt that has already reported its end.
private struct EndedExecution: RunningExecution {
    func stop() {}
    func kill() {}
}

/// An attempt that waits for the signal to start. It ends if stopped before that.
final class DelayedExecution: RunningExecution {
    private struct State: Sendable {
        var running: (any RunningExecution)?
        var hasBegun = false
        var isStopped = false
    }

    private let state = Protected(State())
    private let begin: @Sendable () -> any RunningExecution
    private let end: @Sendable () -> Void

    init(
        _ begin: @escaping @Sendable () -> any RunningExecution, end: @escaping @Sendable () -> Void
    ) {
        (self.begin, self.end) = (begin, end)
    }

    func proceed() {
        let mayBegin = state.withLock { state -> Bool in
            guard !state.isStopped, !state.hasBegun else { return false }
            state.hasBegun = true
            return true
        }
        guard mayBegin else { return }
        let running = begin()
        let isLate = state.withLock { state -> Bool in
            state.running = running
            return state.isStopped
        }
        if isLate { running.stop() }
    }

    func stop() {
        let (running, isOver) = state.withLock { state in
            defer { state.isStopped = true }
            return (state.running, !state.hasBegun && !state.isStopped)
        }
        running?.stop()
        if isOver { end() }
    }

    func kill() { state.withLock { $0.running }?.kill() }
}

/// An attempt whose handler runs twice with one idempotency key. The progress and follow-ups of the
/// first call are dropped; the second call counts.
final class RepeatedExecution: RunningExecution {
    private struct State: Sendable {
        var running: (any RunningExecution)?
        var call = 1
        var isStopped = false
    }

    private let state = Protected(State())

    init(_ handler: any TaskHandler, _ execution: Execution, _ report: Report) {
        let state = state
        let call = { @Sendable (number: Int, report: any ExecutionReport) in
            let running = handler.start(execution, report: report)
            let isLate = state.withLock { state -> Bool in
                // The first call may be over by now.
                if state.call == number { state.running = running }
                return state.isStopped
            }
            if isLate { running.stop() }
        }
        let first = FirstReport(report) { outcome in
            let isStopped = state.withLock { state -> Bool in
                (state.call, state.running) = (2, nil)
                return state.isStopped
            }
            guard !isStopped else { return report.finish(outcome) }
            report.log("the first of two calls \(outcome.isSuccess ? "succeeded" : "failed")")
            InjectedStart.elsewhere { call(2, report) }
        }
        call(1, first)
    }

    func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.stop()
    }

    func kill() { state.withLock { $0.running }?.kill() }
}

extension HandlerOutcome {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// The report of the first of two calls. It passes on only the end, and the child process (A2).
private final class FirstReport: ExecutionReport {
    private let report: Report
    private let isFinished = Protected(false)
    private let end: @Sendable (HandlerOutcome) -> Void

    init(_ report: Report, end: @escaping @Sendable (HandlerOutcome) -> Void) {
        (self.report, self.end) = (report, end)
    }

    func progress(_ fraction: Double?, text: String?) {}
    func log(_ line: String) {}
    func childStarted(pid: Int64, startTime: UInt64) {
        report.childStarted(pid: pid, startTime: startTime)
    }
    func childAtWork(pid: Int64, startTime: UInt64) {
        report.childAtWork(pid: pid, startTime: startTime)
    }
    func followUp(_ task: FollowUp) {}
    func couldNotStart(_ reason: String) { report.couldNotStart(reason) }

    func finish(_ outcome: HandlerOutcome) {
        let isFirst = isFinished.withLock { isFinished -> Bool in
            defer { isFinished = true }
            return !isFinished
        }
        if isFirst { end(outcome) }
    }
}
