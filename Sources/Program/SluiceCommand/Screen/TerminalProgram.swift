import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import SluiceTapes
import SluiceTerminalCurses
import SluiceTerminalUI

/// A shell command that has the terminal of this process until it ends. The screen must have given
/// the terminal back.
struct TerminalProgram {
    /// The signals that end the console, which end the program too.
    let signals: SignalInbox
    /// The signal that ended the program, for the console to end by.
    private(set) var ending: Signal?

    init(signals: SignalInbox) { self.signals = signals }

    /// Runs `/bin/sh` and waits for its end. Calls `renew` at an interval, if one is given.
    mutating func run(
        _ arguments: [String], variables: [String] = [], every milliseconds: Int? = nil,
        _ renew: () -> Void = {}
    ) throws(SystemError) -> ChildProcess.Exit {
        let child = try ChildProcess.spawn(
            Spawn(
                "/bin/sh", arguments, environment: ProcessIdentity.environment() + variables,
                input: .descriptor(0), output: .descriptor(1), errors: .descriptor(2),
                group: .parent))
        while true {
            if let exit = try child.reap() {
                // The terminal also sent Ctrl-C to this process, which must not end by it.
                ending = try endingSignal() ?? ending
                return exit
            }
            let ready = try wait(for: child.pidfd.number, milliseconds)
            if ready.isEmpty { renew() }
            if let signal = try signal(of: ready) { _ = try child.signal(signal) }
        }
    }

    /// Waits until the person presses Enter, or a signal ends the console.
    mutating func waitForEnter() throws(SystemError) {
        while ending == nil {
            let ready = try wait(for: Standard.inputDescriptor, nil)
            _ = try signal(of: ready)
            guard ready.contains(where: { $0.descriptor == Standard.inputDescriptor }) else {
                continue
            }
            switch try Standard.read(atMost: 4096) {
            case .bytes(let bytes) where !bytes.contains(where: { $0 == 0x0a || $0 == 0x0d }): break
            case .nothingYet: break
            default: return
            }
        }
    }

    private func wait(
        for descriptor: Int32, _ milliseconds: Int?
    ) throws(SystemError) -> [PollReady] {
        let fds = [descriptor, signals.descriptor.number].map { PollInterest($0) }
        return try Poll.wait(fds: fds, timeoutMilliseconds: milliseconds)
    }

    /// The signal that must end the console, if one arrived.
    private mutating func signal(of ready: [PollReady]) throws(SystemError) -> Signal? {
        guard ready.contains(where: { $0.descriptor == signals.descriptor.number }) else {
            return nil
        }
        let found = try endingSignal()
        ending = found ?? ending
        return found
    }

    private func endingSignal() throws(SystemError) -> Signal? {
        try signals.drain().first { Self.ends.contains($0) }
    }

    /// The signals after which the console must not wait for a person.
    private static let ends: [Signal] = [.terminate, .hangUp]
}

extension ChildProcess.Exit {
    /// How a program ended, for a person.
    var sentence: String {
        switch self {
        case .code(127): "was not found (exit code 127)"
        case .code(let code): "ended with exit code \(code)"
        case .signal(let signal): "was ended by \(signal)"
        }
    }
}

/// The console of an inspector: the screen bound to its store, person, handlers and commands.
extension Inspector {
    /// Shows the console until the person leaves it; `adjust` has the last word on its settings.
    func openScreen(
        _ start: ConsoleStart, _ own: PersonalSettings,
        adjust: (inout ConsoleSettings) -> Void = { _ in }
    ) throws {
        let opening = ScreenOpening(
            host: host, common: common, handlers: start.handlers, person: person)
        let screen = try opening.withWords { try self.screen(opening) }
        try opening.show(screen, start, own) { settings in
            settings.openingHint = screen.hint
            adjust(&settings)
        }
        // A failed write is harmless here.
        try? host.write(partingWords().map { SafeText.visible($0) + "\n" }.joined(), .output)
    }

    func partingWords() -> [String] { [] }
}

extension CommandContext {
    func screen(_ opening: ScreenOpening) throws -> ScreenStore {
        if TapeFile.isThere(storeName) { return try opening.tape(at: storeName) }
        let store = try store()
        var screen = opening.source(store, at: storeName)
        if StorePlace(storeName).isFolder, !store.isReadOnly {
            screen.hint = Hint(StorePlace.appHint, [])
        }
        return screen
    }
}

extension ScreenOpening {
    /// How long the terminal may stay blank while a server does not answer.
    private static let blankMilliseconds = 1000

    /// Opens a place. If that takes long, the terminal names the place before the screen is drawn.
    func withWords<Value>(_ open: () throws -> Value) throws -> Value {
        let ended = try EventSignal()
        let name = ForeignStore.shownName(common.store ?? "the store")
        let thread = try Thread(name: "sluice-waits") {
            let interest = PollInterest(ended.descriptor.number)
            let ready = try? Poll.wait(
                fds: [interest], timeoutMilliseconds: Self.blankMilliseconds)
            guard ready?.isEmpty == true else { return }
            // A failed write is harmless here.
            try? Standard.write("sluice: \(SafeText.visible(name)) does not answer yet; ^C ends\n")
        }
        defer {
            ended.signal()
            thread.join()
        }
        return try open()
    }

