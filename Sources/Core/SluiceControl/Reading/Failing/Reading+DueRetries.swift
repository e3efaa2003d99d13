import SluiceModel
import SluiceStore

/// Tasks that failed, whose time to wait is over, and that no worker has taken yet.
extension Reading {
    /// The first page of a walk for an overview: one task, because each queue pays for it.
    static let glancePage = 1
    private static let dueRetryPage = 100

    /// How much a search for due retries reads.
    private struct Effort {
        /// The number of tasks of the first page.
        let firstPage: Int
        /// The number of lines of the journal.
        let lines: Int

        /// The one of an overview, because each queue pays for it.
        static let glance = Effort(firstPage: Reading.glancePage, lines: 20)
        static let whole = Effort(firstPage: Reading.dueRetryPage, lines: 200)
    }

    /// The due retries of a queue, up to a limit.
    ///
    /// A task keeps its place in the order, so retries precede tasks without an attempt. The walk
    /// begins at the head of the queue and ends with the first page without a failed task. In
    /// another order than that of arrival the newest attempts name retries after other tasks.
    func dueRetries(in queue: QueueRecord, limit: Int) throws -> [QueueTask] {
        let counts = try store.counts(queue: queue.name)
        guard counts[.waiting] > 0 else { return [] }
        let woken =
            counts.mayWake
            ? try store.tasks(.timers(queue: queue.name, through: now), limit: limit) : []
        let query = TaskQuery(queue: queue.name, state: .waiting, limit: Effort.whole.firstPage)
        return try dueRetries(
            in: queue, head: try store.tasks(matching: query), woken, .whole, limit: limit)
    }

    /// The number of due retries, up to `QueueOverview.dueRetryLimit`.
    func countDueRetries(
        in queue: QueueRecord, head: [QueueTask], woken: [QueueTask]
    ) throws -> Int {
        try dueRetries(
            in: queue, head: head, woken, .glance, limit: QueueOverview.dueRetryLimit
        ).count
    }

    private func dueRetries(
        in queue: QueueRecord, head: [QueueTask], _ woken: [QueueTask], _ effort: Effort,
        limit: Int
    ) throws -> [QueueTask] {
        var found = woken.filter { $0.isDueRetry(at: now) }
        if queue.settings.order != .fifo {
            let known = Set(found.map(\.id))
            found += try retries(of: effort.lines, in: queue).filter { !known.contains($0.id) }
        }
        let known = Set(found.map(\.id))
        var page = head
        var query = TaskQuery(queue: queue.name, state: .waiting, limit: effort.firstPage)
        while found.count < limit, page.contains(where: \.hasFailed) {
            found += page.filter { $0.isDueRetry(at: now) && !known.contains($0.id) }
            guard page.count == query.limit, let last = page.last else { break }
            query.after = last.orderKey(queue.settings.order)
            query.limit = Self.dueRetryPage
            page = try store.tasks(matching: query)
        }
        return Array(found.prefix(limit))
    }

    /// The due retries among the tasks of the newest lines of a queue's journal.
    private func retries(of lines: Int, in queue: QueueRecord) throws -> [QueueTask] {
        var query = JournalQuery(limit: lines, withUndo: false)
        query.queue = queue.name
        let ids = try store.journal(query).compactMap { entry -> TaskID? in
            guard case .attempt(let attempt) = entry, attempt.isCounted else { return nil }
            return attempt.task
        }
        return try store.tasks(Set(ids).sorted()).filter {
            $0.queue == queue.name && $0.isDueRetry(at: now)
        }
    }
}

extension QueueTask {
    /// Whether an attempt failed since the task came, or since a person retried it.
    fileprivate var hasFailed: Bool { attempts > 0 && lastError != nil }

    /// Whether its next attempt waits for a worker or its queue, and for no time.
    func isDueRetry(at now: Timestamp) -> Bool {
        guard state.name == .waiting, hasFailed else { return false }
        return awake(at: now).waitFlags.isDisjoint(
            with: [.held, .skipped, .parked, .retrying, .delayed])
    }
}
