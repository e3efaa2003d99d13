package import SluiceRunner
import SluiceSystem

/// Runs a program for each attempt, in a separate process group.
///
/// The payload is its standard input, its standard output is the result, and the last lines of its
/// standard error are the error. Its exit code is the outcome: 0 success, 65 give up, 69 offline,
/// 75 retry, 76 park, 77 pause the queue, others a counted failure. `stop` sends TERM and `kill`
/// sends KILL to the group. The child inherits the attempt's lock (A2).
package struct CommandHandler: TaskHandler, Equatable {
    /// A path, or a name that is looked up in the PATH of `environment`.
    package var program: String
    /// The arguments after the program's name.
    package var arguments: [String]
    /// The working directory; `nil` for this process's.
    package var directory: String?
    /// The environment as NAME=VALUE. Variables that begin with SLUICE_ are added.
    package var environment: [String]
    /// The limit of one execution; nil takes the queue's (Q8).
    package var timeoutMilliseconds: Int64?

    /// Its output, its errors, its report, the process itself, and the file of its output.
    package let descriptors = 5

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

    /// Starts an attempt. The thread for all commands starts the program.
    ///
    /// A program that cannot be started is a counted failure with the reason.
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
