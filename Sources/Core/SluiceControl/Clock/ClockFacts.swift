public import SluiceModel
import SluiceStore

/// The clock of a store at one moment (G3).
public struct ClockFacts: Hashable, Sendable {
    /// The time of the store's clock.
    public var now: Timestamp
    /// The moment in real time.
    public var real: Timestamp
    /// Who set it, when and how; nil while it shows the real time.
    package var setting: ClockSetting?
    /// The next moment that something waits for, if any.
    public var next: ComingMoment?

    package var time: StoreTime { setting?.time ?? .real }
    /// By how much it is ahead, in milliseconds.
    public var offsetMilliseconds: Int64 { now - real }
}

/// A time by the clock of the store that something waits for.
public struct ComingMoment: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case retry, notBefore, skip, pause, run, rate, expiry, schedule
    }
    /// The time.
    public var at: Timestamp
    package var kind: Kind
    /// The queue; nil for a pause of the whole store.
    public var queue: String?
    /// The task, for a moment of a task.
    public var task: TaskID?
    /// The type of that task.
    public var type: String?
    /// The name of the schedule, for a moment of a schedule.
    public var schedule: String?

    /// Describes the moment, with the task under its display name.
    public func sentence(_ name: (TaskID) -> String) -> String {
        let what =
            switch kind {
            case .retry: "the retry of"
            case .notBefore: "the time of"
            case .skip: "the end of the skip of"
            case .expiry: "the expiry of"
            case .pause: "the end of a pause of"
            case .run: "the next run of"
            case .rate: "the next start by the rate of"
            case .schedule: "the schedule \(schedule ?? "") of"
            }
        guard let task else { return "\(what) \(queue ?? "the store")" }
        return "\(what) \(name(task)) \(type ?? "") in \(queue ?? "")"
    }
}

extension Reading {
    /// The clock and its next moment, in one queue or in all.
    package func clock(queue: String? = nil) throws -> ClockFacts {
        ClockFacts(
            now: now, real: real, setting: try store.storeRecord().clock,
            next: try comingMoment(queue: queue))
    }

    /// The next moment of the store's clock: the end of a timer, skip or pause, the start of a run,
    /// an expiry or a schedule. `queue` limits it to one queue; `nil` means all. Excludes moments
    /// in real time. Returns `nil` if nothing waits for the clock.
    package func comingMoment(queue: String? = nil) throws -> ComingMoment? {
        var coming = try queueMoments(queue)
        let passed = TimerCursor(at: now, id: .max)
        coming += try store.tasks(.timers(queue: queue, after: passed), limit: 1)
            .compactMap(moment)
        // A task may wait for two moments, and the first may have passed.
        coming += try store.tasks(.timers(queue: queue, through: now), limit: 1000)
            .compactMap(moment)
        if let expiry = try expiry(in: queue) { coming.append(expiry) }
        coming += try scheduledMoments(queue)
        return coming.filter { $0.at > now }.min { ($0.at, $0.task ?? 0) < ($1.at, $1.task ?? 0) }
    }

    /// The next real moment that changes something by time alone; `nil` without one or while the
    /// store's clock is frozen.
    func nextWake() throws -> Timestamp? {
        let coming = try comingMoment().flatMap { time.moment(of: $0.at) }
        let stops = try store.queues(.withMoments).flatMap(\.record.pauses).filter {
            $0.cause == .breakpoint
        }.compactMap(\.until)
        return ([coming].compactMap { $0 } + stops).filter { $0 > real }.min()
    }

    private func queueMoments(_ queue: String?) throws -> [ComingMoment] {
        let pauses = try store.storeRecord().pauses.compactMap(\.until)
        var coming = pauses.map { ComingMoment(at: $0, kind: .pause) }
        for record in try records(queue) {
            for pause in record.pauses where pause.cause != .breakpoint {
                guard let until = pause.until else { continue }
                coming.append(ComingMoment(at: until, kind: .pause, queue: record.name))
            }
            let facts = try store.batchFacts(record, now: now)
            if let run = record.nextRun(facts, now: now) {
                coming.append(ComingMoment(at: run, kind: .run, queue: record.name))
            }
            if let opens = try store.nextByRate(record, now: now) {
                coming.append(ComingMoment(at: opens, kind: .rate, queue: record.name))
            }
        }
        return coming
    }

    private func scheduledMoments(_ queue: String?) throws -> [ComingMoment] {
        try store.storeRecord().schedules.all.compactMap { schedule in
            guard queue == nil || schedule.queue == queue, !schedule.isPaused,
                let next = schedule.next
            else { return nil }
            return ComingMoment(
                at: next, kind: .schedule, queue: schedule.queue, schedule: schedule.name)
        }
    }

    private func records(_ queue: String?) throws -> [QueueRecord] {
        guard let queue else { return try store.queues(.withMoments).map(\.record) }
        return [try store.requireQueue(queue)]
    }

    /// The first moment to come of a task.
    private func moment(of task: QueueTask) -> ComingMoment? {
        let timer = task.waiting?.timer.map {
            ($0.until, $0.cause == .retry ? ComingMoment.Kind.retry : .notBefore)
        }
        let skip = task.waiting?.skip?.until.map { ($0, ComingMoment.Kind.skip) }
        let first = [timer, skip].compactMap { $0 }.filter { $0.0 > now }.min { $0.0 < $1.0 }
        return first.map {
            ComingMoment(
                at: $0.0, kind: $0.1, queue: task.queue, task: task.id, type: task.type)
        }
    }

    private func expiry(in queue: String?) throws -> ComingMoment? {
        let first = try store.tasks(.expiring(), limit: queue == nil ? 100 : 10_000).first {
            ($0.expiresAt ?? now) > now && (queue == nil || $0.queue == queue)
        }
        guard let first, let at = first.expiresAt else { return nil }
        return ComingMoment(
            at: at, kind: .expiry, queue: first.queue, task: first.id, type: first.type)
    }
}
