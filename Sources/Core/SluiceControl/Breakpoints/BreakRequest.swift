public import SluiceModel
import SluiceStore

/// A request to set a breakpoint.
public struct BreakRequest: Hashable, Sendable {
    /// The default lifetime of a breakpoint: one hour.
    public static let usualMilliseconds: Int64 = 3_600_000

    /// Which tasks it is about.
    public var filter: TaskFilter
    /// When the filter applies to a task.
    package var moment = Breakpoint.Moment.before
    /// The match that stops first.
    public var atHit: Int?
    /// The number of stops after which the breakpoint is spent; `nil` for no limit.
    public var times: Int?
    /// The lifetime; `nil` keeps the breakpoint until someone removes it.
    public var forMilliseconds: Int64? = usualMilliseconds
    /// Whether it only writes a line.
    public var isLog = false
    /// The share of failures from which it stops, a guard; nil for every match.
    package var limit: FailureLimit?
    /// The attached process with which it ends; nil for one of the store's.
    package var owner: ProcessID?
    /// Whether it is to end with the console that sets it.
    package var isOfConsole = false
    /// Whether attached programs of older versions, which would go past it, may be ended.
    package var endsOlder = false

    /// Creates a breakpoint; by default it stops before matching tasks and lasts an hour.
    package init(
        _ filter: TaskFilter, _ moment: Breakpoint.Moment = .before, atHit: Int? = nil,
        times: Int? = nil, forMilliseconds: Int64? = usualMilliseconds, isLog: Bool = false
    ) {
        (self.filter, self.moment) = (filter, moment)
        (self.atHit, self.times) = (atHit, times)
        (self.forMilliseconds, self.isLog) = (forMilliseconds, isLog)
    }
}

/// A breakpoint as a command says it.
extension BreakRequest {
    /// Reads the words of `break`.
    package init(_ arguments: Arguments) throws(QueueError) {
        try arguments.refuseUnquoted(than: 1)
        let text = try arguments.one("FILTER")
        self.init(try TaskFilter(text, saved: arguments.savedFilters))
        let moments = Breakpoint.Moment.allCases.filter { arguments.has($0.option) }
        guard moments.count <= 1 else {
            let names = moments.map(\.option).joined(separator: " and ")
            throw .usage("\(names) are two moments", of: arguments.command)
        }
        limit = try FailureLimit(breakpoint: arguments)
        moment = moments.first ?? (limit == nil ? .before : .onFailure)
        guard limit == nil || moment == .onFailure else {
            throw .usage("--failed goes with --on-failure", of: arguments.command)
        }
        try filter.checkForBreakpoint(moment)
        atHit = try arguments.count("--at-hit")
        times = try arguments.count("--times")
        isLog = arguments.has("--log")
        endsOlder = arguments.has("--yes")
        forMilliseconds = try arguments.lifetime()
    }
}

extension BreakRequest {
    /// The option of a command for the lifetime; empty for the default.
    static func lifetime(_ milliseconds: Int64?) -> String {
        guard milliseconds != usualMilliseconds else { return "" }
        return " --for \(milliseconds.map(DurationText.compact) ?? "none")"
    }

    /// Throws `badValue` for a time that has passed when it begins.
    static func check(lifetime milliseconds: Int64?) throws(QueueError) {
        guard let milliseconds, milliseconds < 1 else { return }
        throw .badValue("--for", "0", allowed: "a duration such as 15m, or none")
    }
}

extension Arguments {
    /// How long a breakpoint or a fault lasts by `--for`; nil until it is removed.
    func lifetime() throws(QueueError) -> Int64? {
        guard let time = text("--for") else { return BreakRequest.usualMilliseconds }
        if time == "none" { return nil }
        guard let milliseconds = DurationText.milliseconds(time), milliseconds > 0 else {
            throw .badValue("--for", time, allowed: "none, or a duration such as 15m, 2h, 3d")
        }
        return milliseconds
    }
}

extension Breakpoint.Moment {
    package var option: String {
        switch self {
        case .before: "--before"
        case .after: "--after"
        case .onFailure: "--on-failure"
        }
    }
}

/// Sets a breakpoint (G1).
extension BreakRequest: DebuggerVerb {
    package var verbName: String { "break" }
    package var debuggerPart: DebuggerPart? { endsOlder ? nil : .breakpoints }
    package var answers: AnswerPart { .breakpoints }

