import SluiceModel

/// One action of a person, by key or command. The single table `Action.all` generates keys, legend,
/// help, the action menu, commands, shell completion and the tables in the documents.
package struct Action: Hashable, Sendable, Identifiable {
    /// The name of an action; stable.
    package struct ID: Hashable, Sendable, RawRepresentable {
        /// The name, as a file of keys says it.
        package let rawValue: String

        /// A name, of an action or of none.
        package init(rawValue: String) { self.rawValue = rawValue }
    }
    package enum Subject: String, Hashable, Sendable {
        case task, queue, store, view, program
    }
    package var id: ID
    /// The key in the console, as `Key.name` spells it, or `nil`.
    package var key: String?
    /// The command that does the same, without `sluice`; nil for what only the screen has.
    package var command: Command?
    package var subject: Subject
    /// One short word or two for the legend.
    package var legend: String
    /// One line of help.
    package var help: String
    /// Its verb on tasks; nil for another action.
    package var verb: (any TaskVerb.Type)?
    /// Parses its command as a verb; `nil` if the action only reads, or needs more than words.
    var reads: Reader?

    /// Parses the words of a command; returns `nil` for words that only read.
    typealias Reader = @Sendable (Arguments) throws(QueueError) -> Verb?

    /// An action with all its parts.
    init(
        _ id: ID, key: String? = nil, _ subject: Subject, _ legend: String, _ help: String,
        _ command: Command? = nil, verb: (any TaskVerb.Type)? = nil, reads: Reader? = nil
    ) {
        self.id = id
        self.key = key
        self.subject = subject
        self.legend = legend
        self.help = help
        self.command = command
        self.verb = verb
        self.reads = reads
    }

    /// A verb on tasks, with its key if it has one.
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
    /// The type of an option's value.
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
        /// Runs until the user stops it.
        case endless
    }
    /// An option and its value.
    package struct Option: Hashable, Sendable {
        /// The name with its dashes.
        package var name: String
        /// The type of its value.
        package var value: Value
        /// One line of help.
        package var help: String
        /// Whether it may occur more than once.
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
    /// The arguments in the usage line.
    package var arguments: String
    /// The type of each argument, for completion. The last one repeats if `arguments` ends in `…`.
    package var argumentValues: [Value]
    /// The command's own options.
    package var options: [Option]
    /// Whether it changes the store, so that a read-only store refuses it.
    package var changes: Bool
    /// Whether it takes `--filter EXPR` instead of tasks, then `--dry-run` and `--yes` (D10).
    package var takesFilter: Bool
    /// How long it lasts.
    package var span: Span
    /// Whether it is about a store at all.
    package var opensStore: Bool
    /// Whether it takes several stores, and answers for each one.
    package var takesStores: Bool

    /// Whether the argument is the store, which other commands take as `--store`.
    package var takesStore: Bool { arguments == "[STORE]" }

    /// A command with all its parts.
    package init(
        _ name: String, _ arguments: String = "", _ argumentValues: [Value] = [],
        options: [Option] = [], changes: Bool = false, takesFilter: Bool = false,
        span: Span = .brief, opensStore: Bool = true, takesStores: Bool = false
    ) {
        self.name = name
        self.arguments = arguments
        self.argumentValues = argumentValues
        self.options = options
        self.changes = changes
        self.takesFilter = takesFilter
        self.span = span
        self.opensStore = opensStore
        self.takesStores = takesStores
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

    /// The moment of a tape to read (G6).
    package static let atEvent = Option(
        "--at", .number, "of a tape: after this event, instead of its end")

    /// The options that come with `--filter`.
    package static let bulk: [Option] = [
        Option("--filter", .text("EXPR"), "every task that matches, instead of naming them"),
        Option("--dry-run", .flag, "show the changes only"),
        Option("--yes", .flag, "do not ask"),
    ]

    /// Every option that the command takes.
    package var allOptions: [Option] {
        var common = Self.common
        common[0].repeats = takesStores
        return options + (takesFilter ? Self.bulk : []) + common
    }
}

extension Action {
    /// Whether it changes something of a store.
    package var changesStore: Bool {
        command?.changes
            ?? (verb != nil || [.stepTask, .stepBack, .pauseWithReason].contains(id))
    }
}
