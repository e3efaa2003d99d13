import SluiceModel
import SluiceStore

/// Current failures: permanently failed tasks, and tasks that wait for a retry.
package struct FailingNow: Hashable, Sendable {
    /// The kinds of their errors, the most frequent first.
    package var groups: [FailureGroup] = []
    /// Whether more tasks wait for a retry than the search covered.
    package var isCut = false

    package init() {}
}

extension Reading {
    /// The maximum number of tasks waiting for a retry to check for current failures.
    package static let failingLimit = 1000
    /// The maximum number of error kinds with a start time.
    private static let toldKinds = 20
    /// The maximum number of tasks of a kind to query for their first failed attempt.
    private static let askedTasks = 12

    /// The current failures of a queue; `nil` means all queues.
    package func failing(of queue: String?) throws -> FailingNow {
        let counts = try store.failureCounts(queue: queue)
        let waiting = try retryingTasks(of: queue, limit: Self.failingLimit)
        guard !counts.isEmpty || !waiting.tasks.isEmpty else { return FailingNow() }
        let ended = try endsByKind(of: queue)
        var texts = try errors(of: counts)
        texts.add(waiting.texts)
        let failed = Dictionary(grouping: counts, by: \.kind)
        let retrying = Dictionary(grouping: waiting.counts, by: \.kind)
        var found = FailingNow()
        found.isCut = waiting.isCut
        found.groups = Set(failed.keys).union(retrying.keys).map { kind in
            let (failed, retrying) = (failed[kind] ?? [], retrying[kind] ?? [])
            let count = (failed + retrying).reduce(0) { $0 + $1.count }
            return FailureGroup(
                failed, retrying: retrying, texts.only(of: kind, among: count),
                ends: ended[.failures(kind.key)] ?? [], now: real)
        }.sortedByCount()
        let spans = try spans(of: found.groups, among: waiting.tasks + oldestFailed(counts))
        let log = try RecentFailures(self, of: queue)
        // With one kind of error all counted failures are of it.
        let counted = found.groups.count == 1 ? try firstFailure(of: queue) : nil
        for place in found.groups.indices {
            let group = found.groups[place]
            found.groups[place].hasDueRetries = waiting.dueKinds.contains(group.kind)
            found.groups[place].rate = log.rate(of: group.kind)
            found.groups[place].since = spans[group.kind]?
                .start(of: group, isWhole: !waiting.isCut)
                .map { log.start($0, of: group.kind, counted: counted) }
        }
        return found
    }

    /// The begin of the ten seconds with the first failed attempt of the last hour.
    private func firstFailure(of queue: String?) throws -> Timestamp? {
        let since = real + -60 * EndedCounts.minuteMilliseconds
        return try store.endedCounts(.attempts, queue: queue, since: since).compactMap { counts in
            guard case .attempts(.failed, _) = counts.what,
                let sixth = counts.sixths.firstIndex(where: { $0 > 0 })
            else { return nil }
            return counts.minute + Int64(sixth) * 10_000
        }.min()
    }

    /// The failed tasks that have failed longest, as far as a few of each queue.
    private func oldestFailed(_ counts: [FailureCount]) throws -> [QueueTask] {
        var tasks: [QueueTask] = []
        for queue in Set(counts.map(\.queue)).sorted() where tasks.count < Self.toldLimit {
            let oldest = TaskSelection.ended(
                queue: queue, state: .failed, before: Timestamp(milliseconds: .max))
            tasks += try store.tasks(oldest, limit: Self.toldLimit - tasks.count)
        }
        return tasks
    }

    /// From the first failed attempt to the last of each task, by the kind of its error.
    func spans(
        of groups: [FailureGroup], among tasks: [QueueTask]
    ) throws -> [FailureKind: FailureSpans] {
        let told = Set(groups.prefix(Self.toldKinds).map(\.kind))
        var found: [FailureKind: FailureSpans] = [:]
        for task in tasks.sorted(by: { $0.createdAt < $1.createdAt }) {
            guard let (error, last) = task.failedLast else { continue }
            let kind = FailureKind(of: error)
            guard told.contains(kind) else { continue }
            var spans = found[kind] ?? FailureSpans()
            var first = last
            if task.attempts > 1, spans.asked < Self.askedTasks {
                spans.asked += 1
                let attempts = try store.writtenAttempts(of: task.id).filter {
                    $0.error.map { FailureKind(of: $0) == kind } ?? false
                }
                first = min(last, attempts.compactMap(\.endedAt).min() ?? last)
            } else if task.attempts > 1, spans.unasked == nil {
                spans.unasked = task.createdAt
            }
            spans.all.append(first...last)
            found[kind] = spans
        }
        return found
    }
}