    package func command(in text: CommandText) -> String { "break \(words)" }

    /// The words after `break`.
    package var words: String {
        var words = "\(ShellWord.quoted(filter.description)) \(moment.option)"
        if let atHit { words += " --at-hit \(atHit)" }
        if let times { words += " --times \(times)" }
        if let limit { words += limit.options(pause: "--pause") }
        words += Self.lifetime(forMilliseconds)
        return words + (isLog ? " --log" : "") + (endsOlder ? " --yes" : "")
    }

    package func perform(in context: VerbContext) throws {
        var wanted = try Breakpoint(
            number: 0, filter: filter, moment: moment, by: context.person)
        try check()
        if forMilliseconds == nil { try context.refuseProtected("breakpoints without an end") }
        try DebuggerPart.breakpoints.refuseOlder(
            among: context.store.processes(), isAgreed: endsOlder)
        (wanted.atHit, wanted.times) = (atHit, times)
        (wanted.isLog, wanted.owner) = (isLog, owner)
        wanted.limit = limit
        let twins = try twins(in: context)
        wanted.until = forMilliseconds.map { context.real + $0 }
        let added = try context.mutation.add(wanted)
        context.answer.breakpoints = [added]
        var undo = UndoRecord()
        undo.breakpoints = [.init(number: added.number, before: nil)]
        if added.owner != nil { context.answer.consequences = ["it ends with this console"] }
        context.answer.consequences += twins
        try context.journal(
            "break", queue: nil,
            "\(added.name) set by \(context.person): \(added.sentence(at: context.real))",
            undo: undo)
    }

    /// The guards of the same tasks. Throws if a guard's queue is missing.
    private func twins(in context: VerbContext) throws -> [String] {
        guard limit != nil else { return [] }
        if let queue = filter.queue { _ = try context.store.requireQueue(queue) }
        return try context.store.storeRecord().breakpoints.all
            .filter { $0.limit != nil && $0.filter == filter.withoutNames }
            .map { "\($0.name) by \($0.by) watches the same tasks" }
    }
}

extension BreakRequest {
    /// Throws `badValue` for a number below 1.
    private func check() throws {
        for (option, count) in [("--at-hit", atHit), ("--times", times)] {
            guard let count, count < 1 else { continue }
            throw QueueError.badValue(option, "\(count)", allowed: "1 or more")
        }
        try Self.check(lifetime: forMilliseconds)
    }
}

extension Breakpoint {
    /// The breakpoint in one line: `before type:identify, for 1h`.
    package func sentence(at now: Timestamp) -> String {
        var parts = ["\(Self.words(of: moment)) \(filter)"]
        if let atHit, atHit > 1 { parts.append("from match \(atHit) on") }
        if let times { parts.append(times == 1 ? "once" : "\(times) times") }
        if let limit { parts.append(limit.words) }
        if isLog { parts.append("only a line in the log") }
        parts.append(until.map { "for \(DurationText.taken($0 - now))" } ?? "until it is removed")
        return parts.joined(separator: ", ")
    }
}

extension Verb {
    /// Stops queues before or after matching tasks.
    public static func setBreakpoint(_ request: BreakRequest) -> Verb { Verb(request) }
}

/// A guard as commands and people say it.
extension FailureLimit {
    /// Reads the options of a breakpoint; nil without `--failed`.
    init?(breakpoint arguments: Arguments) throws(QueueError) {
        guard arguments.has("--failed") else {
            for option in ["--of", "--in", "--pause"] where arguments.has(option) {
                throw .usage("\(option) needs --failed", of: arguments.command)
            }
            return nil
        }
        try self.init(arguments, pause: "--pause")
    }

    /// Reads the options of a guard, each with its default.
    init(_ arguments: Arguments, pause: String) throws(QueueError) {
        self = .usual
        if let text = arguments.text("--failed") {
            let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
            guard let percent = Int(digits), (1...100).contains(percent) else {
                throw .badValue("--failed", text, allowed: "a share from 1% to 100%")
            }
            self.percent = percent
        }
        attempts = try arguments.count("--of") ?? attempts
        milliseconds = try Self.time("--in", arguments) ?? milliseconds
        guard (10_000...Self.longestMilliseconds).contains(milliseconds) else {
            throw .badValue(
                "--in", arguments.text("--in") ?? "", allowed: "a duration from 10s to 1h")
        }
        pauseMilliseconds = try Self.time(pause, arguments)
    }

