/// When a runner does what is due beside its tasks: polls, retries of what failed, looks for dead
/// processes, housekeeping.
///
/// A value without a clock: the loop tells it what happened, waits as long as it says, asks what is
/// due and does that. Moments are the machine's monotonic clock in milliseconds.
struct RunnerAgenda {
    /// When the store is looked at.
    var polls = PollBackoff()
    /// When that is done again which failed.
    private(set) var retryAt: Int64?
    /// When the store is next relieved of what it need not keep; nil for a runner of steps alone.
    private(set) var housekeepingAt: Int64?
    /// When the dead are looked for although nobody tells of one.
    private(set) var reapAt: Int64?
    /// Since when the store may hold dead whom nobody has found.
    private(set) var reapWantedAt: Int64?
    private var lastReap: Int64?
    /// When a schedule is due.
    private(set) var scheduleAt: Int64?
    /// Until then no schedule is looked at.
    private var schedulesRestUntil: Int64 = .min
    /// How often in succession something failed.
    private(set) var failures = 0

    /// Between two looks for the dead (A2).
    static let reapPause: Int64 = 100
    /// How long the dead wait for what is new, which starts first.
    static let reapPatience: Int64 = 250

    /// How long what failed is let rest, longer each time.
    var backoff: Int64 { 50 << min(Int64(failures), 7) }

    /// The loop woke: because the store changed, or for what was due.
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

    /// Whether the store is to be looked at now. A runner is busy where it has more to do, or where
    /// every slot is taken.
    func isPollDue(at instant: Int64, isBusy: Bool) -> Bool {
        polls.dueAt(isBusy: isBusy).map { $0 <= instant } ?? false
    }
}

/// What failed, and is done again.
extension RunnerAgenda {
    /// Something failed.
    mutating func failed() { failures += 1 }

    /// Something was written.
    mutating func worked() { failures = 0 }

    /// Does again what failed: after the backoff, or as early as it was to be.
    mutating func retryLater(at instant: Int64) { retry(at: instant + backoff) }

    /// Does something again at a moment at the latest.
    mutating func retry(at moment: Int64) { retryAt = min(retryAt ?? .max, moment) }

    /// Does at once what was to be done again.
    mutating func hurry(at instant: Int64) {
        if retryAt != nil { retryAt = instant }
    }

    /// Whether it is to be done again now; then it is taken as done.
    mutating func takeRetry(at instant: Int64) -> Bool {
        guard let due = retryAt, due <= instant else { return false }
        retryAt = nil
        return true
    }

    /// The store is gone: nothing is done at it any more.
    mutating func giveUp() {
        (retryAt, reapAt, housekeepingAt, scheduleAt) = (nil, nil, nil, nil)
    }
}

/// Housekeeping (Q9, D9).
extension RunnerAgenda {
    /// From now on, or sooner than usual where a slice was not all.
    mutating func keepHouse(at instant: Int64) { housekeepingAt = instant }

    /// Whether it is due; then the next one comes after `pause`.
    mutating func takeHousekeeping(at instant: Int64, pause: Int64) -> Bool {
        guard let due = housekeepingAt, due <= instant else { return false }
        housekeepingAt = instant + pause
        return true
    }
}

/// Schedules (R2).
extension RunnerAgenda {
    /// How much later than the first of those that take the same another runner comes: mostly the
    /// first has done it by then.
    static let schedulePatience: Int64 = 500
    /// How long a schedule rests that this machine cannot tell the next moment of.
    static let scheduleRest: Int64 = 60_000

    /// One is due in so many milliseconds; nil where there is none.
    mutating func expectSchedule(in wait: Int64?, isFirst: Bool, at instant: Int64) {
        scheduleAt = wait.map { wait in
            let moment = instant + min(max(0, wait), 1 << 50)
            return max(schedulesRestUntil, moment + (isFirst ? 0 : Self.schedulePatience))
        }
    }

    /// Whether one is due now; then it is taken as done.
    mutating func takeSchedule(at instant: Int64) -> Bool {
        guard let due = scheduleAt, due <= instant else { return false }
        scheduleAt = nil
        return true
    }

    /// What is due cannot be done here, and is left to others for a while.
    mutating func letSchedulesRest(at instant: Int64) {
        schedulesRestUntil = instant + Self.scheduleRest
    }
}

/// The dead (A2): looked for when the store changed and nothing else is to be done, at most ten
/// times a second.
extension RunnerAgenda {
    /// Whether the dead will be looked for once more.
    var expectsDeath: Bool { (reapAt ?? reapWantedAt) != nil }

    /// There may be dead whom nobody has found.
    mutating func wantReap(at instant: Int64) { reapWantedAt = reapWantedAt ?? instant }

    /// Whether they are to be looked for now: `isIdle` says that nothing else is to be done.
    mutating func takeReap(at instant: Int64, isIdle: Bool) -> Bool {
        guard let since = reapWantedAt, isIdle || instant - since >= Self.reapPatience else {
            return false
        }
        reapWantedAt = nil
        guard let lastReap, instant - lastReap < Self.reapPause else { return true }
        reapAt = min(reapAt ?? .max, lastReap + Self.reapPause)
        return false
    }

    /// They are looked for now.
    mutating func reaps(at instant: Int64) { (lastReap, reapAt) = (instant, nil) }

    /// When somebody may have died of whom nobody tells.
    mutating func expectDeath(at moment: Int64?) { reapAt = moment }
}
