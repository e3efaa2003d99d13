package import SluiceModel
package import SluiceRunner
import SluiceStore
import SluiceSystem

/// A handler with a cleanup command that runs once before its task ends (A5).
///
/// The command gets the payload and the environment of the attempt, `SLUICE_OUTCOME` (`success`,
/// `giveUp` or a last `retry`) and `SLUICE_ERROR`. It does not change the outcome; the attempt's
/// log records its failure.
package struct CleaningHandler: TaskHandler {
    package let handler: any TaskHandler
    package let cleanup: CommandHandler
    private let cleaning = Protected<[Key: any RunningExecution]>([:])

    /// Which execution a cleanup belongs to.
    private struct Key: Hashable, Sendable {
        let task: TaskID
        let number: Int
    }

    package init(_ handler: any TaskHandler, cleanup: CommandHandler) {
        self.handler = handler
        self.cleanup = cleanup
    }

    /// The limit of the handler's execution.
    package var timeoutMilliseconds: Int64? { handler.timeoutMilliseconds }

    /// The maximum of the handler's and the cleanup's, which run one after the other.
    package var descriptors: Int { max(handler.descriptors, cleanup.descriptors) }

    package func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        let key = Key(task: execution.task.id, number: execution.number)
        let cleaning = cleaning
        return CleanedExecution(running: handler.start(execution, report: report)) {
            cleaning.withLock { $0[key] }
        }
    }

    /// The handler's decision.
    package func shouldRestart(_ execution: Execution) -> Bool { handler.shouldRestart(execution) }

    /// Runs the cleanup after what the handler does.
    package func beforeDelete(
        _ execution: Execution, outcome: HandlerOutcome,
        then end: @escaping @Sendable ([String]) -> Void
    ) {
        let key = Key(task: execution.task.id, number: execution.number)
        let (command, cleaning) = (told(outcome), cleaning)
        handler.beforeDelete(execution, outcome: outcome) { lines in
            let report = CleanupReport { log in
                cleaning.withLock { $0[key] = nil }
                end(lines + log)
            }
            let running = command.start(execution, report: report)
            cleaning.withLock { if !report.hasEnded { $0[key] = running } }
        }
    }

    private func told(_ outcome: HandlerOutcome) -> CommandHandler {
        var command = cleanup
        let names = ["SLUICE_OUTCOME=", "SLUICE_ERROR="]
        command.environment.removeAll { line in names.contains { line.hasPrefix($0) } }
        let error = (outcome.error ?? "").replacing("\0", with: "")
        command.environment += [names[0] + outcome.word, names[1] + error]
        return command
    }
}

/// An execution, and the cleanup after it as soon as that has begun.
private struct CleanedExecution: RunningExecution {
    let running: any RunningExecution
    let cleanup: @Sendable () -> (any RunningExecution)?

    func stop() {
        running.stop()
        cleanup()?.stop()
    }

    func kill() {
        running.kill()
        cleanup()?.kill()
    }
}

/// Collects what a cleanup says for the log of the attempt that it ends.
private final class CleanupReport: ExecutionReport {
    private static let logLines = 20

    private struct Told: Sendable {
        var log: [String] = []
        var hasEnded = false
    }

    private let told = Protected(Told())
    private let end: @Sendable ([String]) -> Void

    init(_ end: @escaping @Sendable ([String]) -> Void) { self.end = end }

    var hasEnded: Bool { told.withLock { $0.hasEnded } }

    func log(_ line: String) {
        told.withLock { if $0.log.count < Self.logLines { $0.log.append("beforeDelete: \(line)") } }
    }

    func finish(_ outcome: HandlerOutcome) {
        let isSuccess = if case .success = outcome { true } else { false }
        if !isSuccess { log("it failed: \(outcome.error ?? outcome.word)") }
        end(
            told.withLock { told in
                told.hasEnded = true
                return told.log
            })
    }

    func progress(_ fraction: Double?, text: String?) {}
    func childStarted(pid: Int64, startTime: UInt64) {}
    func followUp(_ task: FollowUp) {}
}

extension HandlerOutcome {
    /// The outcome as a word for a command.
    fileprivate var word: String {
        switch self {
        case .success: "success"
        case .retry: "retry"
        case .park: "park"
        case .giveUp: "giveUp"
        case .pauseQueue: "pauseQueue"
        case .offline: "offline"
        }
    }
}
