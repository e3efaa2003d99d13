import SluiceModel
import SluiceStore

/// Counts the due tasks of a queue: exactly the matches of `state:due`.
extension Reading {
    /// A count, and whether it is a lower bound.
    struct DueCount {
        var count: Int
        var isCapped: Bool

        init(_ count: Int, isCapped: Bool = false) {
            self.count = min(count, QueueOverview.dueLimit)
            self.isCapped = isCapped || count > QueueOverview.dueLimit
        }
    }

    func due(
        in queue: QueueRecord, _ counts: QueueCounts, woken: [QueueTask]
    ) throws -> DueCount {
        guard counts[.waiting] > 0 else { return DueCount(0) }
        let working = try processes().filter(\.isWorking)
        let serving = working.filter { $0.serves(queue.name) }
        if let head = try store.head(of: queue, now: now) {
            // The head blocks all other tasks (B7).
            let display = try ShownQueue(self, queue).display(of: head)
            return DueCount([.due, .next].contains(display) ? 1 : 0)
        }
        let types = working.isEmpty ? nil : Self.types(serving, queue)
        if types != nil, try !store.permits().isEmpty {
            // Who executes steps alone may be there for one of them.
            return try looked(queue, nil)
        }
        guard try mayStartAlike(queue, serving) else { return try looked(queue, types) }
        guard let types else { return DueCount(counts.waitingByFlags[.ready] ?? 0) }
        guard !types.isEmpty else { return DueCount(0) }
        var ready = TaskQuery(queue: queue.name, waitFlags: .ready, limit: 0)
        ready.types = types.sorted()
        let passed = woken.count {
            $0.awake(at: now).waitFlags == .ready && types.contains($0.type)
        }
        return DueCount(
            try store.countTasks(.page(ready), limit: QueueOverview.dueLimit + 1) + passed)
    }

    /// The waiting tasks whose timers have passed since the last write of their queue.
    func woken(in queue: QueueRecord, _ counts: QueueCounts) throws -> [QueueTask] {
        guard counts.mayWake else { return [] }
        return try store.tasks(
            .timers(queue: queue.name, through: now), limit: QueueOverview.dueLimit)
    }

    /// The types that some runners take of a queue; nil for every type.
    private static func types(_ serving: [ProcessRecord], _ queue: QueueRecord) -> Set<String>? {
        var types: Set<String> = []
        for runner in serving {
            guard let own = runner.types(in: queue.name) else { return nil }
            types.formUnion(own)
        }
        return types
    }

    /// Whether all tasks with the same wait flags show the same state, so that kept counts suffice.
    private func mayStartAlike(
        _ queue: QueueRecord, _ serving: [ProcessRecord]
    ) throws -> Bool {
        guard queue.wakes.isEmpty, try processes().allSatisfy({ $0.editing == nil }),
            try store.nextExpiry().map({ $0 > now }) ?? true
        else { return false }
        switch queue.forcedNetwork(else: try store.storeRecord().forcedNetwork) {
        case true?: return true
        case false?: return false
        case nil: return !serving.contains { $0.isOffline(at: now) }
        }
    }

    /// By looking at each, as far as a count goes.
    private func looked(_ queue: QueueRecord, _ types: Set<String>?) throws -> DueCount {
        var terms: [TaskFilter.Expression] = [.term(.state([.due]))]
        if let types {
            guard !types.isEmpty else { return DueCount(0) }
            terms.append(.term(.field(.type, types.sorted().map { FilterPattern($0) })))
        }
        let filtered = FilteredQueue(self, queue, TaskFilter(.all(terms)))
        var query = TaskQuery(queue: queue.name, state: .waiting, limit: 1000)
        var (count, looked) = (0, 0)
        while count <= QueueOverview.dueLimit, looked < 2 * QueueOverview.dueLimit {
            let page = try filtered.page(query)
            count += try filtered.matching(page.tasks).count
            looked += page.looked
            guard let last = page.last, page.looked == query.limit else { return DueCount(count) }
            query.after = last
        }
        return DueCount(count, isCapped: true)
    }
}
