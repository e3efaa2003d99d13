import SluiceModel
package import SluiceStore

/// The tasks of a queue by displayed state, each counted once. Sluice reads kept counts and never
/// scans (K6).
package struct QueueTally: Hashable, Sendable {
    package var running = 0
    /// Tasks of another system that a worker has reserved and may not run yet.
    package var taken = 0
    /// Tasks that could start.
    package var due = 0
    package var retrying = 0
    /// Tasks that failed and whose retry is due; `due` or `blocked` counts them too.
    package var dueRetries = 0
    /// Tasks that wait for their own time.
    package var delayed = 0
    /// Held by the start of a group.
    package var held = 0
    package var skipped = 0
    package var parked = 0
    /// Tasks attempted in the open run, or with a lingering execution.
    package var blocked = 0
    package var failed = 0
    /// Kept after success.
    package var succeeded = 0
    package var deleted = 0
    /// Whether `due` is a lower bound.
    package var isDueCapped = false

    /// The counts that may be estimates.
    package enum Estimate: Hashable, Sendable {
        case due, blocked, delayed, skipped, running, failed
    }
    /// The counts that another system's server estimates.
    package var estimated: Set<Estimate> = []
    /// The counts that are lower bounds.
    package var bounded: Set<Estimate> = []

    package init() {}

    package init(_ overview: QueueOverview) {
        self.init(overview.counts)
        running -= overview.lost
        blocked += overview.lost
        dueRetries = overview.dueRetries
        isDueCapped = overview.hasMoreWoken
        if !overview.isDueCapped { correct(due: overview.due) }
    }

    /// The counts without what queues and runners block.
    package init(_ counts: QueueCounts) {
        running = counts[.running]
        failed = counts[.failed]
        succeeded = counts[.succeeded]
        deleted = counts[.deleted]
        for (waitFlags, count) in counts.waitingByFlags { add(count, waitFlags) }
    }

    /// Limits `due` to `count` and moves the rest to `blocked`. The queue or a runner blocks those.
    private mutating func correct(due count: Int) {
        guard count < due else { return }
        blocked += due - count
        due = count
    }

    /// Running, waiting and given-up ones: the rows of the list.
    package var live: Int { running + taken + waiting + failed }

    /// How many are in hand, in words: `2 running`.
    package var inFlightText: String {
        guard taken > 0 else { return "\(running) running" }
        return (running > 0 ? "\(running) running, " : "") + "\(taken) taken"
    }

    package var waiting: Int { due + retrying + delayed + held + skipped + parked + blocked }

    package var isWaitingEstimated: Bool {
        !estimated.isDisjoint(with: [.due, .blocked, .delayed, .skipped])
    }

    private mutating func add(_ count: Int, _ waitFlags: WaitFlags) {
        if waitFlags.contains(.parked) {
            parked += count
        } else if waitFlags.contains(.skipped) {
            skipped += count
        } else if waitFlags.contains(.retrying) {
            retrying += count
        } else if waitFlags.contains(.delayed) {
            delayed += count
        } else if waitFlags.contains(.held) {
            held += count
        } else if waitFlags.isEmpty {
            due += count
        } else {
            blocked += count
        }
    }
}
