import SluiceControl
import SluiceModel
import SluiceReports
import SluiceSystem
import SluiceTransfer

/// Reads command lines by the table of actions; the shell and the console's `:` line use the same.
enum CommandLineParser {
    /// Parses the words after `sluice`. `saved` has the filters for `@` names. `takesForeignTasks`
    /// allows ids of other systems.
    ///
    /// Opens and reads no file; only checks the existence of a store in the wrong place. Throws
    /// `badValue`, `badName` or `badFilter`.
    static func parse(
        words line: [Word], saved: [String: String] = [:], takesForeignTasks: Bool = false
    ) throws(QueueError) -> Request {
        let words = line.map(\.text)
        guard let first = words.first else { return try console(line) }
        if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            return help(words)
        }
        if first == "--version" || first == "-V" {
            return Request(invocation: .version, common: CommonOptions())
        }
        if first == completionVerb {
            return Request(
                invocation: .complete(CompletionCall(words.dropFirst())), common: CommonOptions())
        }
        if first == ManualPage.verb {
            return Request(
                invocation: .manual(page: words.dropFirst().first), common: CommonOptions())
        }
        if words.count == 2, let hidden = hidden(first, words[1]) {
            return Request(invocation: hidden, common: CommonOptions())
        }
        guard let (named, count) = Action.command(in: words) else {
            guard isStore(first) || Arguments.isOption(first) else {
                throw .unknownVerb(unknownVerb(words))
            }
            return try console(line)
        }
        var arguments = try Arguments(named.command, words: line[count...])
        arguments.savedFilters = saved
        arguments.takesForeignTasks = takesForeignTasks
        let common = try common(arguments)
        do throws(QueueError) {
            return Request(invocation: try invocation(named, arguments), common: common)
        } catch {
            throw misplacedStore(arguments) ?? error
        }
    }

    /// The error for a store's path after a verb that takes none. Returns `nil` if the last word is
    /// not an extra word that names an existing store.
    private static func misplacedStore(_ arguments: Arguments) -> QueueError? {
        let (values, command) = (arguments.values, arguments.command)
        guard let path = values.last, values.count > command.argumentValues.count,
            isStore(path), arguments.text("--store") == nil, Files.exists(path)
        else { return nil }
        // After `--`, that word is an argument too.
        var rest = Array(values.dropLast())
        if rest.last == "--store" { rest.removeLast() }
        let store = "--store \(ShellWord.quoted(path))"
        let line =
            rest.contains(where: Arguments.isOption)
            ? ([arguments.line([]), store, "--"] + rest.map(ShellWord.quoted))
                .joined(separator: " ")
            : "\(arguments.line(rest)) \(store)"
        return QueueError(
            .badValue, "\(command.name): \"\(path)\" is one argument too many",
            fix: "--store names the store: \(line)")
    }

    /// The hidden verb that completes words for a shell.
    static let completionVerb = "__complete"

    private static func hidden(_ verb: String, _ store: String) -> Invocation? {
        switch verb {
        case DemoWorker.verb: .demoWorker(store: store)
        case DemoScene.verb: .demoScene(store: store)
        default: nil
        }
    }

    /// The command line of the console, which has no verb.
    static let consoleCommand = Command(
        "[STORE…]", "", [.file],
        options: [
            Command.Option("--fleet", .file, "open the stores in a file, one a line"),
            Command.Option("--handlers", .file, "which program runs which type"),
            Command.Option("--theme", .choiceOrFile(["dark", "light", "mono"]), "the colours"),
            Command.Option("--ascii", .flag, "draw with ASCII alone"),
            Command.Option("--no-mouse", .flag, "leave the mouse to the terminal"),
            Command.Option(
                "--notify", .flag, "ring when a queue gets stuck, fails or has no worker"),
        ], takesStores: true)

    /// Whether a word that is no verb is a store: it has a dot or a slash, or names a folder.
    static func isStore(_ word: String) -> Bool {
        word.utf8.contains(UInt8(ascii: ".")) || word.utf8.contains(UInt8(ascii: "/"))
            || Files.kind(word) == .folder
    }

    /// The word that is no verb, or the two words where the first begins a verb of two.
    private static func unknownVerb(_ words: [String]) -> String {
        let isFirstOfTwo =
            words.dropFirst().first.map { !Arguments.isOption($0) } ?? false
            && Action.commandsByName.contains { $0.command.name.hasPrefix("\(words[0]) ") }
        return words.prefix(isFirstOfTwo ? 2 : 1).joined(separator: " ")
    }

    private static func console(_ words: [Word]) throws(QueueError) -> Request {
        try refuseMisplacedVerb(words.map(\.text))
        let arguments = try Arguments(consoleCommand, words: words[...])
        let common = try common(arguments)
        return Request(invocation: .console(try consoleStart(arguments)), common: common)
    }

    /// Throws with the right order if options or the store come before the verb.
    static func refuseMisplacedVerb(_ words: [String]) throws(QueueError) {
        let known = Action.commandsByName.map(\.command) + [consoleCommand]
        let valued = Set(known.flatMap(\.allOptions).filter { $0.value != .flag }.map(\.name))
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let place = words[..<end].indices.dropFirst().first { place in
            !valued.contains(words[place - 1]) && Action.command(in: Array(words[place...])) != nil
        }
        guard let place, let (named, count) = Action.command(in: Array(words[place...])) else {
            return
        }
        var options = Array(words[..<place])
        if options.count == 1, !Arguments.isOption(options[0]) {
            options = ["--store", options[0]]
        }
        // An option that the verb does not support is an error anywhere.
        _ = try Arguments(named.command, words: options.map(Word.init)[...])
        let line = words[(place + count)...] + options
        throw QueueError(
            .badValue, "\"\(named.command.name)\" is a verb, and comes first",
            fix: (["sluice", named.command.name] + line.map(ShellWord.quoted))
                .joined(separator: " "))
    }

    /// The options of the console, from the words after the program's name.
    private static func consoleStart(_ arguments: Arguments) throws(QueueError) -> ConsoleStart {
        var start = ConsoleStart(
            handlers: arguments.text("--handlers"), isASCII: arguments.has("--ascii"),
            ignoresMouse: arguments.has("--no-mouse"), notifies: arguments.has("--notify"))
        if let theme = arguments.text("--theme") {
            start.theme = try ConsoleStart.Theme(theme, of: "--theme")
        }
        return start
    }

    private static func demo(_ arguments: Arguments) throws(QueueError) -> Invocation {
        let seed = try arguments.count("--seed", atLeast: 0) ?? 1
        let call = DemoCall(
            store: try arguments.atMostOne(), isFolder: arguments.has("--customer-io"),
            seed: UInt64(seed))
        return .demo(call, try consoleStart(arguments))
    }

    private static func help(_ words: [String]) -> Request {
        let topic =
            words.first.flatMap { HelpTopic.named($0)?.name }
            ?? Action.command(in: words)?.named.command.name
        return Request(invocation: .help(topic: topic), common: CommonOptions())
    }

    static func common(_ arguments: Arguments) throws(QueueError) -> CommonOptions {
        if arguments.text("--store") == "" {
            throw .badValue("--store", "", allowed: "a path such as ./app.db")
        }
        return CommonOptions(
            store: try store(arguments), isJSON: arguments.has("--json"),
            isReadOnly: arguments.has("--read-only"), isQuiet: arguments.has("--quiet"),
            person: try arguments.name("--by", of: "person"), system: arguments.text("--as"),
            event: try arguments.count(Command.atEvent.name, atLeast: 0))
    }

    /// The store that the words name; throws where they name two.
    private static func store(_ arguments: Arguments) throws(QueueError) -> String? {
        let option = arguments.text("--store")
        let takesStore = arguments.command.takesStore || arguments.command == consoleCommand
        guard takesStore, let given = try arguments.atMostOne() else { return option }
        guard let option, option != given else { return given }
        throw QueueError(
            .badValue, "two stores are named: \(given), and --store \(option)",
            fix: "name one of them")
    }

    private static func invocation(
        _ named: Action.Named, _ arguments: Arguments
    ) throws(QueueError) -> Invocation {
        if let verb = named.action.verb {
            return .change(.tasks(try tasks(verb, arguments)))
        }
        let id = named.action.id
        switch id {
        case .version:
            try arguments.refuseMore(than: 0)
            return .version
        case .help:
            return .help(topic: try topic(arguments))
        case .completion:
            return .completion(try Arguments.choice(try arguments.one("SHELL"), of: "SHELL"))
        case .initialize:
            return .initialize(
                InitializeCall(
                    durability: try arguments.choice("--durability"),
                    journalBytes: try arguments.bytes("--journal"),
                    imageBytes: try arguments.bytes("--checkpoints"),
                    schemaOwner: arguments.text("--schema-owner")))
        case .demo: return try demo(arguments)
        case .listFilters, .saveFilter, .removeFilter: return .filters(try filters(id, arguments))
        case .doctor:
            return .doctor(
                DoctorCall(repairs: arguments.has("--repair"), isQuick: arguments.has("--quick")))
        case .compact:
            try arguments.refuseMore(than: 0)
            return .compact(now: arguments.has("--now"))
        case .export: return .export(try export(arguments))
        case .importTasks: return .importTasks(try importTasks(arguments))
        case .copyStore: return .copy(try copy(arguments))
        case .step: return try stepOrBack(arguments)
        case .run: return .run(try run(arguments))
        case .work: return .work(try work(arguments))
        default: break
        }
        if let debugging = try debugging(id, arguments) { return debugging }
        if let looking = try look(id, arguments) { return looking }
        if let verb = try named.action.read(arguments) { return .change(.verb(verb)) }
        if id == .enqueue { return .change(.enqueue(try enqueue(arguments))) }
        if id == .setSchedule {
            return .change(
                .schedule(
                    try ScheduleRequest(arguments), payload: try payload(arguments, at: 4)))
        }
        throw .unknownVerb(arguments.command.name)
    }

    private static func debugging(
        _ id: Action.ID, _ arguments: Arguments
    ) throws(QueueError) -> Invocation? {
        switch id {
        case .expect: .expect(try expect(arguments))
        case .restore: .restore(try restore(arguments))
        case .record: .record(try record(arguments))
        case .replay: .replay(try replay(arguments))
        case .report: .report(try report(arguments))
        default: nil
        }
    }

    private static func filters(
        _ id: Action.ID, _ arguments: Arguments
    ) throws(QueueError) -> FilterCall {
        switch id {
        case .saveFilter:
            try arguments.refuseUnquoted(than: 2)
            guard arguments.values.count == 2 else {
                throw .usage("a name and a filter are wanted", of: arguments.command)
            }
            return .save(
                name: arguments.values[0], filter: arguments.values[1],
                isShared: arguments.has("--shared"))
        case .removeFilter:
            return .remove(
                name: try arguments.one("NAME"), isShared: arguments.has("--shared"))
        default:
            try arguments.refuseMore(than: 0)
            return .list
        }
    }

    private static func topic(_ arguments: Arguments) throws(QueueError) -> String? {
        guard !arguments.values.isEmpty else { return nil }
        let words = arguments.values
        if words.count == 1, let topic = HelpTopic.named(words[0]) { return topic.name }
        guard let (named, count) = Action.command(in: words), count == words.count else {
            throw HelpTopic.unknown(words.joined(separator: " "))
        }
        return named.command.name
    }
}

