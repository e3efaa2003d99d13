package import SluiceModel

/// Failed tasks, and such as wait for a retry, whose errors are alike.
package struct FailureGroup: Hashable, Sendable {
    /// What their errors have in common.
    package var kind: FailureKind
    /// Their error, where all of them were looked at and have the same; else what their errors have
    /// in common.
    package var text: String
    /// Whether all of them wait for a retry; then `count` counts these where nothing else is said.
    package var isRetrying = false
    /// How many failed for good.
    package var count: Int
    /// How many wait for a retry, of those that were looked at.
    package var retrying = 0
    /// Their types with how many of each, the most frequent first.
    package var types: [(name: String, count: Int)] { sorted(byType) }
    /// Their queues with how many in each, the most frequent first.
    package var queues: [(name: String, count: Int)] { sorted(byQueue) }
    /// How many counted attempts they had together.
    package var attempts: Int
    /// When the first of them failed for good, or since when the first of them waits.
    package var first: Timestamp
    /// When the last of them failed.
    package var last: Timestamp
    /// How many failed in each twelfth of the last hour, the oldest first.
    package var lastHour: [Int]
    /// The first failed attempt after the last hour without one; nil where it was not looked for.
    package var since: FailureStart?
    /// Failed attempts of the last minute; nil where they were not looked for.
    package var rate: FailureRate?

    private var byType: [String: Int]
    private var byQueue: [String: Int]

    /// How many parts the last hour has.
    package static let parts = 12
    private static let partMinutes: Int64 = 5

    init(
        _ failed: [FailureCount], retrying waiting: [FailureCount] = [], _ text: String?,
        ends: [EndedCounts], now: Timestamp
    ) {
        let counts = failed + waiting
        kind = counts[0].kind
        self.text = text ?? kind.text
        count = failed.reduce(0) { $0 + $1.count }
        retrying = waiting.reduce(0) { $0 + $1.count }
        isRetrying = failed.isEmpty
        attempts = counts.reduce(0) { $0 + $1.attempts }
        first = counts.map(\.first).min() ?? now
        last = counts.map(\.last).max() ?? now
        (byType, byQueue) = ([:], [:])
        for count in counts {
            byType[count.type, default: 0] += count.count
            byQueue[count.queue, default: 0] += count.count
        }
        lastHour = Array(repeating: 0, count: Self.parts)
        for end in ends { add(end.total, at: end.minute, now: now) }
        for count in waiting { add(count.count, at: count.last, now: now) }
    }

    private mutating func add(_ count: Int, at moment: Timestamp, now: Timestamp) {
        let age = EndedCounts.minute(of: now) - EndedCounts.minute(of: moment)
        let place = Self.parts - 1 - Int(age / Self.partMinutes)
        if lastHour.indices.contains(place) { lastHour[place] += count }
    }

    private func sorted(_ counts: [String: Int]) -> [(name: String, count: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// All of them.
    package var total: Int { count + retrying }

    /// The filter that these tasks match, and no others that were given up; with a name only those
    /// of that queue. That of tasks that wait for a retry is of the words of their errors.
    package func filter(in queue: String? = nil) -> TaskFilter {
        filter(isRetrying ? [retryingTerms] : [failedTerms], in: queue)
    }

    /// The filter that both match, those that failed for good and those that wait for a retry.
    package func wholeFilter(in queue: String? = nil) -> TaskFilter {
        guard count > 0, retrying > 0 else { return filter(in: queue) }
        return filter([failedTerms, retryingTerms], in: queue)
    }

    /// The filter of those that wait for a retry.
    package func retryingFilter(in queue: String? = nil) -> TaskFilter {
        filter([retryingTerms], in: queue)
    }

    private var failedTerms: [TaskFilter.Term] { [.field(.failure, [FilterPattern(kind.name)])] }

    private var retryingTerms: [TaskFilter.Term] {
        [.state([.retrying]), .field(.error, [FilterPattern(pieces: kind.pieces)])]
    }

    private func filter(_ choices: [[TaskFilter.Term]], in queue: String?) -> TaskFilter {
        var parts: [TaskFilter.Expression]
        if choices.count == 1 {
            parts = choices[0].map { .term($0) }
        } else {
            parts = [.any(choices.map { .all($0.map { .term($0) }) })]
        }
        if let queue { parts.append(.term(.field(.queue, [FilterPattern(queue)]))) }
        return TaskFilter(.all(parts))
    }
}

/// When something began to fail.
package struct FailureStart: Hashable, Sendable {
    /// The moment of the attempt.
    package var at: Timestamp
    /// Whether there may be an earlier one: not all of the tasks were looked at.
    package var isEstimate: Bool

    /// A moment.
    package init(at: Timestamp, isEstimate: Bool) { (self.at, self.isEstimate) = (at, isEstimate) }
}

/// How many attempts failed in the last minute.
package struct FailureRate: Hashable, Sendable {
    /// How many.
    package var perMinute: Int
    /// Whether it is a part of all that failed, by the last attempts in the log.
    package var isEstimate: Bool
}
