/// The schedule of a runner's secondary work: polls, retries of failed writes, searches for dead
/// processes, housekeeping.
///
/// A value without a clock. The loop reports events, waits until the returned time, asks which work
/// is due, and does it. Times are the monotonic clock in milliseconds.
struct RunnerAgenda {
    var polls = PollBackoff()
    /// When that is done again which failed.
    private(set) var retryAt: Int64?
    /// The time of the next housekeeping; `nil` for a runner that takes only steps.
    private(set) var housekeepingAt: Int64?
    /// The time of the next search for dead processes without a notice.
    private(set) var reapAt: Int64?
    /// The time since when the store may have undiscovered dead processes.
    private(set) var reapWantedAt: Int64?
    private var lastReap: Int64?
    private(set) var scheduleAt: Int64?
    /// No schedule runs before this time.
    private var schedulesRestUntil: Int64 = .min
    /// How often in succession something failed.
    private(set) var failures = 0

    /// Between two looks for the dead (A2).
    let reapPause: Int64
    /// The delay of the search for dead processes while new tasks start first.
    static let reapPatience: Int64 = 250

    /// At a server a look for the dead is two round trips, and each commit of another worker would
    /// cause one.
    init(isShared: Bool = false) { reapPause = isShared ? 500 : 100 }

    /// How long what failed is let rest, longer each time.
    var backoff: Int64 { 50 << min(Int64(failures), 7) }

    /// The loop woke after a change of the store, or for due work.
    mutating func woke(isNoticed: Bool, at instant: Int64) {
        guard isNoticed || reapAt.map({ $0 <= instant }) ?? false else { return }
        polls.isWanted = true
        wantReap(at: instant)
    }

    /// How long the loop may sleep; nil until something comes. `hasMore` says whether there is more
    /// to do, `isFull` whether every slot is taken, and `machine` how long that which runs lets it
    /// sleep.
    func sleepMilliseconds(
        at instant: Int64, hasMore: Bool, isFull: Bool = false, machine: Int64?
    ) -> Int64? {
        if hasMore { return 0 }
        let moments = [
            reapAt, retryAt, housekeepingAt, scheduleAt, polls.dueAt(isBusy: isFull),
        ]
        let waits = moments.map { moment in moment.map { max(0, $0 - instant) } } + [machine]
        return waits.compactMap { $0 }.min()
    }

    /// Whether a poll is due. A runner is busy if it has more to do, or if no slot is free.
    func isPollDue(at instant: Int64, isBusy: Bool) -> Bool {
        polls.dueAt(isBusy: isBusy).map { $0 <= instant } ?? false
    }
}

/// Retries of failed work.
extension RunnerAgenda {
    mutating func failed() { failures += 1 }

    /// Schedules a retry after the backoff, or earlier if one is already due earlier.
    mutating func worked() { failures = 0 }

    /// Does again what failed: after the backoff, or as early as it was to be.
    mutating func retryLater(at instant: Int64) { retry(at: instant + backoff) }

    /// Does something again at a moment at the latest.
    mutating func retry(at moment: Int64) { retryAt = min(retryAt ?? .max, moment) }

    /// Makes a pending retry due now.
    mutating func hurry(at instant: Int64) {
        if retryAt != nil { retryAt = instant }
    }

    /// Whether it is to be done again now; then it is taken as done.
    mutating func consumeRetry(at instant: Int64) -> Bool {
        guard let due = retryAt, due <= instant else { return false }
        retryAt = nil
        return true
    }

    /// The store is unavailable: cancels all work on it.
    mutating func giveUp() {
        (retryAt, reapAt, housekeepingAt, scheduleAt) = (nil, nil, nil, nil)
    }
}

/// Housekeeping (Q9, D9).
extension RunnerAgenda {
    /// From now on, or sooner than usual where a slice was not all.
    mutating func keepHouse(at instant: Int64) { housekeepingAt = instant }

    /// Whether it is due; then the next one comes after `pause`.
    mutating func consumeHousekeeping(at instant: Int64, pause: Int64) -> Bool {
        guard let due = housekeepingAt, due <= instant else { return false }
        housekeepingAt = instant + pause
        return true
    }
}

/// Schedules (R2).
extension RunnerAgenda {
    /// The delay of other runners after the first of those with the same queues; usually the first
    /// has done the work by then.
    static let schedulePatience: Int64 = 500
    /// How long a schedule rests that this machine cannot tell the next moment of.
    static let scheduleRest: Int64 = 60_000

    /// Sets the time of the next schedule, `wait` milliseconds from now, or clears it if `nil`.
    mutating func expectSchedule(in wait: Int64?, isFirst: Bool, at instant: Int64) {
        scheduleAt = wait.map { wait in
            let moment = instant + min(max(0, wait), 1 << 50)
            return max(schedulesRestUntil, moment + (isFirst ? 0 : Self.schedulePatience))
        }
    }

    /// Whether a schedule is due. A true result marks it as done.
    mutating func consumeSchedule(at instant: Int64) -> Bool {
        guard let due = scheduleAt, due <= instant else { return false }
        scheduleAt = nil
        return true
    }

    /// Leaves due schedules to other runners for a while, because this one cannot run them.
    mutating func letSchedulesRest(at instant: Int64) {
        schedulesRestUntil = instant + Self.scheduleRest
    }
}

/// The search for dead processes (A2): after changes of the store when idle, at most ten times a
/// second, or twice a second at a server.
extension RunnerAgenda {
    /// Whether another search for dead processes will follow.
    var expectsDeath: Bool { (reapAt ?? reapWantedAt) != nil }

    /// The store may have undiscovered dead processes.
    mutating func wantReap(at instant: Int64) { reapWantedAt = reapWantedAt ?? instant }

    /// Whether a search is due now; `isIdle` states that there is no other work.
    mutating func consumeReap(at instant: Int64, isIdle: Bool) -> Bool {
        guard let since = reapWantedAt, isIdle || instant - since >= Self.reapPatience else {
            return false
        }
        reapWantedAt = nil
        guard let lastReap, instant - lastReap < reapPause else { return true }
        reapAt = min(reapAt ?? .max, lastReap + reapPause)
        return false
    }

    /// A search starts now.
    mutating func reaps(at instant: Int64) { (lastReap, reapAt) = (instant, nil) }

    /// Sets the time when a process may die without a notice.
    mutating func expectDeath(at moment: Int64?) { reapAt = moment }
}
