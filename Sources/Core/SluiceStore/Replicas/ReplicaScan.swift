import SluiceModel

/// A comparison of a part of a queue here with the same part in the other store.
struct ReplicaScan {
    private let store: any StoreReader
    private let page: ReplicaPage
    private let now: Timestamp
    private let identity: String
    private let numbers: ClosedRange<TaskID>?
    private var equal: [(incoming: IncomingTask, actual: QueueTask)] = []
    /// The tasks missing here, each with its former number here.
    private(set) var missing: [(IncomingTask, TaskID?)] = []
    private(set) var changed: [(IncomingTask, QueueTask)] = []
    private var known: Set<TaskID> = []

    init(_ store: any StoreReader, _ page: ReplicaPage, now: Timestamp) throws {
        (self.store, self.page, self.now) = (store, page, now)
        identity = try store.storeRecord().identity
        numbers = try store.numbersKept(for: page.identity)
        let ids = try page.tasks.map { incoming in
            try store.task(ofOrigin: incoming.origin)
                ?? TaskOrigin.id(of: incoming.origin, in: identity)
        }
        let tasks = try store.tasks(ids.compactMap(\.self)).map { ($0.id, $0) }
        let here = Dictionary(tasks, uniquingKeysWith: { first, _ in first })
        for (incoming, id) in zip(page.tasks, ids) {
            guard let id, let actual = here[id] else {
                missing.append((incoming, id))
                continue
            }
            known.insert(id)
            guard actual.queue == page.queue else { throw elsewhereError(incoming, actual) }
            if try isSame(incoming, actual) {
                equal.append((incoming, actual))
            } else {
                changed.append((incoming, actual))
            }
        }
    }

    func difference() throws -> ReplicaDifference {
        var difference = differenceOfKnown()
        for (incoming, actual) in equal { try difference.digest.take(actual, of: incoming, store) }
        difference.strangers = try strangers()
        return difference
    }

    func differenceOfKnown() -> ReplicaDifference {
        var difference = ReplicaDifference()
        difference.equal = equal.count
        difference.missing = missing.count
        difference.renumbered = equal.count { $0.incoming.task.id != $0.actual.id }
        difference.changed = changed.map(\.1.id)
        return difference
    }

    /// The tasks of this part here that are missing in the other store.
    func strangers() throws -> [ReplicaStranger] {
        var found: [ReplicaStranger] = []
        var last = page.after
        let limit = page.tasks.count + 100
        while true {
            let tasks = try store.tasks(.arrived(queue: page.queue, after: last), limit: limit)
            for task in tasks where !known.contains(task.id) {
                if let end = page.through, task.position > end { return found }
                let origin =
                    try store.origin(of: task.id) ?? TaskOrigin.local(task.id, in: identity)
                if page.tasks.contains(where: { $0.origin == origin }) { continue }
                found.append(ReplicaStranger(id: task.id, origin: origin))
            }
            guard tasks.count == limit, let end = tasks.last?.position,
                page.through.map({ end < $0 }) ?? true
            else { return found }
            last = end
        }
    }

    /// The other store's task in its form here.
    func replica(of incoming: IncomingTask, as id: TaskID) throws -> QueueTask {
        try incoming.replica(as: id, in: store, identity, numbers, now: now)
    }

    private func isSame(_ incoming: IncomingTask, _ actual: QueueTask) throws -> Bool {
        var actual = actual.awake(at: now)
        actual.collector = nil
        guard try replica(of: incoming, as: actual.id) == actual,
            try store.payload(of: actual.id) ?? [] == incoming.payload,
            try store.result(of: actual.id) == incoming.result
        else { return false }
        guard !incoming.attempts.isEmpty else { return true }
        let known = Set(try store.attempts(of: actual.id).map(\.travelling))
        return incoming.attempts.allSatisfy { known.contains($0.travelling) }
    }

    func goneError(_ incoming: IncomingTask, _ known: TaskID) -> QueueError {
        .notLegal(
            "#\(incoming.task.id) of \(page.queue) was here before, as #\(known), and was removed",
            fix: "with --again such tasks come once more, and run once more")
    }

    private func elsewhereError(_ incoming: IncomingTask, _ actual: QueueTask) -> QueueError {
        .notLegal(
            "#\(incoming.task.id) of \(page.queue) is here already, as #\(actual.id) in "
                + actual.queue, fix: "delete one of them, then copy again")
    }
}

extension IncomingTask {
    /// The task in the form of the target store: the same except for its number and store-specific
    /// values.
    func replica(
        as id: TaskID, in store: any StoreReader, _ identity: String,
        _ numbers: ClosedRange<TaskID>?, now: Timestamp
    ) throws -> QueueTask {
        var task = task
        let parent = task.parent
        (task.id, task.collector, task.parent) = (id, nil, nil)
        if let parentOrigin {
            task.parent =
                try store.task(ofOrigin: parentOrigin)
                ?? TaskOrigin.id(of: parentOrigin, in: identity)
                ?? parent.flatMap { numbers?.contains($0) == true ? $0 : nil }
        }
        task.state = task.state.brought
        return task.awake(at: now)
    }
}
