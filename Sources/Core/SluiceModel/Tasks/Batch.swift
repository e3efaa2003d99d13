/// The facts, besides settings, that determine the next run of a batched queue (Q4).
package struct BatchFacts: Hashable, Sendable {
    /// How many fresh tasks wait, counted to the threshold.
    package var freshCount: Int
    /// When the first of them became fresh.
    package var firstFresh: Timestamp?
    /// Whether anything else waits that a run could attempt, or that waits out a retry.
    package var hasLeftOvers: Bool
    /// The earliest end of a retry, if all left-over tasks wait for one.
    package var earliestRetry: Timestamp?
    /// The first moment when a waiting task becomes due.
    package var earliestTimer: Timestamp?

    package init(
        freshCount: Int, firstFresh: Timestamp?, hasLeftOvers: Bool, earliestTimer: Timestamp?,
        earliestRetry: Timestamp? = nil
    ) {
        self.freshCount = freshCount
        self.firstFresh = firstFresh
        self.hasLeftOvers = hasLeftOvers
        self.earliestTimer = earliestTimer
        self.earliestRetry = earliestRetry
    }
}

extension QueueRecord {
    /// The longest wait between runs that attempt something without one success (Q4).
    static let longestBarrenWaitMilliseconds: Int64 = 1_800_000

    /// When the next automatic run begins; `nil` for never. A past moment means now. Ignores
    /// pauses.
    package func nextRun(_ facts: BatchFacts, now: Timestamp) -> Timestamp? {
        guard case .batched(let count, let delay) = settings.start, run == nil else { return nil }
        if facts.freshCount >= count { return now }
        var moments: [Timestamp] = []
        if let first = facts.firstFresh { moments.append(first + delay) }
        if facts.hasLeftOvers {
            var wait = max(1, delay)
            for _ in 0..<min(barrenRuns, 40) where wait < Self.longestBarrenWaitMilliseconds {
                wait *= 2
            }
            let capped = barrenRuns == 0 ? delay : min(wait, Self.longestBarrenWaitMilliseconds)
            // A clock that was set back does not put the wait off by as much.
            let end = min(lastRunEnd ?? createdAt, now)
            moments.append(max(end + capped, facts.earliestRetry ?? end))
        }
        if let timer = facts.earliestTimer { moments.append(timer + delay) }
        return moments.min()
    }
}
