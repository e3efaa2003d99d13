/// The reasons that keep a waiting task from a claim, as bits of a small number. It is an index
/// column, so an engine finds ready tasks and counts others without a scan.
///
/// The flags follow from the task alone, so each write of a task writes them too. A passed timer
/// remains in the flags until the queue's next write wakes the task.
package struct WaitFlags: OptionSet, Hashable, Sendable {
    /// The bits, 0 for a task that is ready.
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// An earlier start of one of its groups holds it (B5).
    package static let held = WaitFlags(rawValue: 1)
    /// Skipped by a person (B4).
    package static let skipped = WaitFlags(rawValue: 2)
    /// Parked (B11).
    package static let parked = WaitFlags(rawValue: 4)
    /// It waits out a retry (B3).
    package static let retrying = WaitFlags(rawValue: 8)
    /// It waits for its own not-before time (B3).
    package static let delayed = WaitFlags(rawValue: 16)
    /// Attempted in the open run (B10).
    package static let attempted = WaitFlags(rawValue: 32)
    /// An earlier execution is still running (B12).
    package static let lingering = WaitFlags(rawValue: 64)

    /// The task has no own reason to wait.
    package static let ready: WaitFlags = []

    /// All sets of flags there are, for engines that look at each by its index.
    package static let all = (0..<128).map(WaitFlags.init(rawValue:))

    /// Whether time alone may change how a waiting task with these flags waits (`wakesAt`).
    package var mayWake: Bool { !isDisjoint(with: [.retrying, .delayed, .skipped]) }

    /// Whether a waiting task with these flags holds a `block` queue when it is the first of them
    /// (B7).
    package var holdsBlockQueue: Bool {
        isDisjoint(with: [.held, .skipped]) && (!contains(.delayed) || contains(.parked))
    }
}

extension QueueTask {
    /// The flags of a waiting task; `ready` for any other.
    package var waitFlags: WaitFlags {
        guard let waiting else { return .ready }
        var waitFlags: WaitFlags = []
        if isHeld { waitFlags.insert(.held) }
        if waiting.skip != nil { waitFlags.insert(.skipped) }
        if waiting.parking != nil { waitFlags.insert(.parked) }
        switch waiting.timer?.cause {
        case .retry: waitFlags.insert(.retrying)
        case .notBefore: waitFlags.insert(.delayed)
        case nil: break
        }
        if waiting.attemptedInRun { waitFlags.insert(.attempted) }
        if waiting.lingering != nil { waitFlags.insert(.lingering) }
        return waitFlags
    }

    /// The next moment when time alone changes the wait: its timer, or the end of a skip.
    package var wakesAt: Timestamp? {
        guard let waiting else { return nil }
        return [waiting.timer?.until, waiting.skip?.until].compactMap { $0 }.min()
    }

    /// The task after its passed timers are cleared; the version stays, since no rule reads them.
    package func awake(at now: Timestamp) -> QueueTask {
        guard var waiting else { return self }
        if let timer = waiting.timer, timer.until <= now { waiting.timer = nil }
        if let until = waiting.skip?.until, until <= now { waiting.skip = nil }
        var task = self
        task.state = .waiting(waiting)
        return task
    }

    /// When the task ended, if it has.
    package var endedAt: Timestamp? {
        switch state {
        case .waiting, .running: nil
        case .succeeded(let success): success.at
        case .failed(let failure): failure.at
        case .deleted(let trash): trash.at
        }
    }

    /// The task's place within its state. Waiting tasks use the queue's order, running tasks their
    /// start, and ended tasks come newest first.
    package func orderKey(_ order: QueueOrder) -> OrderKey {
        switch state {
        case .waiting: OrderKey(self, order: order)
        case .running(let lease): OrderKey(moment: lease.since, id: id, isNewestFirst: false)
        case .succeeded, .failed, .deleted:
            OrderKey(moment: endedAt ?? updatedAt, id: id, isNewestFirst: true)
        }
    }
}
