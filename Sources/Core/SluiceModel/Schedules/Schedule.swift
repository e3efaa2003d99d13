/// A schedule for recurring tasks: the task to enqueue, its queue, and the times.
public struct Schedule: Hashable, Sendable {
    /// The treatment of moments that passed without an attached runner.
    public enum Missed: String, Hashable, Sendable, CaseIterable {
        case once
        /// A task for each, of the last `Schedule.madeUpAtOnce`.
        case each
        /// No task, where the last of them is more than `Schedule.lateness` ago.
        case none
    }
    /// Its name, unique in the store.
    public var name: String
    package var spec: ScheduleSpec
    /// The time zone whose clocks a cron means, by its name in the time zone database.
    public var timeZone = utc
    /// The queue that its tasks come to.
    public var queue: String
    /// Their type.
    public var type: String
    /// Their payload.
    public var payload: [UInt8]
    /// The treatment of missed moments.
    public var missed = Missed.once
    /// The moment of the next task, if any.
    public var next: Timestamp?
    /// The moment of the last task.
    public var last: Timestamp?
    /// Whether it is paused, and makes no tasks.
    public var isPaused = false
    /// Who set it.
    public var by: String

    /// The default time zone.
    public static let utc = "UTC"
    /// The maximum number of missed moments to make up for; the last ones win.
    package static let madeUpAtOnce = 100
    /// A moment that is further past counts as missed.
    package static let lateness: Int64 = 60_000
    /// The maximum payload size. The store's record contains it, and every commit may read that
    /// record.
    package static let payloadBytes = 64 << 10

    /// A schedule that was never due.
    package init(
        name: String, spec: ScheduleSpec, queue: String, type: String, payload: [UInt8], by: String
    ) {
        (self.name, self.spec, self.queue) = (name, spec, queue)
        (self.type, self.payload, self.by) = (type, payload, by)
    }

    /// Whether a task is due at `now`.
    package func isDue(at now: Timestamp) -> Bool {
        guard !isPaused, let next else { return false }
        return next <= now
    }

    /// The next moment by its rule, counted anew. A moment that it enqueued for is not given again,
    /// unless the clock was ahead then by more than `lateness`.
    package func recounted(at now: Timestamp, in zone: ZoneRules) -> Timestamp? {
        let passed = last.flatMap { $0 > now && $0 - now <= Self.lateness ? $0 : nil } ?? now
        return spec.next(after: passed, in: zone)
    }

    /// Whether `next` is later than its rule allows now. The clock was ahead at its computation,
    /// and no task follows until then.
    package func isBeyondRule(at now: Timestamp, in zone: ZoneRules) -> Bool {
        guard let next, next > now, let wanted = recounted(at: now, in: zone) else { return false }
        return next - wanted > Self.lateness
    }

    package struct Due: Hashable, Sendable {
        /// The moments of the new tasks, in order.
        package var moments: [Timestamp]
        /// Whether it skips other moments.
        package var passesOver: Bool
    }

    /// Takes the due moments, each for one new task, and sets `next` to a moment after `now`.
    package mutating func take(at now: Timestamp, in zone: ZoneRules) -> Due {
        guard isDue(at: now), let first = next else { return Due(moments: [], passesOver: false) }
        let limit = missed == .each ? Self.madeUpAtOnce : 1
        var (moments, isCut) = spec.moments(from: first, through: now, in: zone, limit: limit)
        if missed == .none, let latest = moments.last, now - latest > Self.lateness {
            (moments, isCut) = ([], true)
        }
        next = spec.next(after: now, in: zone)
        if let latest = moments.last { last = latest }
        return Due(moments: moments, passesOver: isCut)
    }
}

/// The schedule that made a task, and the moment that the task is for.
public struct ScheduledMoment: Hashable, Sendable {
    /// The schedule's name.
    public var schedule: String
    /// The moment when it was due.
    public var at: Timestamp

    /// A moment of a schedule.
    public init(schedule: String, at: Timestamp) { (self.schedule, self.at) = (schedule, at) }
}

/// The schedules of a store, by name.
package struct Schedules: Hashable, Sendable {
    /// All of them, in the order of their names.
    package private(set) var all: [Schedule] = []

    /// The maximum number of schedules in a store.
    package static let limit = 500
    /// So large all payloads together may be.
    package static let payloadBytes = 256 << 10

    package init() {}

    package var isEmpty: Bool { all.isEmpty }

    /// The earliest moment when a schedule is due.
    package var next: Timestamp? { all.lazy.filter { !$0.isPaused }.compactMap(\.next).min() }

    /// One of them, by its name; setting it adds, replaces or removes it.
    package subscript(name: String) -> Schedule? {
        get { all.first { $0.name == name } }
        set {
            all.removeAll { $0.name == name }
            guard let newValue else { return }
            all.insert(newValue, at: all.firstIndex { $0.name > name } ?? all.count)
        }
    }
}
