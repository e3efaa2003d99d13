/// An injected failure: a filter on a task's own fields, and the fault for the attempts of matching
/// tasks (G2).
public struct Fault: Hashable, Sendable {
    /// How many of its matches it takes.
    package enum Limit: Hashable, Sendable {
        /// The next matches, across all runners.
        case times(Int)
        /// Each with this probability, drawn from the seed and the number of the match.
        case chance(Double, seed: Int64)
    }
    /// Its number in the store, which no other one gets.
    package var number: Int64
    /// The matching tasks; saved filters are expanded.
    package let filter: TaskFilter
    package var kind: Kind
    /// How many of its matches it takes.
    package var limit: Limit
    /// When it expires, in real time; `nil` for never.
    package var until: Timestamp?
    package var by: String
    /// The number of matching attempts.
    package var matches = 0
    /// The number of attempts with an injection.
    package var applied = 0

    /// Creates a fault without matches. Throws `badFilter` for a filter on more than the task's own
    /// fields. Throws `badValue` for a chance outside 0 to 1, or a count or time below 1.
    package init(
        number: Int64, filter: TaskFilter, kind: Kind, limit: Limit = .times(1), by: String
    ) throws(QueueError) {
        self.number = number
        self.filter = filter.withoutNames
        self.kind = kind
        self.limit = limit
        self.by = by
        try self.filter.checkForFault()
        try limit.check()
        try kind.check()
    }
}

extension Fault {
    /// How many more it takes; nil where chance decides.
    package var left: Int? {
        if case .times(let times) = limit { max(0, times - applied) } else { nil }
    }

    /// Whether it has reached its limit.
    package var isSpent: Bool { left == 0 }

    /// Whether its own time is over.
    package func isOver(at now: Timestamp) -> Bool { until.map { $0 <= now } ?? false }

    /// Whether it applies to attempts at `now`.
    package func isActive(at now: Timestamp) -> Bool { !isSpent && !isOver(at: now) }

    package var asksPayload: Bool { filter.expression.terms.contains(where: \.asksPayload) }

    /// Counts one match; true if the fault takes it.
    package mutating func count() -> Bool {
        matches += 1
        if case .chance(let chance, let seed) = limit {
            guard Self.draw(seed: seed, match: matches) < chance else { return false }
        }
        applied += 1
        return true
    }

    /// A random number in 0..<1 for a match. Depends only on the seed and the match number (the
    /// finalizer of SplitMix64).
    static func draw(seed: Int64, match: Int) -> Double {
        var bits = UInt64(bitPattern: seed) &+ UInt64(match) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return Double(bits >> 11) / 9_007_199_254_740_992
    }
}

extension Fault.Limit {
    fileprivate func check() throws(QueueError) {
        switch self {
        case .times(let times):
            guard times < 1 else { return }
            throw .badValue("--times", "\(times)", allowed: "1 or more")
        case .chance(let chance, _):
            guard !(0...1).contains(chance) else { return }
            throw .badValue("--chance", "\(chance)", allowed: "a number from 0 to 1, such as 0.1")
        }
    }
}

/// An injected fault, as the lease and the attempt log record it.
package struct Injection: Hashable, Sendable {
    /// The fault's number.
    package var fault: Int64
    package var kind: Fault.Kind

    package init(fault: Int64, kind: Fault.Kind) { (self.fault, self.kind) = (fault, kind) }

    /// `injected: fault 2`.
    package var words: String { "injected: fault \(fault)" }

    /// `injected: fault 2, delay=2s`.
    package var sentence: String { "\(words), \(kind.words)" }
}

package struct Faults: Hashable, Sendable {
    /// The last assigned number; 0 before the first.
    package var last: Int64 = 0
    private var listed = FaultList.none

    package init() {}

    /// The faults, by number.
    package var all: [Fault] {
        get { listed.all }
        set { listed = FaultList(newValue) }
    }

    package var isEmpty: Bool { listed.all.isEmpty }

    package subscript(number: Int64) -> Fault? { all.first { $0.number == number } }

    /// Tests a starting attempt against the faults, oldest first, and counts matches. Returns the
    /// fault to inject, at most one. Skips crashes unless the runner allows them.
    package mutating func take(
        _ task: QueueTask, _ facts: some FilterFacts, allowsCrash: Bool
    ) throws -> (fault: Fault?, hasCounted: Bool) {
        let places = try listed.index.places(of: task, facts)
        guard !places.isEmpty else { return (nil, false) }
        var (counted, hasCounted) = (all, false)
        var question = FilterQuestion(of: task, facts)
        for place in places {
            guard counted[place].isActive(at: facts.real),
                allowsCrash || !counted[place].kind.isCrash,
                try question.isMatched(by: counted[place].filter)
            else { continue }
            hasCounted = true
            guard counted[place].count() else { continue }
            all = counted
            return (counted[place], true)
        }
        if hasCounted { all = counted }
        return (nil, hasCounted)
    }
}

/// Faults by what their filters demand, which is a function of them alone.
private final class FaultList: Hashable, Sendable {
    let all: [Fault]
    let index: FilterIndex

    static let none = FaultList([])

    init(_ all: [Fault]) {
        self.all = all
        index = FilterIndex(all.map(\.filter))
    }

    static func == (left: FaultList, right: FaultList) -> Bool {
        left === right || left.all == right.all
    }

    func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
