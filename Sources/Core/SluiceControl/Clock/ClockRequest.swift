public import SluiceModel

/// A request to change the store's clock.
public struct ClockRequest: Hashable, Sendable {
    /// The change to make.
    public enum Change: Hashable, Sendable {
        /// Freezes the clock at its present time.
        case freeze
        /// Moves the clock by some milliseconds, forward or back.
        case move(Int64)
        /// It shows a time from now on.
        case set(Timestamp)
        /// It goes exactly to the next time that something waits for, in one queue or in all.
        case next(queue: String?)
        /// Sets the clock's rate relative to real time.
        case rate(Double)
        /// It shows the real time again.
        case real
    }
    /// The change to make.
    public var change: Change
    /// The arguments as the user typed them.
    private(set) var typed: String?
    /// Whether attached programs of older versions, which go by the real time, may be ended.
    public var endsOlder = false

    /// A change of the clock.
    public init(_ change: Change) { self.change = change }
}

/// A change of the clock as a command says it.
extension ClockRequest {
    /// Parses the arguments of `clock`; `nil` without arguments.
    package init?(_ arguments: Arguments) throws(QueueError) {
        guard let word = arguments.values.first else { return nil }
        try arguments.refuseMore(than: ["next", "rate"].contains(word) ? 2 : 1)
        self.init(try Self.change(word, arguments.values.dropFirst().first, arguments))
        typed = arguments.values.map(ShellWord.quoted).joined(separator: " ")
        endsOlder = arguments.has("--yes")
    }

    private static func change(
        _ word: String, _ rest: String?, _ arguments: Arguments
    ) throws(QueueError) -> Change {
        switch word {
        case "freeze": return .freeze
        case "real": return .real
        case "next":
            if let rest { try Names.check(rest, of: "queue") }
            return .next(queue: rest)
        case "rate":
            guard let rest else { throw .usage("N, the rate, is missing", of: arguments.command) }
            return .rate(try rate(rest))
        default: return try move(word)
        }
    }

    private static func rate(_ text: String) throws(QueueError) -> Double {
        let digits = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits, let rate = Double(text), StoreTime.rates.contains(rate) else {
            throw .badValue("rate", text, allowed: "a number from 0.01 to 1000, such as 10")
        }
        return rate
    }

    private static func move(_ word: String) throws(QueueError) -> Change {
        let sign: Int64 = word.hasPrefix("-") ? -1 : 1
        if word.hasPrefix("+") || word.hasPrefix("-") {
            if let wait = DurationText.milliseconds(String(word.dropFirst())) {
                return .move(sign * min(wait, farthest))
            }
            // The store knows its first and its last time, and names them.
            if NumberText.excess(of: word) != nil { return .move(sign * farthest) }
        } else if let time = time(word) {
            return .set(time)
        }
        throw .badValue(
            "clock", word,
            allowed: "freeze, +5m, -5m, a time such as 2026-12-24T18:00 (UTC, or with a zone), "
                + "next [QUEUE], rate N, real")
    }

    /// More milliseconds than lie between any two times that a clock shows.
    private static let farthest = StoreTime.last.milliseconds * 2

    /// Parses a time to the second or minute, in a zone or by default in UTC. Accepts years too
    /// late to display.
    private static func time(_ word: String) -> Timestamp? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }.count
        let long = String(repeating: "0", count: max(0, 6 - digits))
        let word = digits > 4 ? "+\(long)\(word)" : word
        // A zone may follow the minute.
        let clock = word.firstIndex { "Tt ".contains($0) }
        let minute = clock.flatMap { word.index($0, offsetBy: 6, limitedBy: word.endIndex) }
        let whole = minute.map { "\(word[..<$0]):00\(word[$0...])" } ?? word
        return [word, word + "Z", whole, whole + "Z"].lazy.compactMap { TimeText.rfc3339($0) }.first
    }

    /// The command that asks for the same, without `sluice`.
    package var command: String { "clock \(spelled)" + (endsOlder ? " --yes" : "") }

    /// The change as arguments of the command.
    var spelled: String {
        if let typed { return typed }
        return switch change {
        case .freeze: "freeze"
        case .move(let wait) where wait < 0: "-\(DurationText.compact(-wait))"
        case .move(let wait): "+\(DurationText.compact(wait))"
        case .set(let time): TimeText.rfc3339(time)
        case .next(nil): "next"
        case .next(let queue?): "next \(ShellWord.quoted(queue))"
        case .rate(let rate): "rate \(StoreTime.text(rate: rate))"
        case .real: "real"
        }
    }
}
