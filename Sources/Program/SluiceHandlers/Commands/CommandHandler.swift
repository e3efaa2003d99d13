import SluicePlatform
package import SluiceRunner

/// Runs a program for each execution, in a process group of its own.
///
/// The payload is its standard input, its standard output is the result, the last lines of its
/// standard error are the error, and its exit code is the outcome: 0 success, 65 give up, 69
/// offline, 75 retry, 76 park, 77 pause the queue, anything else a counted failure. `stop` is TERM
/// and `kill` is KILL to the group. The child inherits the attempt's lock (A2).
package struct CommandHandler: TaskHandler, Equatable {
    /// A path, or a name that is looked up in the PATH of `environment`.
    package var program: String
    /// The arguments after the program's name.
    package var arguments: [String]
    /// The folder in which it runs; nil for that of this process.
    package var directory: String?
    /// The environment as NAME=VALUE, to which the names that begin with SLUICE_ are added.
    package var environment: [String]
    /// The limit of one execution; nil takes the queue's (Q8).
    package var timeoutMilliseconds: Int64?

    /// Its output, its errors, its report and the process itself.
    package let descriptors = 4

    /// A handler that runs `program`.
    package init(
        program: String, arguments: [String] = [], directory: String? = nil,
        environment: [String], timeoutMilliseconds: Int64? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.directory = directory
        self.environment = environment
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Begins an execution: the program is started by the thread that serves all commands.
    ///
    /// One that cannot be started ends as a counted failure that says why.
    package func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        let start = CommandStart(handler: self, execution: execution, report: report)
        return RunningCommand(loop: .shared, number: CommandLoop.shared.start(start))
    }
}

/// A command from outside the loop that serves it.
struct RunningCommand: RunningExecution {
    let loop: CommandLoop
    let number: UInt64

    func stop() {
        loop.signal(.terminate, to: number)
    }

    func kill() {
        loop.signal(.kill, to: number)
    }
}
