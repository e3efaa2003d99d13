package import SluiceModel
import SluiceStore

/// Traits that tasks with one kind of error share and few other tasks have.
package struct FailureTraits: Hashable, Sendable {
    /// Something that a task may have: a value in its payload, a type, a label, a worker.
    package struct Trait: Hashable, Sendable {
        /// As a filter spells it: `payload.country=DE`, `type:charge`.
        package var name: String
        /// How many of the failing tasks have it.
        package var failing: Int
        /// How many of the others have it.
        package var others: Int
        /// How many failing tasks and how many others were checked for it.
        package var looked: Int
        package var compared: Int
    }
    /// The tasks to compare with the failing ones.
    package enum Others: String, Hashable, Sendable {
        case succeeded, waiting, none
    }
    package var kind: FailureKind
    /// The shared traits; the trait that fewest others have comes first.
    package var traits: [Trait] = []
    /// The number of failing tasks checked.
    package var failing = 0
    package var sample: TaskID?
    /// The number of other tasks checked.
    package var others = 0
    package var comparison = Others.none
    /// The number of workers that ran the last attempts of the checked failing tasks.
    package var workers = 0

    /// The maximum number of tasks to check in each set.
    package static let limit = 200

    /// `payload.country=DE (182 of 182; 4 % of those that succeeded)`, for up to `limit` traits,
    /// and the number of workers.
    package func words(limit: Int = 3) -> [String] {
        var words = traits.prefix(limit).map { trait in
            let share = trait.compared == 0 ? nil : Self.percent(trait.others, of: trait.compared)
            let compared = share.map { "; \($0) of those \(comparison.words)" } ?? ""
            return "\(trait.name) (\(trait.failing) of \(trait.looked)\(compared))"
        }
        if workers > 1 { words.append("\(workers) workers") }
        return words
    }

    /// `4 %`, or that it is less than one.
    private static func percent(_ count: Int, of all: Int) -> String {
        let percent = count * 100 / all
        return percent == 0 && count > 0 ? "<1 %" : "\(percent) %"
    }
}

extension FailureTraits.Others {
    /// The words that follow `those`.
    package var words: String {
        switch self {
        case .succeeded: "that succeeded"
        case .waiting: "not tried yet"
        case .none: ""
        }
    }
}

extension Reading {
    /// The kind of error that a name means in a queue, or in any.
    package func failingGroup(named name: String, of queue: String?) throws -> FailureGroup? {
        try failing(of: queue).groups.first { $0.kind.name == name }
    }

    /// The traits that the tasks of a failure group share.
    package func traits(of group: FailureGroup, in queue: String?) throws -> FailureTraits {
        let records = try group.queues.filter { queue == nil || $0.name == queue }.compactMap {
            try store.queue(named: $0.name)
        }
        let filter = try ready(group.indexedFilter())
        var failing: [QueueTask] = []
        for record in records {
            try FilteredQueue(self, record, filter).each(in: [.waiting, .failed]) { task in
                failing.append(task)
                return failing.count < FailureTraits.limit ? .goOn : .stop
            }
            if failing.count >= FailureTraits.limit { break }
            guard group.hasDueRetries else { continue }
            let due = try dueRetries(in: record, limit: Self.failingLimit)
            failing += due.filter { $0.lastError.map(FailureKind.init(of:)) == group.kind }
            failing = Array(failing.prefix(FailureTraits.limit))
        }
        let (others, comparison) = try others(in: records, since: group.since?.at ?? group.first)
        var traits = FailureTraits(kind: group.kind)
        (traits.failing, traits.others) = (failing.count, others.count)
        traits.sample = failing.first?.id
        traits.comparison = others.isEmpty ? .none : comparison
        let runners = try runners(of: failing)
        traits.workers = Set(runners.values).count
        // Omit the worker if the other tasks have no attempt to compare.
        let isAlone = traits.workers == 1 && traits.comparison == .succeeded
        let otherRunners = isAlone ? try self.runners(of: others) : [:]
        traits.traits =
            FailureTraits.shared(by: try shown(failing), unlike: try shown(others))
            + FailureTraits.shared(
                by: isAlone ? runners.values.map { ["worker \($0)"] } : [],
                unlike: otherRunners.values.map { ["worker \($0)"] })
        traits.traits.sort {
            ($0.others, $1.failing, $0.name) < ($1.others, $0.failing, $1.name)
        }
        return traits
    }

