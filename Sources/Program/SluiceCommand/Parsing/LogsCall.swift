import SluiceControl
import SluiceModel

/// `logs`.
struct LogsCall: Hashable, Sendable {
    /// The default number of lines.
    static let usualLines = 50

    var task: TaskReference
    /// How many of the last lines.
    var lines = usualLines
    /// Whether to continue until the attempt ends.
    var follows = false
}

extension CommandLineParser {
    static func logs(_ arguments: Arguments) throws(QueueError) -> Invocation {
        var call = LogsCall(task: try arguments.task(try arguments.one("TASK"), of: "TASK"))
        call.lines = try arguments.count("-n", atLeast: 0) ?? call.lines
        call.follows = arguments.has("--follow") || arguments.has("-f")
        return call.follows ? .followOutput(call) : .query(.logs(call))
    }
}
