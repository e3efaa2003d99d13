package import SluiceModel
import SluiceStore

/// A time that something waits for, as `timers` and view 3 show it.
package struct TimerLine: Hashable, Sendable {
    /// The event at that time.
    package enum Kind: String, Hashable, Sendable {
        case retry, notBefore, pause, run, rate, skip, expiry, schedule
        /// From then on a start of the app of a Customer.io folder removes the task.
        case appStart
    }
    /// The task, for a timer of a task.
    package var id: TaskID?
    /// The queue; empty for a timer of the whole store.
    package var queue: String
    /// The moment.
    package var at: Timestamp
    /// Since when it counts down.
    package var since: Timestamp
    package var kind: Kind
    /// Whether it ends a breakpoint's stop instead of a person's pause.
    package var isOfStop = false
    /// The schedule, for a timer of a schedule.
    package var schedule: String?
    /// The execution that comes next.
    package var attempt: Int?
    /// How many there may be.
    package var attemptLimit: Int?
}

extension Reading {
    /// The maximum number of timers to read (K6).
    package static let timerLimit = 10_000

    /// Every timer: retries, own not-before times, ends of skips and pauses, next runs, expiries,
    /// schedules; the soonest first.
    package func timers(limit: Int = 100) throws -> [TimerLine] {
        try timers(
            beside: try queueTimers() + expiries(limit: limit) + appStartRemovals(limit: limit),
            limit: limit)
    }

    /// The timers of tasks, except expiries, together with `others`.
    package func timers(beside others: [TimerLine], limit: Int) throws -> [TimerLine] {
        let lines = try others + taskTimers(of: nil, limit: limit)
        return Array(lines.sorted { ($0.at, $0.id ?? 0) < ($1.at, $1.id ?? 0) }.prefix(limit))
    }

    /// The first timers of the tasks of a queue; `nil` means all queues.
    package func taskTimers(of queue: String?, limit: Int) throws -> [TimerLine] {
        var lines: [TimerLine] = []
        // Tasks with passed timers are due after the next write of their queue. A task may wait for
        // two moments, and the first may have passed.
        let passed = TimerCursor(at: now, id: .max)
        let tasks =
            try store.tasks(.timers(queue: queue, through: now), limit: min(limit, 1000))
            + store.tasks(.timers(queue: queue, after: passed), limit: limit)
        for task in tasks {
            if let skip = task.waiting?.skip, let until = skip.until, until > now {
                lines.append(
                    TimerLine(
                        id: task.id, queue: task.queue, at: until, since: skip.since,
                        kind: .skip))
            }
            guard let timer = task.waiting?.timer, timer.until > now else { continue }
            let settings = try store.queue(named: task.queue)?.settings
            lines.append(
                TimerLine(
                    id: task.id, queue: task.queue, at: timer.until, since: timer.since,
                    kind: timer.cause == .retry ? .retry : .notBefore,
                    attempt: task.attempts + 1,
                    attemptLimit: settings?.attemptLimit(of: task) ?? task.attemptLimit))
        }
        return lines
    }

    /// Waiting tasks that are to expire, the soonest first (Q8).
    private func expiries(limit: Int) throws -> [TimerLine] {
        try store.tasks(.expiring(), limit: limit).compactMap { task in
            guard let at = task.expiresAt, at > now else { return nil }
            return TimerLine(
                id: task.id, queue: task.queue, at: at, since: task.createdAt, kind: .expiry)
        }
    }

    /// The timers of queues: pauses (including the store's), runs, rates and schedules.
    package func queueTimers() throws -> [TimerLine] {
        let records = try store.queues(.withMoments).map(\.record)
        var lines = try store.storeRecord().pauses.filter { $0.isActive(at: now) }.compactMap {
            pause in
            pause.until.map {
                TimerLine(queue: "", at: $0, since: pause.since, kind: .pause)
            }
        }
        for record in records {
            for pause in record.activePauses(at: now, real: real) {
                guard let until = storeTime(ofEnd: pause) else { continue }
                lines.append(
                    TimerLine(
                        queue: record.name, at: until, since: pause.since, kind: .pause,
                        isOfStop: pause.cause == .breakpoint))
            }
            let facts = try store.batchFacts(record, now: now)
            if let run = record.nextRun(facts, now: now), run > now,
                !record.isPaused(at: now, real: real)
            {
                let since = facts.firstFresh ?? record.lastRunEnd ?? now
                lines.append(TimerLine(queue: record.name, at: run, since: since, kind: .run))
            }
            if !record.isPaused(at: now, real: real),
                let opens = try store.nextByRate(record, now: now)
            {
                let since = opens + -(record.settings.rate?.millisecondsEach ?? 0)
                lines.append(TimerLine(queue: record.name, at: opens, since: since, kind: .rate))
            }
        }
        for schedule in try store.storeRecord().schedules.all where !schedule.isPaused {
            guard let next = schedule.next else { continue }
            lines.append(
                TimerLine(
                    queue: schedule.queue, at: next, since: schedule.last ?? now,
                    kind: .schedule, schedule: schedule.name))
        }
        return lines
    }

    /// When a pause ends by the store's clock at its present rate. A breakpoint's pause ends in
    /// real time, so it returns `nil` while the clock is frozen.
    func storeTime(ofEnd pause: Pause) -> Timestamp? {
        guard pause.cause == .breakpoint, let until = pause.until else { return pause.until }
        return storeTime(ofReal: until)
    }

    /// The store's time at a future real moment; `nil` while its clock is frozen.
    func storeTime(ofReal moment: Timestamp) -> Timestamp? {
        time.rate == 0 ? nil : time.time(at: moment)
    }

    /// The maximum of `heldBack`.
    static let heldBackLimit = 10_000

    /// How many waiting members a start would hold back, counted to 10,000.
    package func heldBack(by task: QueueTask) throws -> Int {
        guard let group = task.groupStart else { return 0 }
        return try store.countTasks(
            .waitingMembers(queue: task.queue, group: group, after: task.position),
            limit: Self.heldBackLimit)
    }
}
