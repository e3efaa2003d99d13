/// What keeps a waiting task from being taken, as one small number: the index column by which an
/// engine finds what is ready, and counts what is held, skipped or parked, without a scan.
///
/// It follows from the task alone, so it is written with it; a timer that has passed stays in the
/// lane until the next write of its queue wakes the task.
package struct Lane: OptionSet, Hashable, Sendable {
    /// The bits, 0 for a task that is ready.
    package let rawValue: Int

    /// A lane of bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// An earlier start of one of its groups holds it (B5).
    package static let held = Lane(rawValue: 1)
    /// Skipped by a person (B4).
    package static let skipped = Lane(rawValue: 2)
    /// Parked (B11).
    package static let parked = Lane(rawValue: 4)
    /// It waits out a retry (B3).
    package static let retrying = Lane(rawValue: 8)
    /// It waits for its own not-before time (B3).
    package static let delayed = Lane(rawValue: 16)
    /// Attempted in the open run (B10).
    package static let attempted = Lane(rawValue: 32)
    /// An earlier execution still goes on (B12).
    package static let lingering = Lane(rawValue: 64)

    /// Nothing of the task itself keeps it from being taken.
    package static let ready: Lane = []

    /// All lanes there are, for engines that look at each by its index.
    package static let all = (0..<128).map(Lane.init(rawValue:))

    /// Whether time alone may change how a waiting task of this lane waits (`wakesAt`).
    package var mayWake: Bool { !isDisjoint(with: [.retrying, .delayed, .skipped]) }

    /// Whether a waiting task of this lane holds a `block` queue when it is the first of them (B7).
    package var holdsBlockQueue: Bool {
        isDisjoint(with: [.held, .skipped]) && (!contains(.delayed) || contains(.parked))
    }
}

extension QueueTask {
    /// The lane of a waiting task; `ready` for any other.
    package var lane: Lane {
        guard let waiting else { return .ready }
        var lane: Lane = []
        if isHeld { lane.insert(.held) }
        if waiting.skip != nil { lane.insert(.skipped) }
        if waiting.parking != nil { lane.insert(.parked) }
        switch waiting.timer?.cause {
        case .retry: lane.insert(.retrying)
        case .notBefore: lane.insert(.delayed)
        case nil: break
        }
        if waiting.attemptedInRun { lane.insert(.attempted) }
        if waiting.lingering != nil { lane.insert(.lingering) }
        return lane
    }

    /// The next moment at which time alone changes how the task waits: its timer, or the end of a
    /// skip.
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

    /// The place of the task among those of its state: waiting ones in the queue's order, running
    /// ones by their start, ended ones newest first.
    package func orderKey(_ order: QueueOrder) -> OrderKey {
        switch state {
        case .waiting: OrderKey(self, order: order)
        case .running(let lease): OrderKey(moment: lease.since, id: id, isNewestFirst: false)
        case .succeeded, .failed, .deleted:
            OrderKey(moment: endedAt ?? updatedAt, id: id, isNewestFirst: true)
        }
    }
}
