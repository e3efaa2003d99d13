import SluicePlatform
package import SluiceRunner

/// Hands tasks to a program that stays: lines of JSON on its pipes, one task at a time for each of
/// its copies, which are started when they are needed and again when they have died.
///
/// A copy reads a line for each task on its standard input and writes lines to its standard output;
/// one with an `outcome` ends the task. Its standard error goes to the attempt's log. A task whose
/// copy dies fails as one whose command does. `stop` is TERM and `kill` is KILL to the copy's
/// group; it takes no other task then, and another one is started. A copy holds the lock of the
/// attempt that it is in (A2).
package struct ProcessHandler: TaskHandler {
    /// The limit of one execution; nil takes the queue's (Q8).
    package var timeoutMilliseconds: Int64?
    /// The three pipes of its copy, and the copy itself.
    package let descriptors = 4
    private let crew: Crew

    /// A handler that keeps copies of `program`: at most `copies`, or as many as there are tasks at
    /// once. One that is in a task and says nothing for `silenceMilliseconds` is told to stop.
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

    /// What its copies are started by.
    var plan: CrewPlan { crew.plan }

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
