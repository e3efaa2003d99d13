package import SluiceModel
import SluiceStore

/// Failed tasks, or such as wait for a retry, whose errors are alike.
package struct FailureGroup: Hashable, Sendable {
    /// What their errors have in common.
    package var kind: FailureKind
    /// Their error, where all of them were looked at and have the same; else what their errors have
    /// in common.
    package var text: String
    /// Whether they wait for a retry; the others were given up.
    package var isRetrying = false
    /// How many there are.
    package var count: Int
    /// Their types with how many of each, the most frequent first.
    package var types: [(name: String, count: Int)] { sorted(byType) }
    /// Their queues with how many in each, the most frequent first.
    package var queues: [(name: String, count: Int)] { sorted(byQueue) }
    /// How many counted attempts they had together.
    package var attempts: Int
    /// When the first of them failed.
    package var first: Timestamp
    /// When the last of them failed.
    package var last: Timestamp
    /// How many failed in each twelfth of the last hour, the oldest first.
    package var lastHour: [Int]

    private var byType: [String: Int]
    private var byQueue: [String: Int]

    /// How many parts the last hour has.
    package static let parts = 12
    private static let partMinutes: Int64 = 5

    init(_ counts: [FailureCount], _ text: String?, ends: [EndedCounts], now: Timestamp) {
        kind = counts[0].kind
        self.text = text ?? kind.text
        count = counts.reduce(0) { $0 + $1.count }
        attempts = counts.reduce(0) { $0 + $1.attempts }
        first = counts.map(\.first).min() ?? now
        last = counts.map(\.last).max() ?? now
        (byType, byQueue) = ([:], [:])
        for count in counts {
            byType[count.type, default: 0] += count.count
            byQueue[count.queue, default: 0] += count.count
        }
        lastHour = Array(repeating: 0, count: Self.parts)
        let current = EndedCounts.minute(of: now)
        for end in ends {
            let age = (current - EndedCounts.minute(of: end.minute)) / Self.partMinutes
            let place = Self.parts - 1 - Int(age)
            if lastHour.indices.contains(place) { lastHour[place] += end.total }
        }
    }

    private func sorted(_ counts: [String: Int]) -> [(name: String, count: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// The filter that these tasks match, and no others that were given up; with a name only those
    /// of that queue. That of tasks that wait for a retry is of the words of their errors.
    package func filter(in queue: String? = nil) -> TaskFilter {
        var terms: [TaskFilter.Term] =
            isRetrying
            ? [.state([.retrying]), .field(.error, [FilterPattern(pieces: kind.pieces)])]
            : [.field(.failure, [FilterPattern(kind.name)])]
        if let queue { terms.append(.field(.queue, [FilterPattern(queue)])) }
        return TaskFilter(.all(terms.map { .term($0) }))
    }
}

extension Reading {
    /// The failed tasks of a queue by what their errors have in common, the most frequent first;
    /// nil asks for all queues.
    package func failures(of queue: String?) throws -> [FailureGroup] {
        let counts = try store.failureCounts(queue: queue)
        guard !counts.isEmpty else { return [] }
        let hour = Int64(FailureGroup.parts) * 300_000
        let ends = try store.endedCounts(.failures, queue: queue, since: real + -hour)
        let ended = Dictionary(grouping: ends, by: \.what)
        return groups(counts, try errors(of: counts)) { ended[.failures($0.key)] ?? [] }
    }

    /// The errors of failed tasks by their kinds, as far as a few of each queue tell them.
    private func errors(of counts: [FailureCount]) throws -> FailureTexts {
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

    /// So many failed tasks are looked at for their errors.
    private static let toldLimit = 200

    /// So many tasks that wait for a retry are looked at.
    package static let retryingLimit = 10_000

    /// The tasks that wait for a retry after an error, of a queue or of all, in the same manner;
    /// and whether there are more than were looked at.
    package func retryingFailures(
        of queue: String?
    ) throws -> (groups: [FailureGroup], isCut: Bool) {
        let queues = try queue.map { [try store.requireQueue($0)] } ?? store.queues()
        let filter = TaskFilter(.term(.state([.retrying])))
        var counts: [FailureCount] = []
        var texts = FailureTexts()
        for queue in queues where try store.counts(queue: queue.name).retrying > 0 {
            try FilteredQueue(self, queue, filter).each(in: [.waiting]) { task in
                guard counts.count <= Self.retryingLimit else { return .stop }
                guard let error = task.lastError, let timer = task.waiting?.timer else {
                    return .goOn
                }
                texts.add(error)
                counts.append(
                    FailureCount(
                        queue: queue.name, kind: FailureKind(of: error), type: task.type, count: 1,
                        attempts: task.attempts, first: timer.since, last: timer.since))
                return .goOn
            }
        }
        let isCut = counts.count > Self.retryingLimit
        var groups = groups(Array(counts.prefix(Self.retryingLimit)), texts) { _ in [] }
        for place in groups.indices { groups[place].isRetrying = true }
        return (groups, isCut)
    }

    private func groups(
        _ counts: [FailureCount], _ texts: FailureTexts, ends: (FailureKind) -> [EndedCounts]
    ) -> [FailureGroup] {
        let groups = Dictionary(grouping: counts, by: \.kind).map { kind, counts in
            let count = counts.reduce(0) { $0 + $1.count }
            return FailureGroup(
                counts, texts.only(of: kind, among: count), ends: ends(kind), now: real)
        }
        return groups.sorted {
            ($1.count, $1.last, $0.kind.text) < ($0.count, $0.last, $1.kind.text)
        }
    }
}

/// The errors of tasks that were looked at, by their kinds.
private struct FailureTexts {
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

    /// The one error of so many tasks of a kind; nil where there are several, or more tasks.
    func only(of kind: FailureKind, among count: Int) -> String? {
        guard let found = found[kind], found.count >= count else { return nil }
        return found.text
    }
}
