import SluiceModel
import SluiceRunner
import SluiceSystem

/// An execution that only waits (G4).
final class SimulatedExecution: RunningExecution {
    private static let mostSteps: Int64 = 10
    private static let shortestStepMilliseconds: Int64 = 100
    /// Some 270 years: what still fits as nanoseconds.
    private static let longestMilliseconds: Int64 = 1 << 43

    private struct State {
        var ticket: TimerThread.Ticket?
        var isFinished = false
    }

    private let durationNanoseconds: UInt64
    private let steps: UInt64
    private let outcome: HandlerOutcome
    private let report: any ExecutionReport
    private let state = Protected(State())

    init(durationMilliseconds: Int64, outcome: HandlerOutcome, report: any ExecutionReport) {
        let duration = min(max(durationMilliseconds, 0), Self.longestMilliseconds)
        durationNanoseconds = UInt64(duration) * 1_000_000
        steps = UInt64(min(max(duration / Self.shortestStepMilliseconds, 1), Self.mostSteps))
        self.outcome = outcome
        self.report = report
    }

    /// Starts the time; without a duration this is also the end.
    func begin() {
        if durationNanoseconds == 0 { return finish(outcome) }
        wait(for: 1, since: SystemClock.monotonicNanoseconds())
    }

    func stop() {
        finish(.retry(afterMilliseconds: nil, error: "stopped"))
    }

    func kill() {
        stop()
    }

    private func wait(for step: UInt64, since start: UInt64) {
        // Divided first: the product of a long duration would not fit.
        let elapsed = durationNanoseconds / steps * step
        let end = step == steps ? durationNanoseconds : elapsed
        do throws(SystemError) {
            try state.withLock { state throws(SystemError) in
                guard !state.isFinished else { return }
                state.ticket = try TimerThread.shared.schedule(atNanoseconds: start &+ end) {
                    self.reach(step, since: start)
                }
            }
        } catch {
            finish(.retry(afterMilliseconds: nil, error: error.sentence))
        }
    }

    private func reach(_ step: UInt64, since start: UInt64) {
        guard !state.withLock({ $0.isFinished }) else { return }
        report.progress(Double(step) / Double(steps), text: nil)
        step == steps ? finish(outcome) : wait(for: step + 1, since: start)
    }

    private func finish(_ outcome: HandlerOutcome) {
        let isFirst = state.withLock { state -> Bool in
            if let ticket = state.ticket { TimerThread.shared.cancel(ticket) }
            defer { state = State(ticket: nil, isFinished: true) }
            return !state.isFinished
        }
        if isFirst { report.finish(outcome) }
    }
}