/// The verbs that act on tasks, named or selected by a filter.
extension CommandLineParser {
    static func tasks(
        _ verb: any TaskVerb.Type, _ arguments: Arguments
    ) throws(QueueError) -> TaskChange {
        let words = try VerbWords(verb, arguments)
        _ = try words.verb(at: Timestamp(milliseconds: 0))
        return TaskChange(
            words: words,
            selection: try selection(arguments, words.tasks, isOne: verb.takesOne),
            isRehearsal: arguments.has("--dry-run"),
            isConfirmed: arguments.has("--yes") || arguments.has("--store-name"),
            storeName: arguments.text("--store-name"))
    }

    static func report(_ arguments: Arguments) throws(QueueError) -> ReportCall {
        ReportCall(
            selection: try selection(arguments, arguments.values),
            redacted: try ReportText.paths(arguments.all("--redact")))
    }

    private static func selection(
        _ arguments: Arguments, _ values: [String], isOne: Bool = false
    ) throws(QueueError) -> Selection {
        if let filter = try arguments.filter() {
            guard values.isEmpty else {
                throw .usage("either tasks or --filter, not both", of: arguments.command)
            }
            return .filter(filter)
        }
        guard !values.isEmpty else {
            throw .usage("no task is named", of: arguments.command)
        }
        guard values.count == 1 || !isOne else {
            throw .usage("it takes one task, or --filter", of: arguments.command)
        }
        var references: [TaskReference] = []
        for value in values { references.append(try arguments.task(value, of: "TASK")) }
        return .tasks(references)
    }
}

