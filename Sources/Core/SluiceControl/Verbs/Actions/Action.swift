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
    package var help: String
    /// Its verb on tasks; nil for another action.
    package var verb: (any TaskVerb.Type)?
    /// Parses its command as a verb; `nil` if the action only reads, or needs more than words.
    var reads: Reader?

    /// Parses the words of a command; returns `nil` for words that only read.
    typealias Reader = @Sendable (Arguments) throws(QueueError) -> Verb?

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
    package struct Option: Hashable, Sendable {
        package var name: String
        package var value: Value
        package var help: String
        /// Whether it may occur more than once.
        package var repeats: Bool

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
    package var opensStore: Bool
    /// Whether it takes several stores, and answers for each one.
    package var takesStores: Bool

    /// Whether the argument is the store, which other commands take as `--store`.
    package var takesStore: Bool { arguments == "[STORE]" }

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

    package var allOptions: [Option] {
        var common = Self.common
        common[0].repeats = takesStores
        return options + (takesFilter ? Self.bulk : []) + common
    }
}

extension Action {
    package var changesStore: Bool {
        command?.changes
            ?? (verb != nil || [.stepTask, .stepBack, .pauseWithReason].contains(id))
    }
}

/// The names that the program itself uses.
extension Action.ID {
    // Driving a queue.
    package static let step = Self("step"), stepTask = Self("stepTask"), run = Self("run")
    package static let pauseWithReason = Self("pauseWithReason")
    package static let listBreaks = Self("listBreaks")
    package static let listFaults = Self("listFaults")
    package static let expect = Self("expect")
    package static let listCheckpoints = Self("listCheckpoints")
    package static let diff = Self("diff")
    package static let restore = Self("restore")
    package static let listSchedules = Self("listSchedules")
    package static let record = Self("record"), replay = Self("replay")
    package static let earlier = Self("earlier"), later = Self("later")
    package static let muchEarlier = Self("muchEarlier"), muchLater = Self("muchLater")
    package static let report = Self("report")

    // Verbs on tasks that other files refer to.
    package static let skip = Self("skip"), unskip = Self("unskip"), delete = Self("delete")
    package static let cancel = Self("cancel")
    package static let retry = Self("retry"), postpone = Self("postpone")
    package static let priority = Self("priority"), raisePriority = Self("raisePriority")
    package static let lowerPriority = Self("lowerPriority"), move = Self("move")
    package static let edit = Self("edit"), duplicate = Self("duplicate")
    package static let acknowledge = Self("acknowledge")

    // Changing queues and the store.
    package static let enqueue = Self("enqueue")

    // Looking.
    package static let why = Self("why"), detail = Self("detail"), results = Self("results")
    package static let mark = Self("mark"), markMatching = Self("markMatching")
    package static let filter = Self("filter"), nextMatch = Self("nextMatch")
    package static let previousMatch = Self("previousMatch"), top = Self("top"), end = Self("end")
    package static let previousLink = Self("previousLink"), nextLink = Self("nextLink")
    package static let freeze = Self("freeze"), timeFormat = Self("timeFormat")
    package static let detailLog = Self("detailLog"), copy = Self("copy"), down = Self("down")
    package static let up = Self("up"), left = Self("left"), right = Self("right")
    package static let olderAttempt = Self("olderAttempt"), newerAttempt = Self("newerAttempt")
    package static let withOlder = Self("withOlder"), withNewer = Self("withNewer")

    // The program.
    package static let actions = Self("actions"), commandLine = Self("commandLine")
    package static let help = Self("help"), nextView = Self("nextView"), back = Self("back")
    package static let otherStore = Self("otherStore"), screenshot = Self("screenshot")

    // Commands only.
    package static let initialize = Self("initialize"), demo = Self("demo")
    package static let version = Self("version"), completion = Self("completion")
    package static let queues = Self("queues"), list = Self("list"), forecast = Self("forecast")
    package static let flow = Self("flow"), timeline = Self("timeline")
    package static let groups = Self("groups"), timers = Self("timers"), log = Self("log")
    package static let logs = Self("logs")
    package static let runners = Self("runners"), stats = Self("stats")
    package static let metrics = Self("metrics")
    package static let failures = Self("failures"), preview = Self("preview"), panes = Self("panes")
    package static let columns = Self("columns"), order = Self("order"), watch = Self("watch")
    package static let work = Self("work"), doctor = Self("doctor"), export = Self("export")
    package static let importTasks = Self("importTasks"), compact = Self("compact")
    package static let copyStore = Self("copyStore"), saveFilter = Self("saveFilter")
    package static let listFilters = Self("listFilters"), removeFilter = Self("removeFilter")

    init(_ name: String) { self.init(rawValue: name) }
}

