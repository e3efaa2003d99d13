import SluiceControl
import SluiceModel

/// What commands and consoles ask: a store of this program's own, a moment of a tape, or the queues
/// of other systems.
///
/// What cannot be done is refused with the reason. Everything throws `QueueError`, or `Failed`
/// where the exit code is not that of the error.
protocol Inspector: AnyObject {
    /// The machine.
    var host: Host { get }
    /// The options of every verb.
    var common: CommonOptions { get }

    // Looking.

    /// Queues, a page of tasks, one task, why it waits, timers, runners, and what else can be read.
    func answer(_ query: CommandQuery) throws -> Reply
    /// What is wrong, and what can be done about it.
    func doctor(_ call: DoctorCall) throws -> Reply
    /// Tasks as a text for a bug report.
    func report(_ call: ReportCall) throws -> Reply

    /// What a console shows of it, read as scenes, and what does its verbs.
    func screen(_ opening: ScreenOpening) throws -> ScreenStore
    /// What whoever leaves a console of it should know.
    func partingWords() -> [String]

    // Following.

    /// Waits for what must hold.
    func expect(_ call: ExpectCall) throws -> Reply
    /// Keeps what happens on a tape.
    func record(_ call: RecordCall) throws -> Reply

    // Driving.

    /// A change, asked about where that is usual.
    func change(_ change: Change) throws -> Reply
    /// Exactly what is asked for, although the queue is paused.
    func step(_ call: StepCall) throws -> Reply
    /// The tasks of a queue one after another, until the run is told to stop.
    func run(_ call: RunCall) throws -> Reply
    /// Makes ready for verbs on tasks, before any is looked up.
    func beginChange() throws
    /// The tasks that a change means; where a filter names no state, those that its verb is for.
    func targets(of change: TaskChange) throws -> [TaskTarget]
    /// The task that a person named.
    func task(_ reference: TaskReference) throws -> TaskID
    /// The names of tasks, and of those that sentences mention.
    func names(of tasks: [TaskID], in sentences: [String]) throws -> TaskNames
    /// A verb with what must be said besides; nil where a console asks, and does the verb itself.
    func named(_ verb: Verb) throws -> Verb?
    /// Does a verb. What could not be done to some of several tasks is named in the answer; `watch`
    /// is told how far a bulk is, and may stop it.
    func perform(_ verb: Verb, watching watch: @escaping BulkWatch) throws -> Answer
    /// What a verb would do.
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
