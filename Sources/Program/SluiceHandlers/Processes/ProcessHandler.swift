package import SluiceRunner
import SluiceSystem

/// Sends tasks to a persistent program as JSON lines over pipes. Each copy has one task at a time.
/// Copies start on demand, and again after they die.
///
/// A copy reads one line per task from standard input and writes lines to standard output; a line
/// with an `outcome` ends the task. Its standard error goes to the attempt's log.
///
/// A task whose copy dies fails like a failed command. `stop` sends TERM and `kill` sends KILL to
/// the copy's group; the copy gets no further task, and another one starts. A copy holds the lock
/// of its attempt (A2).
package struct ProcessHandler: TaskHandler {
    /// The limit of one execution; nil takes the queue's (Q8).
    package var timeoutMilliseconds: Int64?
    /// The three pipes of its copy, the copy itself, and the file of its output.
    package let descriptors = 5
    private let crew: Crew

    /// Keeps at most `copies` copies of `program`, or one per concurrent task. A copy with a task
    /// that is silent for `silenceMilliseconds` is stopped.
    package init(
        program: String, arguments: [String] = [], directory: String? = nil,
        environment: [String], copies: Int? = nil, silenceMilliseconds: Int64? = nil,
        timeoutMilliseconds: Int64? = nil
    ) {
        self.timeoutMilliseconds = timeoutMilliseconds
        crew = Crew(
            CrewPlan(
                program: program, arguments: arguments, directory: directory,
                environment: environment, copies: copies,
                silenceMilliseconds: silenceMilliseconds))
    }

    /// Begins an execution: it is handed to a copy that is free, or waits for one.
    package func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        RunningCopy(crew: crew, number: crew.start(execution, report: report))
    }
}

/// An execution from outside the thread of its crew.
private struct RunningCopy: RunningExecution {
    let crew: Crew
    let number: UInt64

    func stop() { crew.signal(.terminate, to: number) }
    func kill() { crew.signal(.kill, to: number) }
}