    /// Enough tasks that succeeded during the failures leave out those that succeeded before.
    private static let leastSucceeded = 4

    /// Tasks of the same queues to compare with the failing ones: succeeded tasks, or tasks without
    /// an attempt if the store keeps no succeeded ones.
    private func others(
        in records: [QueueRecord], since: Timestamp
    ) throws -> (tasks: [QueueTask], FailureTraits.Others) {
        var succeeded: [QueueTask] = []
        var waiting: [QueueTask] = []
        for record in records {
            succeeded += try store.tasks(
                matching: TaskQuery(
                    queue: record.name, state: .succeeded,
                    limit: FailureTraits.limit - succeeded.count))
            guard waiting.count < FailureTraits.limit else { continue }
            waiting += try store.tasks(
                matching: TaskQuery(
                    queue: record.name, waitFlags: .ready,
                    limit: FailureTraits.limit - waiting.count)
            ).filter { $0.executions == 0 }
        }
        let during = succeeded.filter { $0.endedAt.map { $0 >= since } ?? false }
        if during.count >= Self.leastSucceeded { return (during, .succeeded) }
        return succeeded.isEmpty ? (waiting, .waiting) : (succeeded, .succeeded)
    }

    /// The maximum number of tasks whose worker to look up.
    private static let runnerLimit = 40

    /// The worker of the last attempt of tasks.
    private func runners(of tasks: [QueueTask]) throws -> [TaskID: String] {
        let known = Dictionary(
            try processes().map { ($0.id, "\($0.pid) on \($0.host)") },
            uniquingKeysWith: { first, _ in first })
        var found: [TaskID: String] = [:]
        for task in tasks.prefix(Self.runnerLimit) {
            guard let runner = try store.writtenAttempts(of: task.id).last?.runner else { continue }
            found[task.id] = known[runner] ?? "#\(runner)"
        }
        return found
    }

    /// The traits of tasks, each as one name.
    private func shown(_ tasks: [QueueTask]) throws -> [Set<String>] {
        let heads = try store.payloadHeads(of: tasks.map(\.id), first: PayloadTraits.byteLimit)
        return tasks.map { task in
            var names: Set<String> = ["type:\(task.type)"]
            if let label = task.label { names.insert("label:\(label)") }
            if let head = heads[task.id], head.isWhole {
                names.formUnion(PayloadTraits(head.bytes).names)
            }
            return names
        }
    }
}

extension FailureTraits {
    /// The traits that nearly all failing tasks have and few others.
    static func shared(by failing: [Set<String>], unlike others: [Set<String>]) -> [Trait] {
        guard failing.count > 1 else { return [] }
        var counts: [String: Int] = [:]
        for name in failing.joined() { counts[name, default: 0] += 1 }
        let traits = counts.filter { $0.value * 10 >= failing.count * 9 }.map { name, count in
            Trait(
                name: name, failing: count, others: others.count { $0.contains(name) },
                looked: failing.count, compared: others.count)
        }
        return traits.filter { $0.others * 4 <= others.count }
    }
}

/// The values of a JSON payload, each with its place: `payload.country=DE`.
private struct PayloadTraits {
    private(set) var names: Set<String> = []

    static let byteLimit = 16 << 10
    private static let (depthLimit, valueLimit) = (6, 64)
    private static let nameLimit = 200

    init(_ payload: [UInt8]) {
        guard let value = try? JSONValue.parse(payload) else { return }
        add(value, at: [])
    }

    private mutating func add(_ value: JSONValue, at steps: [PayloadPath.Step]) {
        guard steps.count < Self.depthLimit, names.count < Self.nameLimit else { return }
        let text: String
        switch value {
        case .object(let object):
            for pair in object.pairs { add(pair.value, at: steps + [.key(pair.key)]) }
            return
        case .array: return
        case .string(let string):
            if let folded = value.folded { return add(folded, at: steps) }
            text = string
        default: text = value.text
        }
        guard !steps.isEmpty, text.utf8.count <= Self.valueLimit else { return }
        names.insert("payload\(PayloadPath(steps))=\(text)")
    }
}