    private static func time(
        _ option: String, _ arguments: Arguments
    ) throws(QueueError) -> Int64? {
        guard let text = arguments.text(option) else { return nil }
        guard let milliseconds = DurationText.milliseconds(text), milliseconds > 0 else {
            throw .badValue(option, text, allowed: "a duration such as 10m")
        }
        return milliseconds
    }

    func options(pause: String) -> String {
        let time = DurationText.compact(milliseconds)
        return " --failed \(percent)% --of \(attempts) --in \(time)"
            + (pauseMilliseconds.map { " \(pause) \(DurationText.compact($0))" } ?? "")
    }

    /// `from 20% of 50 attempts in 5m, for 10m each time`.
    package var words: String {
        let rate =
            "from \(percent)% of \(attempts) attempts in \(DurationText.compact(milliseconds))"
        return rate
            + (pauseMilliseconds.map { ", pauses for \(DurationText.compact($0))" } ?? "")
    }
}

extension BreakRequest {
    /// Reads the words of `guard set`, which lasts until it is removed.
    package init(guard arguments: Arguments) throws(QueueError) {
        let queue = try arguments.one("QUEUE")
        self.init(
            TaskFilter(.term(.field(.queue, [FilterPattern(queue)]))), .onFailure,
            forMilliseconds: nil)
        limit = try FailureLimit(arguments, pause: "--for")
        isLog = try arguments.choice("--do", as: GuardDeed.self) == .warn
        endsOlder = arguments.has("--yes")
    }
}

enum GuardDeed: String, CaseIterable {
    case pause, warn
}

/// The actions on breakpoints.
extension Action.ID {
    package static let setBreak = Self("break")
    package static let setGuard = Self("guard")
    package static let removeBreaks = Self("removeBreaks")
}

extension Action {
    static let setBreak = Action(
        .setBreak, key: "b", .task, "break", "stop a queue before or after a matching task",
        Command(
            "break", "FILTER", [.text("FILTER")],
            options: [
                Command.Option("--before", .flag, "before it starts (this is the default)"),
                Command.Option("--after", .flag, "after an execution"),
                Command.Option("--on-failure", .flag, "after a failed execution"),
                Command.Option("--failed", .text("P%"), "stop at this share of failed attempts"),
                Command.Option(
                    "--of", .number, "with --failed: of at least N attempts (default 50)"),
                Command.Option("--in", .duration, "with --failed: in this time (default 5m)"),
                Command.Option("--pause", .duration, "with --failed: resume after this"),
                Command.Option("--at-hit", .number, "skip the matches before number N (default 1)"),
                Command.Option("--times", .number, "remove it after N stops"),
                Command.Option("--for", .text("D|none"), "its lifetime (default 1h)"),
                Command.Option("--keep", .flag, "keep it after its console ends"),
                Command.Option("--log", .flag, "only write a line into the log"),
                Command.Option("--yes", .flag, "end attached programs that are too old to stop"),
            ], changes: true)
    ) { words throws(QueueError) in
        .setBreakpoint(try BreakRequest(words))
    }

    static let setGuard = Action(
        .setGuard, .queue, "guard", "pause a queue when too many of its attempts fail",
        Command(
            "guard set", "QUEUE", [.queue],
            options: [
                Command.Option(
                    "--failed", .text("P%"), "pause at this share of failures (default 20%)"),
                Command.Option("--of", .number, "of at least N attempts (default 50)"),
                Command.Option("--in", .duration, "in this time, at most 1h (default 5m)"),
                Command.Option(
                    "--do", .choice(["pause", "warn"]),
                    "pause it, or only write a line into the log (default pause)"),
                Command.Option(
                    "--for", .duration, "resume after this time (default: a person resumes)"),
                Command.Option("--yes", .flag, "end attached programs that are too old for it"),
            ], changes: true)
    ) { words throws(QueueError) in
        .setBreakpoint(try BreakRequest(guard: words))
    }

    static let removeBreaks = Action(
        .removeBreaks, .store, "remove break", "remove breakpoints and continue their queues",
        Command(
            "break remove", "N… | --all", [.number],
            options: [Command.Option("--all", .flag, "every breakpoint")], changes: true)
    ) { words throws(QueueError) in
        .removeBreakpoints(try NumberSelection(words, of: "breakpoint"))
    }
}
