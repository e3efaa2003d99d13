public import SluiceModel

/// A request to set a fault.
public struct FaultRequest: Hashable, Sendable {
    /// Which tasks it is about.
    public var filter: TaskFilter
    /// The kind of fault.
    public var kind: Fault.Kind
    /// Into how many attempts; nil for one, and where chance decides.
    public var times: Int?
    /// Into each attempt with this probability.
    public var chance: Double?
    /// The random seed; `nil` uses the fault's number.
    public var seed: Int64?
    /// The lifetime; `nil` keeps the fault until someone removes it.
    public var forMilliseconds: Int64? = BreakRequest.usualMilliseconds
    /// Whether attached programs of older versions, which would go past it, may be ended.
    package var endsOlder = false

    /// Creates a fault; by default it applies to the next matching attempt within an hour. Use
    /// either `times` or `chance`.
    public init(
        _ filter: TaskFilter, _ kind: Fault.Kind, times: Int? = nil, chance: Double? = nil,
        seed: Int64? = nil, forMilliseconds: Int64? = BreakRequest.usualMilliseconds
    ) {
        (self.filter, self.kind, self.times) = (filter, kind, times)
        (self.chance, self.seed) = (chance, seed)
        self.forMilliseconds = forMilliseconds
    }
}

/// A fault as a command says it.
extension FaultRequest {
    /// Reads the words of `fault`.
    package init(_ arguments: Arguments) throws(QueueError) {
        let words = arguments.values
        guard let text = words.first else {
            throw .usage("FILTER is missing", of: arguments.command)
        }
        guard words.count > 1 else {
            throw .usage("KIND, what goes wrong, is missing", of: arguments.command)
        }
        try arguments.refuseUnquoted(than: 2) { (try? Fault.Kind($0)) != nil }
        self.init(
            try TaskFilter(text, saved: arguments.savedFilters), try Fault.Kind(words[1]))
        try filter.checkForFault()
        times = try arguments.count("--times")
        chance = try arguments.text("--chance").map(Self.chance)
        seed = try arguments.number("--seed")
        endsOlder = arguments.has("--yes")
        forMilliseconds = try arguments.lifetime()
        try check()
    }

    private static func chance(_ text: String) throws(QueueError) -> Double {
        let digits = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits, let chance = Double(text), (0...1).contains(chance) else {
            throw .badValue("--chance", text, allowed: "a number from 0 to 1, such as 0.1")
        }
        return chance
    }

    /// Throws `badValue` for conflicting options, or for options without effect.
    func check() throws(QueueError) {
        guard times == nil || chance == nil else {
            throw QueueError(
                .badValue, "--times and --chance are two ways to say how often",
                fix: "leave one of them out")
        }
        guard seed == nil || chance != nil else {
            throw QueueError(
                .badValue, "--seed is what --chance draws from", fix: "add --chance, such as 0.1")
        }
        try BreakRequest.check(lifetime: forMilliseconds)
    }

    /// How many attempts it takes, as the fault of a number.
    func limit(of number: Int64) -> Fault.Limit {
        guard let chance else { return .times(times ?? 1) }
        return .chance(chance, seed: seed ?? number)
    }

    /// The command that asks for the same, without `sluice`.
    package var command: String {
        var text = "fault \(ShellWord.quoted(filter.description)) \(ShellWord.quoted(kind.words))"
        if let times { text += " --times \(times)" }
        if let chance { text += " --chance \(chance)" }
        if let seed { text += " --seed \(seed)" }
        return text + BreakRequest.lifetime(forMilliseconds) + (endsOlder ? " --yes" : "")
    }
}
