package import SluiceModel
import SluiceStore

/// Failed tasks, and such as wait for a retry, whose errors are alike.
package struct FailureGroup: Hashable, Sendable {
    package var kind: FailureKind
    /// The error if all checked tasks share it, else the common part of their errors.
    package var text: String
    /// Whether all tasks wait for a retry. `retryingFailures` counts these in `count`.
    package var isRetrying = false
    /// The number of permanently failed tasks.
    package var count: Int
    /// The number of checked tasks that wait for a retry.
    package var retrying = 0
    /// Whether the retry of some of them is due.
    var hasDueRetries = false
    /// Their types with how many of each, the most frequent first.
    package var types: [(name: String, count: Int)] { sorted(byType) }
    /// Their queues with how many in each, the most frequent first.
    package var queues: [(name: String, count: Int)] { sorted(byQueue) }
    /// How many counted attempts they had together.
    package var attempts: Int
    /// The first permanent failure, or the moment since when the first task waits.
    package var first: Timestamp
    /// When the last of them failed.
    package var last: Timestamp
    /// How many failed in each twelfth of the last hour, the oldest first.
    package var lastHour: [Int]
    /// The first failed attempt after an hour without any; `nil` if not computed.
    package var since: FailureStart?
    /// Failed attempts of the last minute; `nil` if not computed.
    package var rate: FailureRate?

    private var byType: [String: Int]
    private var byQueue: [String: Int]

    /// How many parts the last hour has.
    package static let parts = 12
    private static let partMinutes: Int64 = 5

    init(
        _ failed: [FailureCount], retrying waiting: [FailureCount] = [], _ text: String?,
        ends: [EndedCounts], now: Timestamp
    ) {
        let counts = failed + waiting
        kind = counts[0].kind
        self.text = text ?? kind.text
        count = failed.reduce(0) { $0 + $1.count }
        retrying = waiting.reduce(0) { $0 + $1.count }
        isRetrying = failed.isEmpty
        attempts = counts.reduce(0) { $0 + $1.attempts }
        first = counts.map(\.first).min() ?? now
        last = counts.map(\.last).max() ?? now
        (byType, byQueue) = ([:], [:])
        for count in counts {
            byType[count.type, default: 0] += count.count
            byQueue[count.queue, default: 0] += count.count
        }
        lastHour = Array(repeating: 0, count: Self.parts)
        for end in ends { add(end.total, at: end.minute, now: now) }
        for count in waiting { add(count.count, at: count.last, now: now) }
    }

    private mutating func add(_ count: Int, at moment: Timestamp, now: Timestamp) {
        let age = EndedCounts.minute(of: now) - EndedCounts.minute(of: moment)
        let place = Self.parts - 1 - Int(age / Self.partMinutes)
        if lastHour.indices.contains(place) { lastHour[place] += count }
    }

    private func sorted(_ counts: [String: Int]) -> [(name: String, count: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    package var total: Int { count + retrying }

    /// A filter that matches exactly these failed tasks; `queue` limits it to one queue. For tasks
    /// waiting for a retry it matches the words of their errors.
    package func filter(in queue: String? = nil) -> TaskFilter {
        filter(isRetrying ? retryingChoices : [failedTerms], in: queue)
    }

    /// A filter for both the failed tasks and those waiting for a retry.
    package func wholeFilter(in queue: String? = nil) -> TaskFilter {
        guard count > 0, retrying > 0 else { return filter(in: queue) }
        return filter([failedTerms] + retryingChoices, in: queue)
    }

    /// A filter for the tasks that wait for a retry.
    package func retryingFilter(in queue: String? = nil) -> TaskFilter {
        filter(retryingChoices, in: queue)
    }

    /// A filter without the due retries, which an index finds.
    func indexedFilter() -> TaskFilter {
        var group = self
        group.hasDueRetries = false
        return group.wholeFilter()
    }

    private var failedTerms: [TaskFilter.Term] { [.field(.failure, [FilterPattern(kind.name)])] }

    private var retryingChoices: [[TaskFilter.Term]] {
        let error = TaskFilter.Term.field(.error, [FilterPattern(pieces: kind.pieces)])
        let retrying: [TaskFilter.Term] = [.state([.retrying]), error]
        guard hasDueRetries else { return [retrying] }
        let due: [TaskFilter.Term] = [
            .state([.due, .blocked]), .measure(.attempts, .greater, 0), error,
        ]
        return [retrying, due]
    }

    private func filter(_ choices: [[TaskFilter.Term]], in queue: String?) -> TaskFilter {
        var parts: [TaskFilter.Expression]
        if choices.count == 1 {
            parts = choices[0].map { .term($0) }
        } else {
            parts = [.any(choices.map { .all($0.map { .term($0) }) })]
        }
        if let queue { parts.append(.term(.field(.queue, [FilterPattern(queue)]))) }
        return TaskFilter(.all(parts))
    }
}

/// When something began to fail.
package struct FailureStart: Hashable, Sendable {
    /// The moment of the attempt.
    package var at: Timestamp
    /// Whether an earlier failure may exist, because the search was limited.
    package var isEstimate: Bool

    package init(at: Timestamp, isEstimate: Bool) { (self.at, self.isEstimate) = (at, isEstimate) }
}

/// How many attempts failed in the last minute.
package struct FailureRate: Hashable, Sendable {
    package var perMinute: Int
    /// Whether it is a part of all that failed, by the last attempts in the log.
    package var isEstimate: Bool
}

/// The failed tasks of a queue, grouped by similar errors, most frequent first.
extension Reading {
    /// The failed tasks of a queue by what their errors have in common, the most frequent first;
    /// nil asks for all queues.
    package func failures(of queue: String?) throws -> [FailureGroup] {
        let counts = try store.failureCounts(queue: queue)
        guard !counts.isEmpty else { return [] }
        let ended = try endsByKind(of: queue)
        return groups(counts, try errors(of: counts)) { ended[.failures($0.key)] ?? [] }
    }

    /// Permanent failures of the last hour, by kind.
    func endsByKind(of queue: String?) throws -> [EndedCounts.Class: [EndedCounts]] {
        let hour = Int64(FailureGroup.parts) * 300_000
        let ends = try store.endedCounts(.failures, queue: queue, since: real + -hour)
        return Dictionary(grouping: ends, by: \.what)
    }

    /// The errors of failed tasks by their kinds, as far as a few of each queue tell them.
    func errors(of counts: [FailureCount]) throws -> FailureTexts {
        var texts = FailureTexts()
        for queue in Set(counts.map(\.queue)) where texts.count < Self.toldLimit {
            let query = TaskQuery(
                queue: queue, state: .failed, limit: Self.toldLimit - texts.count)
            for task in try store.tasks(matching: query) {
                if case .failed(let failure) = task.state { texts.add(failure.reason) }
            }
        }
        return texts
    }

    /// The maximum number of failed tasks whose errors to read.
    static let toldLimit = 200

    /// The maximum number of tasks waiting for a retry to read.
    package static let retryingLimit = 10_000

    /// The tasks that wait for a retry after an error, grouped likewise; `nil` means all queues.
    /// `isCut` reports that more exist.
    package func retryingFailures(
        of queue: String?
    ) throws -> (groups: [FailureGroup], isCut: Bool) {
        let found = try retryingTasks(of: queue, limit: Self.retryingLimit)
        var groups = groups(found.counts, found.texts) { _ in [] }
        let spans = try spans(of: groups, among: found.tasks)
        for place in groups.indices {
            let group = groups[place]
            groups[place].isRetrying = true
            groups[place].hasDueRetries = found.dueKinds.contains(group.kind)
            groups[place].since = spans[group.kind]?.start(of: group, isWhole: !found.isCut)
        }
        return (groups, found.isCut)
    }

    /// The tasks that wait for a retry after an error, and those whose retry is due, up to a limit.
    func retryingTasks(of queue: String?, limit: Int) throws -> RetryingTasks {
        let queues = try queue.map { [try store.requireQueue($0)] } ?? store.queues()
        let filter = TaskFilter(.term(.state([.retrying])))
        var found = RetryingTasks()
        var walked = 0
        for queue in queues {
            let counts = try store.counts(queue: queue.name)
            if counts.retrying > 0 {
                try FilteredQueue(self, queue, filter).each(in: [.waiting]) { task in
                    guard found.tasks.count < limit else {
                        found.isCut = true
                        return .stop
                    }
                    found.add(task)
                    return .goOn
                }
            }
            guard counts[.waiting] > 0, walked < Self.walkedQueues else { continue }
            walked += 1
            let left = limit - found.tasks.count
            // Another system may show a retry as such whose time has come.
            let seen = Set(found.tasks.map(\.id))
            let due = try dueRetries(in: queue, limit: left + 1).filter { !seen.contains($0.id) }
            found.isCut = found.isCut || due.count > left
            for task in due.prefix(left) { found.add(task, isDue: true) }
        }
        return found
    }

    /// The maximum number of queues whose first tasks to read.
    private static let walkedQueues = 200

    private func groups(
        _ counts: [FailureCount], _ texts: FailureTexts, ends: (FailureKind) -> [EndedCounts]
    ) -> [FailureGroup] {
        Dictionary(grouping: counts, by: \.kind).map { kind, counts in
            let count = counts.reduce(0) { $0 + $1.count }
            return FailureGroup(
                counts, texts.only(of: kind, among: count), ends: ends(kind), now: real)
        }.sortedByCount()
    }
}

extension [FailureGroup] {
    /// The most frequent first.
    func sortedByCount() -> [FailureGroup] {
        sorted { ($1.total, $1.last, $0.kind.text) < ($0.total, $0.last, $1.kind.text) }
    }
}

/// Tasks that wait for a retry after an error.
struct RetryingTasks {
    private(set) var tasks: [QueueTask] = []
    /// The same, each as a count of one.
    private(set) var counts: [FailureCount] = []
    private(set) var texts = FailureTexts()
    /// The kinds of the errors of those whose retry is due.
    private(set) var dueKinds: Set<FailureKind> = []
    var isCut = false

    mutating func add(_ task: QueueTask, isDue: Bool = false) {
        guard let (error, at) = task.retriedError else { return }
        texts.add(error)
        tasks.append(task)
        let kind = FailureKind(of: error)
        if isDue { dueKinds.insert(kind) }
        counts.append(
            FailureCount(
                queue: task.queue, kind: kind, type: task.type, count: 1,
                attempts: task.attempts, first: at, last: at))
    }
}

/// The errors of the checked tasks, by kind.
struct FailureTexts {
    private var found: [FailureKind: (text: String?, count: Int)] = [:]
    private(set) var count = 0

    /// One more, in one line.
    mutating func add(_ error: String) {
        let words = ErrorLine.cause(of: error).unicodeScalars.prefix(400).split {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }
        let text = String(words.map { String($0) }.joined(separator: " ").prefix(200))
        let kind = FailureKind(of: error)
        var errors = found[kind] ?? (text, 0)
        if errors.text != text { errors.text = nil }
        errors.count += 1
        found[kind] = errors
        count += 1
    }

    /// Merges another set.
    mutating func add(_ other: FailureTexts) {
        for (kind, new) in other.found {
            var errors = found[kind] ?? (new.text, 0)
            if errors.text != new.text { errors.text = nil }
            errors.count += new.count
            found[kind] = errors
        }
        count += other.count
    }

    /// The error that all `count` tasks of a kind share; `nil` if they differ or some are unknown.
    func only(of kind: FailureKind, among count: Int) -> String? {
        guard let found = found[kind], found.count >= count else { return nil }
        return found.text
    }
}
