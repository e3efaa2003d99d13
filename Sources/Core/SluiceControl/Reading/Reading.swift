package import SluiceModel
package import SluiceStore

/// Everything that people see, from one snapshot of a store. Commands and the screen share it.
package struct Reading {
    /// The store, inside a `read` or `write`.
    package let store: any StoreReader
    /// The moment by the store's clock, which waiting tasks use (G3).
    package let now: Timestamp
    /// The same moment in real time, for events and ends.
    package let real: Timestamp
    /// How the clock of the store follows the real time.
    package let time: StoreTime
    /// Whether this is a moment of a tape, where nothing can start or change (G6).
    package let isPast: Bool
    private let census: Census
    private let signs: VitalSigns

    /// Creates a reading at a real moment. `signs` report processes that died without detaching. It
    /// then hides these processes, their running tasks, pauses, permits, breakpoints, recordings
    /// and edits.
    package init(
        _ store: any StoreReader, now real: Timestamp, signs: VitalSigns = VitalSigns(saying: [:])
    ) throws {
        self.real = real
        self.signs = signs
        isPast = store.isPast
        census = try Census(store, signs)
        self.store = census.gone.isEmpty ? store : LivingReader(store, without: census.gone)
        time = try store.storeRecord().time
        now = time.time(at: real)
    }

    /// A task without what holds it no longer: what went on of an earlier attempt and has ended
    /// since (B12), and an edit in a process that died (B11).
    func withoutEndedHolds(_ task: QueueTask) throws -> QueueTask {
        var free = task
        if task.waiting?.isOrphaned == true,
            signs.orphanHasEnded(task, try store.attempts(of: task.id))
        {
            free.state.lingering = nil
        }
        if case .waiting(var waiting) = free.state, let parking = waiting.parking,
            parking.cause == .editing, census.gone.contains(where: { $0.id == parking.owner })
        {
            waiting.parking = nil
            free.state = .waiting(waiting)
        }
        return free
    }

    /// The attached processes that live.
    package func processes() throws -> [ProcessRecord] { census.living }

    /// Processes whose locks this user cannot open, so their life is unknown.
    package func doubtedProcesses() throws -> [ProcessRecord] { census.doubted }

    /// Dead processes that await cleanup (A2).
    package func goneProcesses() throws -> [ProcessRecord] { census.gone }

    /// Every queue at a glance: the larger priority first, then by name.
    package func queues() throws -> [QueueOverview] { try queues(behind: 0, limit: .max) }

    package func queues(behind count: Int, limit: Int) throws -> [QueueOverview] {
        let inbox = try store.inbox()
        return try store.queues(behind: count, limit: limit).map {
            try overview($0, inbox: inbox)
        }
    }

    /// Every queue at a glance in the order of `queues()`, in pages, so that few are in memory.
    package func visitQueues(
        pageSize: Int, _ body: ([QueueOverview]) throws -> Void
    ) throws {
        let inbox = try store.inbox()
        var rest = try store.queues(.page(behind: 0, limit: .max))[...]
        while !rest.isEmpty {
            try body(try rest.prefix(pageSize).map { try overview($0.record, inbox: inbox) })
            rest = rest.dropFirst(pageSize)
        }
    }

    /// How many tasks the store says run although their runners died (A2).
    package func lostTasks() throws -> Int {
        try goneProcesses().reduce(0) { try $0 + store.tasksRun(by: $1.id).count }
    }

    package func overview(_ queue: QueueRecord) throws -> QueueOverview {
        try overview(queue, inbox: try store.inbox())
    }

    private func overview(
        _ queue: QueueRecord, inbox: InboxSummary
    ) throws -> QueueOverview {
        var overview = try counted(queue, inbox: inbox)
        let tally = QueueTally(overview)
        // Only a queue with failures can be failing, so skip the query for the others.
        if tally.failed + tally.retrying + tally.dueRetries > 0 {
            overview.isFailing = try attemptRate(of: queue.name).isFailing
        }
        return overview
    }

    private func counted(
        _ queue: QueueRecord, inbox: InboxSummary
    ) throws -> QueueOverview {
        var counts = try store.counts(queue: queue.name)
        let woken = try woken(in: queue, counts)
        counts.wake(woken, at: now)
        let pauses =
            try store.storeRecord().pauses.filter { $0.isActive(at: now) }
            + store.named(queue).activePauses(at: now, real: real)
        let due = try due(in: queue, counts, woken: woken)
        let facts = try store.batchFacts(queue, now: now)
        let lost = try lostTasks(of: queue.name, counts)
        let head = counts[.waiting] > 0 ? try head(of: queue) : []
        var isBatched = false
        if case .batched = queue.settings.start { isBatched = true }
        let state = state(queue, counts, pauses, lost: lost)
        return QueueOverview(
            queue: queue, state: state, counts: counts,
            hasMoreWoken: woken.count >= QueueOverview.dueLimit, lost: lost,
            due: due.count, isDueCapped: due.isCapped,
            pauses: pauses, nextRun: queue.nextRun(facts, now: now),
            oldest: head.first?.createdAt,
            isStuck: try state != .paused && isStuck(queue, counts),
            freshCount: isBatched && queue.run == nil ? facts.freshCount : nil,
            lack: [.running, .paused].contains(state) && counts[.running] == lost
                && (state == .running || counts[.waiting] + lost > 0)
                ? try lack(of: queue, hasDue: counts.waitingByFlags[.ready] ?? 0 > 0) : nil,
            inbox: inbox.tasks[queue.name] ?? 0, isInboxCapped: inbox.isCapped,
            expiring: try expiring(in: queue, counts),
            dueRetries: try countDueRetries(in: queue, head: head, woken: woken))
    }

    private func state(
        _ queue: QueueRecord, _ counts: QueueCounts, _ pauses: [Pause], lost: Int
    ) -> QueueOverview.State {
        let running = counts[.running] - lost
        if pauses.contains(where: { $0.direction.stopsWork }) {
            return running > 0 ? .pausing : .paused
        }
        if running > 0 || queue.run != nil { return .running }
        let startsAlone = queue.settings.start == .continuous
        return startsAlone && counts[.waiting] + lost > 0 ? .running : .idle
    }

    /// Why no attached runner takes the next task of a queue, pauses left out.
    private func lack(of queue: QueueRecord, hasDue: Bool) throws -> RunnerLack? {
        let working = try processes().filter(\.isWorking)
        let serving = working.filter { $0.serves(queue.name) }
        guard !serving.isEmpty else {
            return RunnerLack(of: "", in: queue.name, among: working)
        }
        // Only where each of them handles some types alone may a task be for none of them.
        guard hasDue, serving.allSatisfy({ $0.types(in: queue.name) != nil }) else { return nil }
        let first = TaskQuery(queue: queue.name, waitFlags: .ready, limit: 1)
        guard let type = try store.tasks(matching: first).first?.type,
            !serving.contains(where: { $0.handles(type: type, queue: queue.name) }),
            try store.nextTask(of: queue, among: working, now: now) == nil
        else { return nil }
        return RunnerLack(of: type, in: queue.name, among: working)
    }

    /// How many tasks of a queue with these counts the store says run although their runners died
    /// (A2).
    package func lostTasks(of queue: String, _ counts: QueueCounts) throws -> Int {
        guard counts[.running] > 0 else { return 0 }
        return try goneProcesses().reduce(0) { count, process in
            count + (try store.tasksRun(by: process.id).count { $0.queue == queue })
        }
    }

    /// The first waiting tasks in the queue's order; for the order of arrival the first is the one
    /// that waits longest.
    private func head(of queue: QueueRecord) throws -> [QueueTask] {
        try store.tasks(
            matching: TaskQuery(queue: queue.name, state: .waiting, limit: Self.glancePage))
    }

    private func isStuck(_ queue: QueueRecord, _ counts: QueueCounts) throws -> Bool {
        guard counts[.running] + counts[.waiting] > 0 else { return false }
        let limit = queue.settings.stuckAfterMilliseconds
        let running = TaskQuery(queue: queue.name, state: .running, limit: 1)
        if counts[.running] > 0, let first = try store.tasks(matching: running).first,
            let lease = first.running,
            real - lease.since > limit
        {
            return true
        }
        guard let head = try store.head(of: queue, now: now), head.executions > 0,
            let first = try store.attempts(of: head.id).first
        else { return false }
        return real - first.startedAt > limit
    }
}