extension Action {
    /// The probable command for an unknown word: a synonym, else the nearest spelling. Among near
    /// spellings it prefers the least harmful, and never one that removes data over another.
    package static func suggestion(for word: String) -> String? {
        if let meant = meanings[word.lowercased()] { return meant }
        let names = commandsByName.map(\.command.name)
        let near = Spelling.near(word, among: names)
        guard let least = near.first?.distance else { return nil }
        return near.prefix { $0.distance <= least + 1 }.map(\.word).enumerated().min {
            (harm($0.element), $0.offset) < (harm($1.element), $1.offset)
        }?.element
    }

    /// 0 for a command that only reads, 1 for a change, 2 for what takes something away.
    private static func harm(_ name: String) -> Int {
        guard let named = commandsByName.first(where: { $0.command.name == name }) else { return 0 }
        if taking.contains(named.action.id) { return 2 }
        return named.command.changes ? 1 : 0
    }

    private static let taking: Set<ID> = [
        .delete, .deleteQueue, ID(rawValue: "purge"), ID(rawValue: "cancel"),
    ]

    /// Synonyms from other programs.
    private static let meanings: [String: String] = [
        "stop": "pause", "halt": "pause", "hold": "pause", "suspend": "pause", "freeze": "pause",
        "start": "resume", "continue": "resume", "go": "resume", "unpause": "resume",
        "add": "enqueue", "push": "enqueue", "put": "enqueue", "send": "enqueue", "new": "enqueue",
        "queue": "queues", "ls": "list", "tasks": "list", "jobs": "list", "search": "list",
        "ps": "workers", "workers": "workers", "worker": "work", "runner": "work",
        "serve": "work", "info": "show", "inspect": "show", "cat": "show", "get": "show",
        "status": "queues", "tail": "log --follow", "history": "log", "events": "log",
        "journal": "log", "explain": "why", "rerun": "retry", "requeue": "retry",
        "redrive": "retry", "delay": "postpone", "defer": "postpone", "snooze": "postpone",
        "remove": "delete", "rm": "delete", "restore": "undelete", "clone": "duplicate",
        "config": "queue set", "set": "queue set", "settings": "queue set", "check": "doctor",
        "repair": "doctor --repair", "fsck": "doctor", "vacuum": "compact", "shrink": "compact",
        "backup": "export", "dump": "export", "load": "import", "create": "init",
        "restart": "resume", "errors": "failures", "failed": "failures", "error": "failures",
        "kill": "cancel", "abort": "cancel", "del": "delete", "drop": "delete",
        "clear": "delete", "queue list": "queues", "queue ls": "queues", "queue show": "queues",
        "queue rm": "queue delete", "queue del": "queue delete", "queue drop": "queue delete",
        "queue remove": "queue delete", "queue add": "queue set", "queue new": "queue set",
        "ack": "acknowledge", "migrate": "copy", "next": "step", "revert": "undo",
    ]
}

extension Command {
    /// The argument whose name the user wrote as an option: PAYLOAD for `--payload`.
    func argument(meantBy name: String) -> String? {
        let wanted = name.drop { $0 == "-" }.uppercased()
        return arguments.split { !($0.isUppercase || $0 == "-") }.map(String.init)
            .first { $0 == wanted }
    }

    /// The command's option that an unknown option probably means: a synonym, else the nearest
    /// spelling.
    func option(meantBy name: String) -> String? {
        let own = allOptions.map(\.name)
        return Self.meanings[name.lowercased()]?.first(where: own.contains)
            ?? Spelling.nearest(to: name, among: own)
    }

    /// Synonyms from other programs.
    private static let meanings: [String: [String]] = [
        "--delay": ["--not-before"], "--at": ["--not-before"], "--in": ["--not-before"],
        "--after": ["--not-before"], "--when": ["--not-before"], "--wait": ["--not-before"],
        "--eta": ["--not-before"], "--countdown": ["--not-before"], "--run-at": ["--not-before"],
        "--ttl": ["--expires"], "--expiry": ["--expires"], "--retries": ["--attempts"],
        "--tries": ["--attempts"], "--dedupe": ["--unique"], "--key": ["--unique"],
        "--tag": ["--label"], "--file": ["--payload-file"], "--where": ["--filter"],
        "--query": ["--filter"], "--match": ["--filter"], "--count": ["--limit"],
        "--concurrency": ["--slots"], "--workers": ["--slots", "--concurrency"],
        "--threads": ["--slots", "--concurrency"], "--parallel": ["--slots", "--concurrency"],
        "--until": ["--for"], "--to": ["--queue"],
        "--db": ["--store"], "--database": ["--store"], "--url": ["--store"], "--user": ["--by"],
    ]
}
