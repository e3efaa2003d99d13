import SluiceModel

/// A number of a queue as this console saw it: a value holds until the next look.
struct SampleTrack: Hashable, Sendable {
    /// Which of several values of one part of time is kept.
    enum Kept: Hashable, Sendable {
        case most, least
    }
    private struct Look: Hashable {
        var at: Int64
        var value: Int64?
    }
    private let kept: Kept
    /// Since when it is known without a gap.
    private(set) var since: Timestamp?
    private var parts: [Int64: Int64?] = [:]
    private var last: Look?

    /// Looks are a minute apart at most while the screen is shown.
    private static let gapMilliseconds: Int64 = 70_000
    private static let part: Int64 = 10_000
    private static let keptParts: Int64 = 8640

    init(keeps kept: Kept) { self.kept = kept }

    /// Takes in a look; nil means that there is no such number now.
    mutating func apply(_ value: Int64?, at now: Timestamp) {
        let place = FlowTrack.index(now, Self.part)
        if let last, now.milliseconds >= last.at, now.milliseconds - last.at < Self.gapMilliseconds
        {
            // The former value held until now.
            let former = FlowTrack.index(Timestamp(milliseconds: last.at), Self.part)
            for part in stride(from: former + 1, through: place, by: 1) where parts[part] == nil {
                parts[part] = .some(last.value)
            }
        } else {
            (since, parts) = (now, [:])
        }
        parts[place] = .some(merged(parts[place] ?? nil, value))
        if place % 60 == 0, parts.count > Int(Self.keptParts) {
            parts = parts.filter { $0.key > place - Self.keptParts }
        }
        last = Look(at: now.milliseconds, value: value)
    }

    private func merged(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one, let other else { return one ?? other }
        return kept == .most ? max(one, other) : min(one, other)
    }

    /// The value of a part of time: nil if it is not known, and nil in it if there was none.
    func value(from begin: Int64, to end: Int64) -> Int64?? {
        guard let since, let last, end >= since.milliseconds, begin <= end else { return nil }
        var found: Int64?
        let first = FlowTrack.index(
            Timestamp(milliseconds: max(begin, since.milliseconds)), Self.part)
        let until = FlowTrack.index(Timestamp(milliseconds: max(begin, end - 1)), Self.part)
        guard first <= until else { return .some(last.value) }
        for part in first...until {
            if let value = parts[part] {
                found = merged(found, value)
            } else if part * Self.part > last.at {
                found = merged(found, last.value)
            }
        }
        return .some(found)
    }
}
