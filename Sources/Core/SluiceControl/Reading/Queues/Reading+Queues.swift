package import SluiceModel
import SluiceStore

/// A time that something waits for, as `timers` and view 3 show it.
package struct TimerLine: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case retry, notBefore, pause, run, rate, skip, expiry, schedule
        /// From then on a start of the app of a Customer.io folder removes the task.
        case appStart
    }
    /// The task, for a timer of a task.
    package var id: TaskID?
    /// The queue; empty for a timer of the whole store.
    package var queue: String
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

/// Counts the due tasks of a queue: exactly the matches of `state:due`.
extension Reading {
    /// A count, and whether it is a lower bound.
    struct DueCount {
        var count: Int
        var isCapped: Bool

        init(_ count: Int, isCapped: Bool = false) {
            self.count = min(count, QueueOverview.dueLimit)
            self.isCapped = isCapped || count > QueueOverview.dueLimit
        }
    }

    func due(
        in queue: QueueRecord, _ counts: QueueCounts, woken: [QueueTask]
    ) throws -> DueCount {
        guard counts[.waiting] > 0 else { return DueCount(0) }
        let working = try processes().filter(\.isWorking)
        let serving = working.filter { $0.serves(queue.name) }
        if let head = try store.head(of: queue, now: now) {
            // The head blocks all other tasks (B7).
            let display = try ShownQueue(self, queue).display(of: head)
            return DueCount([.due, .next].contains(display) ? 1 : 0)
        }
        let types = working.isEmpty ? nil : Self.types(serving, queue)
        if types != nil, try !store.permits().isEmpty {
            // Who executes steps alone may be there for one of them.
            return try looked(queue, nil)
        }
        guard try mayStartAlike(queue, serving) else { return try looked(queue, types) }
        guard let types else { return DueCount(counts.waitingByFlags[.ready] ?? 0) }
        guard !types.isEmpty else { return DueCount(0) }
        var ready = TaskQuery(queue: queue.name, waitFlags: .ready, limit: 0)
        ready.types = types.sorted()
        let passed = woken.count {
            $0.awake(at: now).waitFlags == .ready && types.contains($0.type)
        }
        return DueCount(
            try store.countTasks(.page(ready), limit: QueueOverview.dueLimit + 1) + passed)
    }

    /// The waiting tasks whose timers have passed since the last write of their queue.
    func woken(in queue: QueueRecord, _ counts: QueueCounts) throws -> [QueueTask] {
        guard counts.mayWake else { return [] }
        return try store.tasks(
            .timers(queue: queue.name, through: now), limit: QueueOverview.dueLimit)
    }

    /// The types that some runners take of a queue; nil for every type.
    private static func types(_ serving: [ProcessRecord], _ queue: QueueRecord) -> Set<String>? {
        var types: Set<String> = []
        for runner in serving {
            guard let own = runner.types(in: queue.name) else { return nil }
            types.formUnion(own)
        }
        return types
    }

    /// Whether all tasks with the same wait flags show the same state, so that kept counts suffice.
    private func mayStartAlike(
        _ queue: QueueRecord, _ serving: [ProcessRecord]
    ) throws -> Bool {
        guard queue.wakes.isEmpty, try processes().allSatisfy({ $0.editing == nil }),
            try store.nextExpiry().map({ $0 > now }) ?? true
        else { return false }
        switch queue.forcedNetwork(else: try store.storeRecord().forcedNetwork) {
        case true?: return true
        case false?: return false
        case nil: return !serving.contains { $0.isOffline(at: now) }
        }
    }

    /// By looking at each, as far as a count goes.
    private func looked(_ queue: QueueRecord, _ types: Set<String>?) throws -> DueCount {
        var terms: [TaskFilter.Expression] = [.term(.state([.due]))]
        if let types {
            guard !types.isEmpty else { return DueCount(0) }
            terms.append(.term(.field(.type, types.sorted().map { FilterPattern($0) })))
        }
        let filtered = FilteredQueue(self, queue, TaskFilter(.all(terms)))
        var query = TaskQuery(queue: queue.name, state: .waiting, limit: 1000)
        var (count, looked) = (0, 0)
        while count <= QueueOverview.dueLimit, looked < 2 * QueueOverview.dueLimit {
            let page = try filtered.page(query)
            count += try filtered.matching(page.tasks).count
            looked += page.looked
            guard let last = page.last, page.looked == query.limit else { return DueCount(count) }
            query.after = last
        }
        return DueCount(count, isCapped: true)
    }
}