/// A task that a session's client has not collected, as `results` shows it (S3).
package struct ResultLine: Hashable, Sendable {
    package var task: QueueTask
    /// How its last execution ended; nil before that.
    package var outcome: AttemptRecord.Outcome?
    /// The fault in the description, as far as it is visible without knowing types.
    package var fault: DescriptionFault?
    package var payload: [UInt8]
    package var result: [UInt8]?
    /// Why a waiting task does not run now; empty if it may start.
    package var blockers: [Blocker] = []
    /// The attempt of a running task, with the progress that its handler reported last.
    package var attempt: AttemptRecord?
}

extension Reading {
    /// The tasks that a session enqueued and has not collected, by number. Reading collects none.
    package func results(session name: String) throws -> [ResultLine] {
        let tasks = try store.awaitedTasks(session: Names.composed(name))
        return try store.entries(tasks).map { entry in
            let last = try store.attempts(of: entry.task.id).last
            var line = ResultLine(
                task: entry.task, outcome: last?.outcome,
                fault: DescriptionFault(payload: entry.payload), payload: entry.payload,
                result: entry.result)
            if entry.task.waiting != nil { line.blockers = try self.line(entry.task.id).blockers }
            if entry.task.running != nil { line.attempt = last }
            return line
        }
    }
}

extension StoreReader {
    /// The number of the task that a person named, which exists; throws `unknownTask`.
    package func resolve(_ reference: TaskReference) throws -> TaskID {
        try requireTask(try number(of: reference)).id
    }

    /// The number that a person named, whether there is such a task or not.
    ///
    /// Only a Customer.io folder knows tasks by a UUID; digits alone are a number first.
    package func number(of reference: TaskReference) throws -> TaskID {
        if let naming { return try naming.task(matching: reference) }
        guard let number = reference.number else {
            throw QueueError(
                .unknownTask, "there is no task \(reference) in this store",
                fix: "a task is named by its number, such as #12; UUIDs are for folders")
        }
        return number
    }
}