    /// Shows the console until the user quits.
    func show(
        _ source: ScreenStore, _ start: ConsoleStart, _ own: PersonalSettings,
        adjust: (inout ConsoleSettings) -> Void = { _ in }
    ) throws {
        let isTape = source.scenes is TapeScenes
        guard !start.notifies || !isTape else {
            throw QueueError(.notLegal, "--notify: a tape has no news", fix: "leave it out")
        }
        var settings = ConsoleSettings(storeName: source.name, storeKind: source.scenes.kind)
        settings.isReadOnly = source.scenes.isReadOnly
        settings.notifies = (start.notifies || own.notifies) && !isTape
        settings.keys = own.keys
        settings.columns = own.columns
        settings.showsPanes = own.showsPanes
        settings.savedFilters = own.filters
        settings.glyphs = host.glyphs(isASCII: start.isASCII)
        adjust(&settings)
        var options = TerminalOptions(mouse: !start.ignoresMouse)
        options.theme = own.theme
        options.changes = own.changes
        options.showsUnicode = settings.glyphs != .ascii
        if own.isMono { options.maximumDepth = .mono }
        let program = try ScreenProgram(
            source, settings: settings, terminal: options, now: host.now,
            keep: ScreenKeeping(
                columns: { columns throws(QueueError) in try own.keep(columns) },
                panes: { areShown throws(QueueError) in try own.keepPanes(areShown) }))
        defer {
            // A failed write is harmless; the tape exists anyway.
            try? host.write(SafeText.printed(program.partingWords), .output)
        }
        try program.run()
    }
}

/// Runs commands of the command line in this process, for a console.
struct ScreenCommands: Sendable {
    var host: Host
    let common: CommonOptions
    let handlers: String?
    /// The places of a fleet, for commands that take several.
    var places: [String] = []

    /// A command as a shell spells it, at the console's store and in its person's name.
    func run(_ line: String, watch: @escaping BulkWatch) -> CommandReport {
        // A command such as `export` writes while it runs.
        let written = Protected("")
        var host = host
        host.follow = { _ in BulkFollowing(watch: watch) }
        host.isTerminal = { false }
        let columns = host.columns
        host.columns = { columns().map { $0 - 2 } }
        host.canAsk = { false }
        host.isScreen = true
        host.readLine = { nil }
        host.write = { text, _ in written.withLock { $0 += text } }
        do throws(QueueError) {
            let words = try CommandWords.split(line)
            if let reason = Self.refusal(words) {
                return CommandReport(lines: [reason], isFailure: true)
            }
            // The console confirms verbs on its own store.
            host.isConfirmedOnScreen = !Self.has("--store", words)
            // After `--` an option would be an argument.
            let end = words.firstIndex(of: "--") ?? words.endIndex
            let outcome = Program(host: host).outcome(
                of: words[..<end] + options(besides: words) + words[end...])
            let reply = outcome.reply
            let before = written.withLock { $0 }.split(separator: "\n").map(String.init)
            let lines = before + outcome.screenLines
            var report = CommandReport(
                lines: host.speaksUTF8 ? lines : lines.map(PlainText.of),
                isFailure: outcome.exit != .done, undo: reply.undo)
            report.verb = reply.unconfirmedVerb
            report.finalVerb = reply.finalVerb
            report.names = names(of: report.verb)
            report.difference = outcome.isJSON ? nil : reply.difference
            if words.first == "filter" {
                report.savedFilters = try SavedFilters(host.environment).texts
            }
            return report
        } catch {
            return CommandReport(lines: [error.description], isFailure: true)
        }
    }

    /// The names of a verb's first tasks, as a question shows them, where other systems name them.
    private func names(of verb: Verb?) -> TaskNames {
        guard let numbers = host.foreignNumbers, let verb else { return TaskNames() }
        var ids: [TaskID: String] = [:]
        for id in verb.targets.prefix(10).map(\.id) { ids[id] = numbers.name(id)?.reference }
        return TaskNames(foreign: ids)
    }

    /// Whether a command lasts as long as the tasks that it executes.
    static func isStep(_ line: String) -> Bool {
        command(ShellLine(line).all)?.span == .asTasks
    }

    /// Commands that would never give the screen back.
    private static func refusal(_ words: [String]) -> String? {
        let isEndless = words.contains {
            $0 == "--follow" || $0 == "-f" || $0.hasPrefix("--listen")
        }
        guard command(words)?.span == .endless || isEndless else { return nil }
        return "\(words.joined(separator: " ")) runs until ^C: run it in another terminal"
    }

    private static func command(_ words: [String]) -> Command? {
        Action.command(in: words)?.named.command
    }

    private static func has(_ name: String, _ words: [String]) -> Bool {
        words.contains { $0 == name || $0.hasPrefix(name + "=") }
    }

    private func options(besides words: [String]) -> [String] {
        var options: [String] = []
        func add(_ name: String, _ value: String?) {
            guard let value, !Self.has(name, words) else { return }
            options += [name, value]
        }
        if Self.command(words)?.opensStore ?? true {
            if places.isEmpty {
                add("--store", common.store)
            } else if !Self.has("--store", words) {
                options += places.flatMap { ["--store", $0] }
            }
        }
        add("--by", common.person)
        if common.isReadOnly { options.append("--read-only") }
        if Self.command(words)?.allOptions.contains(where: { $0.name == "--handlers" }) ?? false {
            add("--handlers", handlers)
        }
        return options
    }

    /// Surrounds a step by a runner with the handlers of `--handlers`, which takes only permits.
    func withHandlers(_ step: () throws -> StepAnswer) throws -> StepAnswer {
        guard let handlers else { return try step() }
        // A line on standard error would damage the screen.
        var common = common
        common.isQuiet = true
        let session = CommandContext(host: host, common: common)
        defer { session.close() }
        var options = RunnerOptions()
        options.slots = 1
        options.takesOnlyPermits = true
        let runner = try session.startRunner(handlers, options) { _ in }
        defer {
            runner.stop(isUrgent: true)
            runner.wait()
        }
        return try step()
    }
}
