import SluiceControl
import SluiceModel
import SluiceSystem

/// The target of commands and consoles: a Sluice store, a moment of a tape, or foreign queues.
///
/// An unsupported operation throws the reason. Everything throws `QueueError`, or `Failed` for
/// another exit code than the error's.
protocol Inspector: AnyObject {
    var host: Host { get }
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
    /// The time of waiting tasks, for relative times.
    func now() throws -> Timestamp
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

/// The verbs on tasks, named or selected by a filter (D5 to D8, D10).
extension Inspector {
    func changeTasks(_ change: TaskChange) throws -> Reply {
        if !change.isRehearsal { try beginChange() }
        let targets = try targets(of: change)
        if change.isRehearsal { return try rehearse(change, targets) }
        if case .filter = change.selection {
            if !change.isConfirmed { try refuseUnasked(targets.count) }
            if targets.isEmpty { return AnswerText.reply(nothingMatches) }
        }
        let asked = try verb(change, on: targets)
        guard let verb = try named(asked) else { return Reply(unconfirmed: asked) }
        // `--store-name` counts as confirmation.
        if case .filter = change.selection, !change.isConfirmed, verb.storeName == nil {
            if host.isConfirmedOnScreen { return Reply(unconfirmed: verb) }
            guard try confirm(targets) else { return AnswerText.reply(notConfirmed) }
        }
        let answer = try following(verb) { try perform(verb, watching: $0) }
        return AnswerText.reply(answer, try names(in: answer)).of(verb, answer)
    }

    /// Lets the person follow a verb that may be a bulk (K7).
    func following(
        _ verb: Verb, _ body: (@escaping BulkWatch) throws -> Answer
    ) throws -> Answer {
        let isLong = verb.order.takesBack || verb.targets.count > Control.slice
        let following = isLong ? try host.follow(common.isQuiet) : .unwatched
        defer { following.end() }
        return try body(following.watch)
    }

    private var nothingMatches: Answer {
        var answer = Answer()
        answer.summary = "nothing matches the filter, so nothing was changed"
        return answer
    }

    /// The answer if the user did not confirm.
    var notConfirmed: Answer {
        var answer = Answer()
        answer.summary = "nothing was changed"
        return answer
    }

    /// The verb, with the tasks and the files found that its options name.
    private func verb(_ change: TaskChange, on targets: [TaskTarget]) throws -> Verb {
        let found = try change.words.finding(
            task: task,
            bytes: { file, option in try host.bytes(of: ByteSource(file: file), as: option) })
        var verb = Verb.on(targets, try found.verb(at: now()))
        verb.storeName = change.storeName
        return verb
    }

    private func names(in answer: Answer) throws -> TaskNames {
        try names(of: answer.failed.prefix(20).map(\.id), in: [])
    }
}

/// `--dry-run`, and the question before a bulk (D10).
extension Inspector {
    private func rehearse(_ change: TaskChange, _ targets: [TaskTarget]) throws -> Reply {
        var answer = Answer()
        if !targets.isEmpty {
            let verb = try verb(change, on: targets)
            answer = try following(verb) { try rehearse(verb, watching: $0) }
        }
        answer.undo = nil
        let names = try names(in: answer)
        var object = AnswerJSON.changes(answer, names)
        object["dryRun"] = true
        object["matched"] = JSONValue(targets.count)
        let count = NumberText.tasks(answer.changed.count)
        let participle = change.words.kind.participle
        var lines = ["\(count) would be \(participle)" + (try sample(answer.changed))]
        lines += answer.consequences.map { "  \($0)" } + AnswerText.failures(answer, names)
        lines.append("nothing was changed")
        var reply = Reply(.object(object), lines.map(SafeText.visible))
        reply.exit = AnswerText.exit(answer)
        return reply
    }

    private func sample(_ ids: [TaskID]) throws -> String {
        guard !ids.isEmpty else { return "" }
        let first = Array(ids.prefix(10))
        let names = try names(of: first, in: [])
        let words = first.map { names.name($0) }.joined(separator: " ")
        return ": \(words)" + (ids.count > 10 ? " …" : "")
    }

    /// Throws if no terminal can ask for confirmation: then a filter requires `--yes`, for any
    /// number of matches.
    private func refuseUnasked(_ count: Int) throws {
        guard !host.canAsk(), !host.isConfirmedOnScreen else { return }
        let match = count == 1 ? "1 task matches" : "\(NumberText.tasks(count)) match"
        let error = QueueError(
            .noTerminal, "\(match), and there is no terminal to ask whether all are meant",
            fix: "add --yes, or --dry-run to see them")
        throw Failed(error, exit: .usage)
    }

    /// Asks in proportion: nothing up to 10 tasks, `y` beyond, the number itself beyond 1,000.
    private func confirm(_ targets: [TaskTarget]) throws -> Bool {
        let count = targets.count
        guard count > 10 else { return true }
        let sample = SafeText.visible(try sample(targets.prefix(11).map(\.id)))
        let what = "\(NumberText.tasks(count)) match\(sample)"
        let question = count > 1000 ? "type \(count) to continue: " : "continue? [y/N] "
        try host.write("\(what)\n\(question)", .errors)
        let answer = try host.readLine() ?? ""
        return count > 1000 ? answer == "\(count)" : ["y", "Y", "yes"].contains(answer)
    }
}
