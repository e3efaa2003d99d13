public import QueueModel
public import QueueStore

/// What people look at, read from one moment of a store; commands and the screen ask the same.
public struct Reading {
    /// The store, inside a `read` or `write`.
    public let store: any StoreReader
    /// The moment.
    public let now: Timestamp

    /// A look at a store.
    public init(_ store: any StoreReader, now: Timestamp) {
        self.store = store
        self.now = now
    }

    /// Every queue at a glance: the larger priority first, then by name.
    public func queues() throws -> [QueueOverview] {
        let inbox = try store.inbox()
        return try store.queues().map { try overview($0, inbox: inbox) }.sorted {
            ($1.queue.settings.priority, $0.queue.name)
                < ($0.queue.settings.priority, $1.queue.name)
        }
    }

    /// One queue at a glance.
    public func overview(_ queue: QueueRecord) throws -> QueueOverview {
        try overview(queue, inbox: try store.inbox())
    }

    private func overview(
        _ queue: QueueRecord, inbox: InboxSummary
    ) throws -> QueueOverview {
        let counts = try store.counts(queue: queue.name)
        let pauses =
            try store.storeRecord().pauses.filter { $0.isActive(at: now) }
            + queue.activePauses(at: now)
        let woken = try store.tasksToWake(
            queue: queue.name, now: now, limit: QueueOverview.dueLimit)
        let due =
            (counts.lanes[.ready] ?? 0)
            + woken.filter { $0.awake(at: now).lane == .ready }.count
        let facts = try store.batchFacts(queue, now: now)
        var isBatched = false
        if case .batched = queue.settings.start { isBatched = true }
        return QueueOverview(
            queue: queue, state: state(queue, counts, pauses), counts: counts,
            due: min(due, QueueOverview.dueLimit), isDueCapped: due > QueueOverview.dueLimit,
            pauses: pauses, nextRun: queue.nextRun(facts, now: now),
            oldest: try oldest(queue), isStuck: try isStuck(queue),
            freshCount: isBatched && queue.run == nil ? facts.freshCount : nil,
            inbox: inbox.tasks[queue.name] ?? 0)
    }

    private func state(
        _ queue: QueueRecord, _ counts: QueueCounts, _ pauses: [Pause]
    ) -> QueueOverview.State {
        if pauses.contains(where: { $0.direction.stopsWork }) {
            return counts[.running] > 0 ? .pausing : .paused
        }
        if counts[.running] > 0 || queue.run != nil { return .running }
        let startsAlone = queue.settings.start == .continuous
        return startsAlone && counts[.waiting] > 0 ? .running : .idle
    }

    /// When the first waiting task in the queue's order arrived; for the order of arrival that is
    /// the one that waits longest.
    private func oldest(_ queue: QueueRecord) throws -> Timestamp? {
        let first = TaskQuery(queue: queue.name, state: .waiting, limit: 1)
        return try store.tasks(matching: first).first?.createdAt
    }

    private func isStuck(_ queue: QueueRecord) throws -> Bool {
        let limit = queue.settings.stuckAfterMilliseconds
        let running = TaskQuery(queue: queue.name, state: .running, limit: 1)
        if let first = try store.tasks(matching: running).first, let lease = first.running,
            now - lease.since > limit
        {
            return true
        }
        guard let head = try store.head(of: queue, now: now), head.executions > 0,
            let first = try store.attempts(of: head.id).first
        else { return false }
        return now - first.startedAt > limit
    }
}
