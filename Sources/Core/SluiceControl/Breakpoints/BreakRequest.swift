public import SluiceModel

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

/// A selection of breakpoints or faults.
public enum NumberSelection: Hashable, Sendable {
    case all
    case numbers([Int64])
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

    /// The command that asks for the same, without `sluice`.
    package var command: String {
        var words = "break \(ShellWord.quoted(filter.description)) \(moment.option)"
        if let atHit { words += " --at-hit \(atHit)" }
        if let times { words += " --times \(times)" }
        if let limit { words += limit.options(pause: "--pause") }
        words += Self.lifetime(forMilliseconds)
        return words + (isLog ? " --log" : "") + (endsOlder ? " --yes" : "")
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

extension NumberSelection {
    /// Reads the words of `break remove` or `fault remove`.
    package init(_ arguments: Arguments, of what: String) throws(QueueError) {
        guard !arguments.has("--all") else {
            try arguments.refuseMore(than: 0)
            self = .all
            return
        }
        guard !arguments.values.isEmpty else {
            throw .usage(
                "N, the number of a \(what), or --all is missing", of: arguments.command)
        }
        var numbers: [Int64] = []
        for text in arguments.values {
            numbers.append(try Arguments.number(text, of: "N", in: 1...(.max)))
        }
        self = .numbers(numbers)
    }

    /// The selected numbers among `known`; throws `badValue` for an unknown number.
    func numbers(among known: [Int64], _ what: String) throws(QueueError) -> [Int64] {
        guard case .numbers(let named) = self else { return known }
        guard let unknown = named.first(where: { !known.contains($0) }) else { return named }
        throw QueueError(
            .badValue, "there is no \(what) \(unknown)",
            fix: known.isEmpty ? "none exists" : Self.sentence(known))
    }

    private static func sentence(_ known: [Int64]) -> String {
        let words = WordList.and(known.map { "\($0)" })
        return known.count == 1 ? "number \(words) is set" : "numbers \(words) are set"
    }

    /// The command that removes them, without `sluice`.
    func command(_ verb: String) -> String {
        switch self {
        case .all: "\(verb) remove --all"
        case .numbers(let numbers):
            "\(verb) remove " + numbers.map { "\($0)" }.joined(separator: " ")
        }
    }
}

extension Breakpoint.Moment {
    /// The option that says it.
    package var option: String {
        switch self {
        case .before: "--before"
        case .after: "--after"
        case .onFailure: "--on-failure"
        }
    }
}
