/// What a person or a program is told when something is refused or fails: a code that scripts
/// may rely on, what and where, and what to do about it (the table of error codes).
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
    /// What happened, to what, where.
    public var message: String
    /// What to do about it; may be empty where nothing can be done.
    public var fix: String
    /// The command of which `fix` speaks first, where it is one on a task.
    package private(set) var command: TaskCommand?

    /// A command on a task that leads on, and what it does: `sluice retry 22 makes it wait`.
    package struct TaskCommand: Hashable, Sendable {
        /// The name of its verb.
        package var verb: String
        /// The task.
        package var task: TaskID
        /// What it does: `makes it wait`.
        package var effect: String

        /// As a shell says it.
        package var line: String { "sluice \(verb) \(task)" }
        /// The same with what it does: how `fix` begins.
        package var text: String { "\(line) \(effect)" }

        /// A command with its parts.
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

    /// No task of that id (or it was purged).
    package static func unknownTask(_ id: TaskID) -> QueueError {
        QueueError(
            .unknownTask, "there is no task #\(id)",
            fix: "it may have been purged, or have finished and been forgotten (a queue keeps its "
                + "last 100, or --keep-finished): sluice list shows what is there")
    }

    /// A value that an option or argument does not take: which, what was given, what is allowed.
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
            .changed, "task #\(id) changed meanwhile: \(difference)",
            fix: "look at it again and repeat the verb")
    }
}

extension QueueError {
    /// The same about a line of a file.
    package func ofLine(_ number: Int, then consequence: String) -> QueueError {
        let fix = fix.isEmpty ? "mend that line" : fix
        return QueueError(code, "line \(number): \(message)", fix: "\(fix); \(consequence)")
    }
}
