package import SluiceModel
import SluiceStore

/// What the tasks of one kind of error have in common, and few others have.
package struct FailureTraits: Hashable, Sendable {
    /// Something that a task may have: a value in its payload, a type, a label, a worker.
    package struct Trait: Hashable, Sendable {
        /// As a filter spells it: `payload.country=DE`, `type:charge`.
        package var name: String
        /// How many of the failing tasks have it.
        package var failing: Int
        /// How many of the others have it.
        package var others: Int
    }
    /// With which tasks the failing ones are compared.
    package enum Others: String, Hashable, Sendable {
        case succeeded, waiting, none
    }
    /// The error.
    package var kind: FailureKind
    /// What they have in common; what fewest others have first.
    package var traits: [Trait] = []
    /// How many failing tasks were looked at.
    package var failing = 0
    /// One of them.
    package var sample: TaskID?
    /// How many others were looked at.
    package var others = 0
    /// Which those are.
    package var comparison = Others.none
    /// How many workers the last attempts of failing tasks ran in, of those that were looked at.
    package var workers = 0

    /// So many tasks of each are looked at.
    package static let limit = 200

    /// `payload.country=DE (182 of 182; 4 % of those that succeeded)`, as many as asked for, and
    /// how many workers.
    package func words(limit: Int = 3) -> [String] {
        var words = traits.prefix(limit).map { trait in
            let share = others == 0 ? nil : Self.percent(trait.others, of: others)
            let compared = share.map { "; \($0) of those \(comparison.words)" } ?? ""
            return "\(trait.name) (\(trait.failing) of \(failing)\(compared))"
        }
        if workers > 1 { words.append("\(workers) workers") }
        return words
    }

    /// `4 %`; less than one is said so.
    private static func percent(_ count: Int, of all: Int) -> String {
        let percent = count * 100 / all
        return percent == 0 && count > 0 ? "<1 %" : "\(percent) %"
    }
}

extension FailureTraits.Others {
    /// Which tasks are meant, behind `those`.
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

    /// What the tasks of a row have in common.
    package func traits(of group: FailureGroup, in queue: String?) throws -> FailureTraits {
        let records = try group.queues.filter { queue == nil || $0.name == queue }.compactMap {
            try store.queue(named: $0.name)
        }
        let filter = try ready(group.wholeFilter())
        var failing: [QueueTask] = []
        for record in records {
            try FilteredQueue(self, record, filter).each(in: [.waiting, .failed]) { task in
                failing.append(task)
                return failing.count < FailureTraits.limit ? .goOn : .stop
            }
            if failing.count >= FailureTraits.limit { break }
        }
        let (others, comparison) = try others(in: records)
        var traits = FailureTraits(kind: group.kind)
        (traits.failing, traits.others) = (failing.count, others.count)
        traits.sample = failing.first?.id
        traits.comparison = others.isEmpty ? .none : comparison
        let runners = try runners(of: failing)
        traits.workers = Set(runners.values).count
        // No worker is to be compared with tasks that none has tried.
        let isAlone = traits.workers == 1 && traits.comparison == .succeeded
        let otherRunners = isAlone ? try self.runners(of: others) : [:]
        traits.traits = FailureTraits.shared(
            by: try shown(failing, ranBy: isAlone ? runners : [:]),
            unlike: try shown(others, ranBy: otherRunners))
        return traits
    }

    /// Tasks of the same queues with which failing ones are compared: those that succeeded, or
    /// where none is kept those that wait for a first attempt.
    private func others(
        in records: [QueueRecord]
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
        return succeeded.isEmpty ? (waiting, .waiting) : (succeeded, .succeeded)
    }

    /// So many tasks are asked which worker ran them.
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

    /// What tasks have that others may share, each as one name.
    private func shown(
        _ tasks: [QueueTask], ranBy runners: [TaskID: String]
    ) throws -> [Set<String>] {
        let heads = try store.payloadHeads(of: tasks.map(\.id), first: PayloadTraits.byteLimit)
        return tasks.map { task in
            var names: Set<String> = ["type:\(task.type)"]
            if let label = task.label { names.insert("label:\(label)") }
            if let runner = runners[task.id] { names.insert("worker \(runner)") }
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
            Trait(name: name, failing: count, others: others.count { $0.contains(name) })
        }
        return traits.filter { $0.others * 4 <= others.count }.sorted {
            ($0.others, $1.failing, $0.name) < ($1.others, $0.failing, $1.name)
        }
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
