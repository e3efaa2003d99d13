/// The reason for a refusal or failure: a stable code, the event, its place, and a fix (the table
/// of error codes).
public struct QueueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes that scripts rely on; they never change their spelling.
    public enum Code: String, Sendable, CaseIterable {
        case noStore, notAStore, newerSchema, damagedStore, storeBusy, readOnly, diskFull
        case serverGone, denied, protected
        case unknownQueue, unknownTask, ambiguousTask, changed, notLegal, queueFull
        case enqueuePaused, uniqueTaken, payloadTooLarge, tooDeep
        case badName, badValue, badFilter, badHandlers, noHandler, noTerminal
    }

    /// The code of the error.
    public var code: Code
    /// The event, its object and its place.
    public var message: String
    /// The fix; may be empty.
    public var fix: String
    /// The command that begins `fix`, if it is one on a task.
    package private(set) var command: TaskCommand?

    /// A command on a task that fixes the error, and its effect: `sluice retry 22 makes it wait`.
    package struct TaskCommand: Hashable, Sendable {
        package var verb: String
        package var task: TaskID
        /// Its effect: `makes it wait`.
        package var effect: String

        /// As a shell says it.
        package var line: String { "sluice \(verb) \(task)" }
        /// The command with its effect, as `fix` begins.
        package var text: String { "\(line) \(effect)" }

        package init(_ verb: String, _ task: TaskID, _ effect: String) {
            (self.verb, self.task, self.effect) = (verb, task, effect)
        }
    }

    /// An error with a command on a task as its way out.
    package init(_ code: Code, _ message: String, command: TaskCommand) {
        self.init(code, message, fix: command.text)
        self.command = command
    }

    /// An error with its code, its sentence and the way out. Passwords of addresses in them are
    /// left out.
    public init(_ code: Code, _ message: String, fix: String = "") {
        self.code = code
        self.message = Secrets.hidden(in: message)
        self.fix = Secrets.hidden(in: fix)
    }

    /// The sentence that the screen and standard error show.
    public var description: String { fix.isEmpty ? message : "\(message); \(fix)" }
}

extension QueueError {
    /// No queue of that name; `known` are the names that exist, the nearest is offered.
    package static func unknownQueue(_ name: String, known: [String] = []) -> QueueError {
        let near = Spelling.nearest(to: name, among: known)
        let fix =
            near.map { "did you mean \"\($0)\"?" }
            ?? (known.isEmpty
                ? "the store has no queue yet: sluice enqueue QUEUE TYPE makes one"
                : "sluice queues lists them")
        return QueueError(.unknownQueue, "there is no queue \"\(name)\"", fix: fix)
    }

    /// The error for an unknown or purged task.
    package static func unknownTask(_ id: TaskID) -> QueueError {
        QueueError(
            .unknownTask, "there is no task #\(id)",
            fix: "it may have been purged, or have finished and been forgotten (a queue keeps its "
                + "last 100, or --keep-finished): sluice list shows the tasks")
    }

    /// The error for an invalid value of an option or argument: its name, the value and the allowed
    /// values.
    package static func badValue(_ name: String, _ value: String, allowed: String) -> QueueError {
        let word = NumberText.fault(of: value, else: "not allowed")
        return QueueError(
            .badValue, "\(name): \"\(value)\" is \(word)", fix: "allowed: \(allowed)")
    }

    /// The verb does not fit the state that the task is in.
    package static func notLegal(_ message: String, fix: String = "") -> QueueError {
        QueueError(.notLegal, message, fix: fix)
    }

    /// The task changed between the moment it was shown and the moment the verb came (D8).
    package static func changed(_ id: TaskID, _ difference: String) -> QueueError {
        QueueError(
            .changed, "task #\(id) has changed: \(difference)",
            fix: "look at it again and repeat the verb")
    }
}

extension QueueError {
    /// The same about a line of a file.
    package func ofLine(_ number: Int, then consequence: String) -> QueueError {
        let fix = fix.isEmpty ? "fix that line" : fix
        return QueueError(code, "line \(number): \(message)", fix: "\(fix); \(consequence)")
    }
}
