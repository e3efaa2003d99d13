import SluiceControl
import SluiceModel

/// The end of a command, before any of it is written.
struct Outcome: Sendable {
    /// The answer. It is empty for an error, and if the command wrote its output as it ran.
    var reply = Reply(.null, [])
    var error: QueueError?
    var exit: ExitCode
    /// Whether `--json` was given.
    var isJSON = false
    /// Whether `--quiet` was given.
    var isQuiet = false
    /// Whether a shell or `man` reads the lines, so that they are written as they are.
    var isForProgram = false
    /// Whether the command leaves a change, for the error of an answer that cannot be written.
    var leavesChange = false

    /// A command that wrote its own output.
    init(_ exit: ExitCode) { self.exit = exit }

    /// A command with an answer.
    init(_ reply: Reply, _ common: CommonOptions, after invocation: Invocation? = nil) {
        (self.reply, exit) = (reply, reply.exit)
        (isJSON, isQuiet) = (common.isJSON, common.isQuiet)
        leavesChange = invocation?.leavesChange ?? false
    }

    /// A command that ended with an error.
    init(_ error: QueueError, exit: ExitCode, isJSON: Bool) {
        (self.error, self.exit, self.isJSON) = (error, exit, isJSON)
    }

    /// The answer as text, in parts; empty without one.
    var texts: [String] {
        guard error == nil else { return [] }
        if isJSON { return reply.jsonText }
        guard !(isQuiet && reply.isConfirmation), !reply.lines.isEmpty else { return [] }
        return [
            isForProgram || reply.hasColours
                ? reply.lines.map { $0 + "\n" }.joined() : SafeText.printed(reply.lines)
        ]
    }

    /// The error as a line, of text or JSON; nil without one.
    var errorLine: String? {
        error.map { isJSON ? ErrorJSON.text($0) : SafeText.visible("sluice: \($0.description)") }
    }

    /// The lines for a console, which names its key for undo itself.
    var screenLines: [String] {
        if let error { return [isJSON ? ErrorJSON.text(error) : error.description] }
        let undo = reply.undo.map(AnswerText.undoLine)
        return texts.joined().split(separator: "\n").map(String.init).filter { $0 != undo }
    }
}