/// When tasks of one kind of error failed, each from its first failed attempt to its last.
struct FailureSpans {
    var all: [ClosedRange<Timestamp>] = []
    /// The number of tasks queried for their attempts.
    var asked = 0
    /// The creation time of the first task not queried.
    var unasked: Timestamp?

    /// The first failed attempt after the last hour without one; `nil` if no time is known.
    func start(of group: FailureGroup, isWhole: Bool) -> FailureStart? {
        let isWhole = isWhole && all.count == group.total
        let spans = isWhole ? all : all + [group.first...group.last]
        let sorted = spans.sorted { $0.upperBound > $1.upperBound }
        var start = sorted[0].lowerBound
        for span in sorted.dropFirst() {
            guard start - span.upperBound < 60 * EndedCounts.minuteMilliseconds else { break }
            start = min(start, span.lowerBound)
        }
        guard start != .unknown else { return nil }
        return FailureStart(
            at: start, isEstimate: !isWhole || unasked.map { $0 < start } ?? false)
    }
}

extension QueueTask {
    /// The last failed attempt's error and end, if the task failed permanently or waits for a
    /// retry.
    fileprivate var failedLast: (error: String, at: Timestamp)? {
        if case .failed(let failure) = state { return (failure.reason, failure.at) }
        return retriedError
    }

    /// The error of a task that waits for a retry, and the moment of the failure. A woken task has
    /// no timer, so its last change gives the moment.
    var retriedError: (error: String, at: Timestamp)? {
        guard let error = lastError, let waiting else { return nil }
        return (error, waiting.timer?.since ?? updatedAt)
    }
}

/// The failed attempts of the newest lines of the log.
private struct RecentFailures {
    /// The ends of all of them by kind, the newest first.
    private var ends: [FailureKind: [Timestamp]] = [:]
    private var isWhole = false
    /// How many of them ended in the last minute.
    private var byKind: [FailureKind: Int] = [:]
    private var seen = 0
    /// All failed attempts of the last minute; `nil` if the lines have them all.
    private var total: Int?

    /// The maximum number of lines to read.
    private static let limit = 200

    init(_ reading: Reading, of queue: String?) throws {
        var query = JournalQuery(limit: Self.limit, withUndo: false)
        query.queue = queue
        let begin = reading.real + -EndedCounts.minuteMilliseconds
        let entries = try reading.store.journal(query)
        isWhole = entries.count < Self.limit
        for case .attempt(let attempt) in entries {
            guard let at = attempt.endedAt, EndedOutcome(attempt) == .failed else { continue }
            let kind = FailureKind(of: attempt.error ?? "")
            ends[kind, default: []].append(at)
            guard at > begin else { continue }
            seen += 1
            byKind[kind, default: 0] += 1
        }
        ends = ends.mapValues { $0.sorted(by: >) }
        let oldest = entries.map(\.at).min()
        guard entries.count == Self.limit, let oldest, oldest > begin else { return }
        total = try reading.failedInLastMinute(of: queue)
    }

    /// The start of the failures of a kind, also of tasks that succeeded at their retry. `known` is
    /// the start by the tasks that fail now.
    func start(
        _ known: FailureStart, of kind: FailureKind, counted: Timestamp?
    ) -> FailureStart {
        var start = known
        for end in ends[kind] ?? [] where end < start.at {
            guard start.at - end < 60 * EndedCounts.minuteMilliseconds else { return start }
            start.at = end
        }
        guard start.at < known.at, !isWhole else { return start }
        // Earlier lines may have more.
        start.isEstimate = true
        if let counted { start.at = min(start.at, counted) }
        return start
    }

    func rate(of kind: FailureKind) -> FailureRate {
        let count = byKind[kind] ?? 0
        guard let total, seen > 0, total > seen else {
            return FailureRate(perMinute: count, isEstimate: false)
        }
        return FailureRate(perMinute: total * count / seen, isEstimate: true)
    }
}

extension Reading {
    /// How many attempts failed in the last minute, right to ten seconds.
    fileprivate func failedInLastMinute(of queue: String?) throws -> Int {
        let last = EndedCounts.minute(of: real) * 6 + Int64(EndedCounts.sixth(of: real))
        let since = real + -EndedCounts.minuteMilliseconds
        var total = 0
        for counts in try store.endedCounts(.attempts, queue: queue, since: since) {
            guard case .attempts(.failed, _) = counts.what else { continue }
            let first = EndedCounts.minute(of: counts.minute) * 6
            for (sixth, count) in counts.sixths.enumerated() where first + Int64(sixth) > last - 6 {
                total += count
            }
        }
        return total
    }
}

extension JournalEntry {
    fileprivate var at: Timestamp {
        switch self {
        case .event(let event): event.at
        case .attempt(let attempt): attempt.endedAt ?? attempt.startedAt
        }
    }
}

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