/// One coming start, as `forecast` shows it (N3).
package struct ForecastLine: Hashable, Sendable {
    package var id: TaskID
    package var type: String
    /// The expected start; `nil` if a blocker must be removed first.
    package var at: Timestamp?
    /// The blocker to remove first, if any.
    package var blocker: Blocker.Kind?
    /// The running task whose end it waits for, if that is its only blocker.
    package var behind: TaskID?
    /// How many waiting tasks its failure would hold back.
    package var holdsBack: Int
    /// The breakpoint that would stop the queue before this start, if any.
    package var breakpoint: Int64?
    /// The breakpoint whose present stop delays this start, if any.
    package var stoppedBy: Int64?
    /// The fault that its attempt would have, if any.
    package var fault: Int64?
}

extension Reading {
    /// The coming starts of a queue, in order, with the tasks that each failure would hold back
    /// (N3).
    ///
    /// A start is expected when its last blocker ends: the task's time, the end of a pause or skip,
    /// or the next run. Due tasks come first, then waiting tasks by time. Tasks of one moment keep
    /// the queue's order, except that each follows the tasks it waits for.
    package func forecast(queue name: String, limit: Int) throws -> (
        lines: [ForecastLine], more: Bool
    ) {
        let queue = try store.requireQueue(name)
        let page = try list(
            queue: name, sections: [.waiting], limit: limit * 4, withBlockers: true)
        let shown = Set(
            page.filter { ![.parked, .failed].contains($0.display) && !$0.isPassedOver }.map(
                \.task.id))
        let (coming, rest) = try ComingStarts(self, queue, page).inOrder()
        let ahead = (coming + rest).filter { shown.contains($0.task.id) }
        let moments = ahead.map { moment(of: $0, in: queue) }
        let tasks = ahead.map(\.task)
        let stops = try stopsAhead(of: tasks, at: moments)
        let faults = try faultsAhead(of: tasks, at: moments)
        let sorted = merged(coming, rest).filter { shown.contains($0.task.id) }
        let lines = try sorted.prefix(limit).map { start in
            // How long that runs which has every place of the queue is not known.
            let slot = start.expected.map { $0 <= now } == true ? start.slotBlocker : nil
            return ForecastLine(
                id: start.task.id, type: start.task.type, at: slot == nil ? start.expected : nil,
                blocker: slot?.kind ?? start.blocker?.kind, behind: slot?.task,
                holdsBack: try heldBack(by: start.task),
                breakpoint: stops[start.task.id], stoppedBy: stop(of: start, in: queue),
                fault: faults[start.task.id])
        }
        return (lines, sorted.count > limit)
    }

    /// Merges the starts, in order, with the other tasks by the end of their timers.
    private func merged(
        _ coming: [ComingStarts.Start], _ rest: [ComingStarts.Start]
    ) -> [ComingStarts.Start] {
        func key(_ start: ComingStarts.Start) -> (Timestamp, Int) {
            (start.at ?? start.task.waiting?.timer?.until ?? now, start.place)
        }
        var (left, others) = (coming[...], rest.sorted { key($0) < key($1) }[...])
        var merged: [ComingStarts.Start] = []
        while let next = [left.first, others.first].compactMap({ $0 }).min(by: { key($0) < key($1) }
        ) {
            merged.append(next)
            if next.at == nil { others.removeFirst() } else { left.removeFirst() }
        }
        return merged
    }

    /// The breakpoint whose stop ends a start's wait, or makes it endless.
    private func stop(of start: ComingStarts.Start, in queue: QueueRecord) -> Int64? {
        guard let at = start.expected else {
            guard start.blocker?.kind == .queuePaused else { return nil }
            let lasting = queue.pauses.filter { $0.until == nil && $0.direction.stopsWork }
            return lasting.allSatisfy { $0.cause == .breakpoint }
                ? lasting.last?.hits.last?.breakpoint : nil
        }
        return queue.pauses.last { pause in
            pause.cause == .breakpoint && pause.until.map { time.time(at: $0) == at } ?? false
        }?.hits.last?.breakpoint
    }

    /// The first real moment when a task may start, possibly the end of a breakpoint's stop.
    private func moment(of start: ComingStarts.Start, in queue: QueueRecord) -> Timestamp {
        guard let at = start.at else { return real }
        let first = at > now ? time.moment(of: at) ?? real : real
        let stops = queue.pauses.filter { $0.cause == .breakpoint }.compactMap(\.until)
        return stops.filter { time.time(at: $0) <= at }.reduce(first, max)
    }
}

extension ComingStarts.Start {
    /// The slot blocker, if tasks that will end occupy every slot of the queue.
    fileprivate var slotBlocker: Blocker? {
        line.blockers.first { $0.kind == .noSlot && $0.cause == nil }
    }
}

extension TaskLine {
    /// Whether a person skipped it without an end.
    fileprivate var isPassedOver: Bool { task.waiting?.skip.map { $0.until == nil } ?? false }
}
