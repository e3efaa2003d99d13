/// A recurring task: what is enqueued where, and when.
public struct Schedule: Hashable, Sendable {
    /// What becomes of moments at which nobody enqueued, since no runner was attached.
    public enum Missed: String, Hashable, Sendable, CaseIterable {
        /// One task for all of them.
        case once
        /// A task for each, of the last `Schedule.madeUpAtOnce`.
        case each
        /// No task, where the last of them is more than `Schedule.lateness` ago.
        case none
    }
    /// Its name, unique in the store.
    public var name: String
    /// When it is due.
    package var spec: ScheduleSpec
    /// The time zone whose clocks a cron means, by its name in the time zone database.
    public var timeZone = utc
    /// The queue that its tasks come to.
    public var queue: String
    /// Their type.
    public var type: String
    /// Their payload.
    public var payload: [UInt8]
    /// What becomes of moments at which nobody enqueued.
    public var missed = Missed.once
    /// The moment of the next task; nil where there is none.
    public var next: Timestamp?
    /// The moment of the last task.
    public var last: Timestamp?
    /// Whether it makes no tasks until somebody lets it.
    public var isPaused = false
    /// Who set it.
    public var by: String

    /// The zone where nothing is said.
    public static let utc = "UTC"
    /// At most so many missed moments are made up, the last ones.
    package static let madeUpAtOnce = 100
    /// A moment that is further past counts as missed.
    package static let lateness: Int64 = 60_000
    /// The largest payload: it lies with the store's own record, which every commit may read.
    package static let payloadBytes = 64 << 10

    /// A schedule that was never due.
    package init(
        name: String, spec: ScheduleSpec, queue: String, type: String, payload: [UInt8], by: String
    ) {
        (self.name, self.spec, self.queue) = (name, spec, queue)
        (self.type, self.payload, self.by) = (type, payload, by)
    }

    /// Whether a task of it is to be enqueued at a moment.
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

    /// Whether `next` is a moment that its rule cannot give by now: the clock was ahead when it was
    /// reckoned, and no task is made until that time comes.
    package func isBeyondRule(at now: Timestamp, in zone: ZoneRules) -> Bool {
        guard let next, next > now, let wanted = recounted(at: now, in: zone) else { return false }
        return next - wanted > Self.lateness
    }

    /// What is due at a moment.
    package struct Due: Hashable, Sendable {
        /// The moments that a task is made for, in their order.
        package var moments: [Timestamp]
        /// Whether others are passed over.
        package var passesOver: Bool
    }

    /// Takes what is due: `next` comes after `now`, and each of the given moments is to become a
    /// task.
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
    /// The moment at which it was due.
    public var at: Timestamp

    /// A moment of a schedule.
    public init(schedule: String, at: Timestamp) { (self.schedule, self.at) = (schedule, at) }
}

/// The schedules of a store, by name.
package struct Schedules: Hashable, Sendable {
    /// All of them, in the order of their names.
    package private(set) var all: [Schedule] = []

    /// So many a store may have.
    package static let limit = 500
    /// So large all payloads together may be.
    package static let payloadBytes = 256 << 10

    /// None.
    package init() {}

    /// Whether there is none.
    package var isEmpty: Bool { all.isEmpty }

    /// The earliest moment at which one is due.
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
