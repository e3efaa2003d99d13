import SluiceControl
import SluiceModel
import SluiceStore

/// The tasks of a queue by what they show, each counted once (K6: read, never counted by a scan).
public struct QueueTally: Hashable, Sendable {
    /// Running ones.
    public var running = 0
    /// Those that could start.
    public var due = 0
    /// Waiting out a retry.
    public var retrying = 0
    /// Waiting for a time of their own.
    public var delayed = 0
    /// Held by the start of a group.
    public var held = 0
    /// Skipped by a person.
    public var skipped = 0
    /// Parked.
    public var parked = 0
    /// Tried in the open run, or with an execution that still goes on.
    public var blocked = 0
    /// Given up.
    public var failed = 0
    /// Kept after success.
    public var succeeded = 0
    /// In the trash.
    public var deleted = 0
    /// Whether there are more due ones than were counted.
    public var isDueCapped = false

    /// Nothing.
    public init() {}

    /// Of a queue at a glance.
    public init(_ overview: QueueOverview) {
        let counts = overview.counts
        running = counts[.running] - overview.lost
        blocked = overview.lost
        failed = counts[.failed]
        succeeded = counts[.succeeded]
        deleted = counts[.deleted]
        for (lane, count) in counts.lanes { add(count, lane) }
        isDueCapped = overview.hasMoreWoken
        if !overview.isDueCapped { correct(due: overview.due) }
    }

    /// Of those that nothing of their own keeps from starting so many may start; the others are
    /// blocked by what is not theirs alone.
    private mutating func correct(due count: Int) {
        guard count < due else { return }
        blocked += due - count
        due = count
    }

    /// Running, waiting and given-up ones: the rows of the list.
    public var live: Int { running + waiting + failed }

    /// Waiting ones.
    public var waiting: Int { due + retrying + delayed + held + skipped + parked + blocked }

    private mutating func add(_ count: Int, _ lane: Lane) {
        if lane.contains(.parked) {
            parked += count
        } else if lane.contains(.skipped) {
            skipped += count
        } else if lane.contains(.retrying) {
            retrying += count
        } else if lane.contains(.delayed) {
            delayed += count
        } else if lane.contains(.held) {
            held += count
        } else if lane.isEmpty {
            due += count
        } else {
            blocked += count
        }
    }
}
