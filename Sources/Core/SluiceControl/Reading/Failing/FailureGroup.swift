package import SluiceModel

/// Failed tasks, and such as wait for a retry, whose errors are alike.
package struct FailureGroup: Hashable, Sendable {
    package var kind: FailureKind
    /// The error if all checked tasks share it, else the common part of their errors.
    package var text: String
    /// Whether all tasks wait for a retry. `retryingFailures` counts these in `count`.
    package var isRetrying = false
    /// The number of permanently failed tasks.
    package var count: Int
    /// The number of checked tasks that wait for a retry.
    package var retrying = 0
    /// Whether the retry of some of them is due.
    var hasDueRetries = false
    /// Their types with how many of each, the most frequent first.
    package var types: [(name: String, count: Int)] { sorted(byType) }
    /// Their queues with how many in each, the most frequent first.
    package var queues: [(name: String, count: Int)] { sorted(byQueue) }
    /// How many counted attempts they had together.
    package var attempts: Int
    /// The first permanent failure, or the moment since when the first task waits.
    package var first: Timestamp
    /// When the last of them failed.
    package var last: Timestamp
    /// How many failed in each twelfth of the last hour, the oldest first.
    package var lastHour: [Int]
    /// The first failed attempt after an hour without any; `nil` if not computed.
    package var since: FailureStart?
    /// Failed attempts of the last minute; `nil` if not computed.
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

    /// A filter that matches exactly these failed tasks; `queue` limits it to one queue. For tasks
    /// waiting for a retry it matches the words of their errors.
    package func filter(in queue: String? = nil) -> TaskFilter {
        filter(isRetrying ? retryingChoices : [failedTerms], in: queue)
    }

    /// A filter for both the failed tasks and those waiting for a retry.
    package func wholeFilter(in queue: String? = nil) -> TaskFilter {
        guard count > 0, retrying > 0 else { return filter(in: queue) }
        return filter([failedTerms] + retryingChoices, in: queue)
    }

    /// A filter for the tasks that wait for a retry.
    package func retryingFilter(in queue: String? = nil) -> TaskFilter {
        filter(retryingChoices, in: queue)
    }

    /// A filter without the due retries, which an index finds.
    func indexedFilter() -> TaskFilter {
        var group = self
        group.hasDueRetries = false
        return group.wholeFilter()
    }

    private var failedTerms: [TaskFilter.Term] { [.field(.failure, [FilterPattern(kind.name)])] }

    private var retryingChoices: [[TaskFilter.Term]] {
        let error = TaskFilter.Term.field(.error, [FilterPattern(pieces: kind.pieces)])
        let retrying: [TaskFilter.Term] = [.state([.retrying]), error]
        guard hasDueRetries else { return [retrying] }
        let due: [TaskFilter.Term] = [
            .state([.due, .blocked]), .measure(.attempts, .greater, 0), error,
        ]
        return [retrying, due]
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
    /// Whether an earlier failure may exist, because the search was limited.
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