/// `export` and `import`.
extension CommandLineParser {
    static func export(_ arguments: Arguments) throws(QueueError) -> ExportCall {
        let target = try arguments.one("TARGET")
        let named: TransferFormat? =
            arguments.has("--har") ? .har : try arguments.choice("--format")
        guard let format = named ?? TransferFormat(ofName: target) else {
            throw .badValue(
                "TARGET", target,
                allowed: "a name that ends in .jsonl, .db, .har or /, - for standard output, or "
                    + "any name with --format lines, sqlite, folder or har")
        }
        guard target != "-" || format == .lines else {
            throw .badValue(
                "--format", format.rawValue, allowed: "lines where the target is standard output")
        }
        let redacted = try ReportText.paths(arguments.all("--redact"))
        guard format == .har || redacted.isEmpty else {
            throw .badValue("--redact", arguments.all("--redact")[0], allowed: "only with --har")
        }
        return ExportCall(
            target: target, format: format, queue: try arguments.name("--queue", of: "queue"),
            filter: try arguments.filter(), redacted: redacted)
    }

    static func importTasks(_ arguments: Arguments) throws(QueueError) -> ImportCall {
        ImportCall(
            source: try arguments.one("SOURCE"),
            queue: try arguments.name("--queue", of: "queue"), filter: try arguments.filter(),
            again: arguments.has("--again"), system: arguments.text("--as"))
    }

    static func copy(_ arguments: Arguments) throws(QueueError) -> CopyCall {
        guard arguments.values.count == 2 else {
            throw .usage("name two stores, FROM and TO", of: arguments.command)
        }
        var call = CopyCall(source: arguments.values[0], target: arguments.values[1])
        call.queues = try names(arguments.text("--queues"))
        if let wait = try arguments.milliseconds("--wait") { call.waitMilliseconds = wait }
        call.staysInSource = arguments.has("--stay")
        call.again = arguments.has("--again")
        call.isRehearsal = arguments.has("--dry-run")
        return call
    }
}
