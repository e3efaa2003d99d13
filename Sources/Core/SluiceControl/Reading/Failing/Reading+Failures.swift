import SluiceModel
import SluiceStore

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
    /// Their errors.
    private(set) var texts = FailureTexts()
    /// The kinds of the errors of those whose retry is due.
    private(set) var dueKinds: Set<FailureKind> = []
    /// Whether there are more.
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
    /// How many there are.
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
