/// One thing that a person can do, wherever they do it: the key, the command and the help of it are
/// read from one table (`Action.all`), from which keys, legend, help, action menu, commands, shell
/// completion and the documents' tables are made.
package struct Action: Hashable, Sendable, Identifiable {
    /// The name of an action; stable.
    package struct ID: Hashable, Sendable, RawRepresentable {
        /// The name, as a file of keys says it.
        package let rawValue: String

        /// A name, of an action or of none.
        package init(rawValue: String) { self.rawValue = rawValue }
    }
    /// What an action acts on.
    package enum Subject: String, Hashable, Sendable {
        case task, queue, store, view, program
    }
    /// The name.
    package var id: ID
    /// The key of the console as `Key.name` spells it, or nil where there is none.
    package var key: String?
    /// The command that does the same, without `sluice`; nil for what only the screen has.
    package var command: Command?
    /// What it acts on.
    package var subject: Subject
    /// One short word or two for the legend.
    package var legend: String
    /// One line of help.
    package var help: String
    /// The verb on tasks that it is; nil where it is something else.
    package var verb: (any TaskVerb.Type)?

    /// An action with all its parts.
    init(
        _ id: ID, key: String? = nil, _ subject: Subject, _ legend: String, _ help: String,
        _ command: Command? = nil, verb: (any TaskVerb.Type)? = nil
    ) {
        self.id = id
        self.key = key
        self.subject = subject
        self.legend = legend
        self.help = help
        self.command = command
        self.verb = verb
    }

    /// A verb on tasks, with its key where it has one.
    init(_ verb: any TaskVerb.Type, key: String? = nil) {
        self.init(
            ID(rawValue: verb.name), key: key, .task, verb.name, verb.help, Command(verb),
            verb: verb)
    }

    /// Whether both are the same row of the table.
    package static func == (one: Action, other: Action) -> Bool { one.id == other.id }

    /// Feeds the name.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A command as a shell says it.
package struct Command: Hashable, Sendable {
    /// What may stand after an option.
    package enum Value: Hashable, Sendable {
        case flag
        case text(String)
        /// A text, or any other bytes.
        case bytes(String)
        case choice([String])
        case choiceOrFile([String])
        case duration, time, number, size, file, queue, task, retryRule
    }
    /// How long a command lasts.
    package enum Span: Hashable, Sendable {
        case brief
        /// As long as the tasks that it executes or waits for.
        case asTasks
        /// Until somebody stops it.
        case endless
    }
    /// An option and what stands after it.
    package struct Option: Hashable, Sendable {
        /// The name with its dashes.
        package var name: String
        /// What stands after it.
        package var value: Value
        /// One line of help.
        package var help: String
        /// Whether it may be given more than once.
        package var repeats: Bool

        /// An option with all its parts.
        package init(_ name: String, _ value: Value, _ help: String, repeats: Bool = false) {
            self.name = name
            self.value = value
            self.help = help
            self.repeats = repeats
        }
    }
    /// The verb; a second word for `queue set` and `queue delete`.
    package var name: String
    /// What stands after the verb, for the usage line.
    package var arguments: String
    /// What each argument is, for completion; the last one repeats where `arguments` ends in `…`.
    package var argumentValues: [Value]
    /// The options of its own.
    package var options: [Option]
    /// Whether it changes the store, so that a read-only store refuses it.
    package var changes: Bool
    /// Whether it takes `--filter EXPR` instead of tasks, then `--dry-run` and `--yes` (D10).
    package var takesFilter: Bool
    /// How long it lasts.
    package var span: Span
    /// Whether it is about a store at all.
    package var opensStore: Bool

    /// Whether what stands after the verb is the store, which `--store` names elsewhere.
    package var takesStore: Bool { arguments == "[STORE]" }

    /// A command with all its parts.
    package init(
        _ name: String, _ arguments: String = "", _ argumentValues: [Value] = [],
        options: [Option] = [], changes: Bool = false, takesFilter: Bool = false,
        span: Span = .brief, opensStore: Bool = true
    ) {
        self.name = name
        self.arguments = arguments
        self.argumentValues = argumentValues
        self.options = options
        self.changes = changes
        self.takesFilter = takesFilter
        self.span = span
        self.opensStore = opensStore
    }

    /// The options that every command takes.
    package static let common: [Option] = [
        Option(
            "--store", .file,
            "the store: an SQLite file, postgres://…, a Customer.io folder, or redis://…"),
        Option("--as", .text("SYSTEM"), "the store is another system's, such as rq or celery"),
        Option("--json", .flag, "answer as JSON"),
        Option("--read-only", .flag, "refuse every change"),
        Option("--quiet", .flag, "say nothing when all is well"),
        Option("--by", .text("NAME"), "who acts, for the journal"),
    ]

    /// Which moment of a tape is looked at (G6).
    package static let atEvent = Option(
        "--at", .number, "of a tape: behind this event, instead of its end")

    /// The options that come with `--filter`.
    package static let bulk: [Option] = [
        Option("--filter", .text("EXPR"), "every task that matches, instead of naming them"),
        Option("--dry-run", .flag, "show the changes only"),
        Option("--yes", .flag, "do not ask"),
    ]

    /// Every option that the command takes.
    package var allOptions: [Option] {
        options + (takesFilter ? Self.bulk : []) + Self.common
    }
}

extension Action {
    /// Whether it changes something of a store.
    package var changesStore: Bool {
        command?.changes
            ?? (verb != nil || [.stepTask, .stepBack, .pauseWithReason].contains(id))
    }
}
