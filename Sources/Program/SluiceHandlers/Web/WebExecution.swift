import SluiceModel
import SluiceRunner
import SluiceSystem

/// An attempt over HTTP on a pooled thread.
final class WebExecution: RunningExecution {
    let interruption = HTTPInterruption()

    /// Starts `body` and returns immediately. The body's outcome ends the attempt.
    static func start(
        _ report: any ExecutionReport,
        _ body: @escaping @Sendable (HTTPSession, HTTPInterruption) -> HandlerOutcome
    ) -> WebExecution {
        let execution = WebExecution()
        let interruption = execution.interruption
        do throws(SystemError) {
            try HTTPThreads.shared.run { session in
                report.finish(body(session, interruption))
            }
        } catch {
            CommandStart.Failure(error).end(report)
        }
        return execution
    }

    /// Breaks the connection off (A6).
    func stop() { interruption.interrupt() }

    func kill() { interruption.interrupt() }
}
