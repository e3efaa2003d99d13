import SluiceControl
import SluiceModel

/// The target of commands and consoles: a Sluice store, a moment of a tape, or foreign queues.
///
/// An unsupported operation throws the reason. Everything throws `QueueError`, or `Failed` for
/// another exit code than the error's.
protocol Inspector: AnyObject {
    /// The machine.
    var host: Host { get }
    /// The options of every verb.
    var common: CommonOptions { get }

    // Looking.

    /// Queues, a page of tasks, one task, why it waits, timers, runners, and what else can be read.
    func answer(_ query: CommandQuery) throws -> Reply
    /// The problems, and their fixes.
    func doctor(_ call: DoctorCall) throws -> Reply
    /// Tasks as a text for a bug report.
    func report(_ call: ReportCall) throws -> Reply

    /// The scenes for a console, and its commands.
    func screen(_ opening: ScreenOpening) throws -> ScreenStore
    /// The messages after the end of its console.
    func partingWords() -> [String]

    // Following.

    /// Waits for what must hold.
    func expect(_ call: ExpectCall) throws -> Reply
    /// Keeps what happens on a tape.
    func record(_ call: RecordCall) throws -> Reply

    // Driving.

    /// Makes a change, after a question if the verb asks one.
    func change(_ change: Change) throws -> Reply
    /// Runs exactly the requested tasks, even if the queue is paused.
    func step(_ call: StepCall) throws -> Reply
    /// Runs the tasks of a queue one after another, until the call's end.
    func run(_ call: RunCall) throws -> Reply
    /// Prepares for verbs on tasks, before any lookup.
    func beginChange() throws
    /// The tasks of a change. For a filter without a state, the verb determines the states.
    func targets(of change: TaskChange) throws -> [TaskTarget]
    /// The task that a person named.
    func task(_ reference: TaskReference) throws -> TaskID
    /// The names of `tasks` and of the tasks that sentences mention.
    func names(of tasks: [TaskID], in sentences: [String]) throws -> TaskNames
    /// A verb with the answers to its questions; nil if a console asks and performs it.
    func named(_ verb: Verb) throws -> Verb?
    /// Performs a verb. The answer names the tasks that failed. `watch` receives the progress of a
    /// bulk operation and may stop it.
    func perform(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer
    /// Returns a verb's effect without performing it.
    func rehearse(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer
}

extension Inspector {
    /// Who acts.
    var person: String {
        let named = common.person ?? host.environment("SLUICE_USER") ?? ""
        return named.isEmpty ? host.user() : named
    }
}

extension CommandContext: Inspector {
    /// Runners that died without leaving are not waited for (A2).
    func beginChange() throws { try reapTheDead() }

    func targets(of change: TaskChange) throws -> [TaskTarget] {
        try read { try change.targets($0) }
    }

    func task(_ reference: TaskReference) throws -> TaskID {
        try read { try $0.store.resolve(reference) }
    }

    func perform(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer {
        try control().performBlocking(verb, watching: watch)
    }

    func rehearse(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer {
        try control().rehearse(verb, watching: watch)
    }
}
