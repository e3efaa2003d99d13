import SluiceHandlers
import SluiceModel
import SluiceRunner
import SluiceStore

/// The handler of the demo. It simulates all effects, sends nothing, and failures say that they are
/// simulated. A successful task returns some seconds later, so that the scene stays active.
struct DemoHandler: TaskHandler {
    func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        let role = Role(execution)
        let wrapped = DemoReport(report: report, execution: execution, again: role.again)
        return role.simulation.start(execution, report: wrapped)
    }

    /// How a type behaves.
    private struct Role {
        var simulation: SimulateHandler
        /// Milliseconds until the task comes again; nil for never.
        var again: Int64?

        init(_ execution: Execution) {
            let fails = execution.task.label == "fails at first"
            // The id spreads the times, so that not all of a type move together.
            let spread = execution.task.id % 7
            switch execution.task.type {
            case "identify":
                simulation = SimulateHandler(
                    failures: fails ? 1 : 0, error: "HTTP 500 Internal Server Error (simulated)",
                    durationMilliseconds: 400)
            case "registerPushToken":
                simulation = SimulateHandler(
                    failures: 1, error: "HTTP 500 Internal Server Error (simulated)",
                    durationMilliseconds: 400)
            case "identifyProfile", "trackEvent", "trackPushMetric", "deletePushToken":
                simulation = SimulateHandler(durationMilliseconds: 300)
            case "track", "metric", "screen", "register", "unregister":
                simulation = SimulateHandler(durationMilliseconds: 250 + spread * 60)
                again = execution.task.hasGroupRole ? nil : 20_000 + spread * 2_000
            case "send":
                simulation = SimulateHandler(
                    failures: fails ? 4 : 0, error: "connection refused (simulated)",
                    durationMilliseconds: 900)
                again = 30_000
            case "report":
                simulation = SimulateHandler(
                    failures: 3, error: "printer is out of paper (simulated)",
                    durationMilliseconds: 1_200)
                again = 25_000
            case "upload":
                let isEndless = execution.task.label == "never ends"
                simulation = SimulateHandler(
                    durationMilliseconds: isEndless ? 86_400_000 : 18_000 + spread * 2_000)
                again = 15_000
            default:
                simulation = SimulateHandler(durationMilliseconds: 1_500 + spread * 500)
                again = execution.task.queue == "jobs" ? 12_000 + spread * 3_000 : nil
            }
        }
    }
}

/// Passes everything on, and adds the task's next coming to a success.
private struct DemoReport: ExecutionReport {
    let report: any ExecutionReport
    let execution: Execution
    let again: Int64?

    func progress(_ fraction: Double?, text: String?) { report.progress(fraction, text: text) }
    func log(_ line: String) { report.log(line) }
    func stage(_ name: String) { report.stage(name) }
    func followUp(_ task: FollowUp) { report.followUp(task) }

    func childStarted(pid: Int64, startTime: UInt64) {
        report.childStarted(pid: pid, startTime: startTime)
    }

    func finish(_ outcome: HandlerOutcome) {
        if case .success = outcome, let again {
            let task = execution.task
            report.followUp(
                FollowUp(
                    queue: task.queue, type: task.type, payload: execution.payload,
                    delayMilliseconds: again, priority: task.priority))
        }
        report.finish(outcome)
    }
}
