import SluiceHTTPClient
import SluiceModel
import SluicePlatform
import SluiceRunner

/// An execution over HTTP, on a thread of its own that others of its kind used before.
final class WebExecution: RunningExecution {
    let interruption = HTTPInterruption()

    /// Begins `body`, whose outcome is the end; returns at once.
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
