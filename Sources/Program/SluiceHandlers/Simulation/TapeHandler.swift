import SluiceModel
import SluiceRunner

/// A simulated handler that returns each task's outcome from a tape, and has no effects (G4).
struct TapeHandler: TaskHandler {
    let script: TapeScript
    /// How long each execution takes; nil takes as long as it took.
    let durationMilliseconds: Int64?
    /// The limit of one execution; nil takes the queue's (Q8).
    let timeoutMilliseconds: Int64?

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        let line = script.line(for: execution)
        let running = SimulatedExecution(
            durationMilliseconds: durationMilliseconds ?? line.milliseconds,
            outcome: line.outcome, report: report)
        running.begin()
        return running
    }
}
