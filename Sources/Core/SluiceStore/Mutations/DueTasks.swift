import SluiceModel

/// How much of what time alone has changed one question looks at: thousands of moments may come
/// together, and who claims holds up every writer while it looks (T2).
package struct DueBounds: Hashable, Sendable {
    /// The number of due tasks whose wait flags a claim clears.
    package var moved: Int
    /// The number of due tasks found by their times. If more are due, the first are found by queue
    /// order.
    package var listed: Int
    /// The number of tasks with equal flags to scan for due tasks. The order of later tasks is
    /// undecided.
    package var rows: Int

    package init(moved: Int, listed: Int, rows: Int) {
        (self.moved, self.listed, self.rows) = (moved, listed, rows)
    }

    /// A few milliseconds of a claim.
    package static let claim = DueBounds(moved: 400, listed: 200, rows: 2000)
    /// The bounds of readers, which need all due tasks.
    package static let reading = DueBounds(moved: 0, listed: 2000, rows: .max)
}

/// The waiting tasks of a queue whose wait flags have changed by time alone, as they are now, which
/// no write has noted yet.
struct DueTasks {
    /// All of them, or, if there are too many, only tasks that a start releases.
    private var tasks: [QueueTask]
    /// The number of other tasks to scan, or `nil` without others.
    private var rows: Int?
    private var now: Timestamp

    /// Whether nothing has turned.
    var isEmpty: Bool { tasks.isEmpty && rows == nil }

    fileprivate init(_ tasks: [QueueTask], rows: Int?, now: Timestamp) {
        self.tasks = tasks.map { $0.awake(at: now) }
        (self.rows, self.now) = (rows, now)
    }

    /// The first due tasks found.
    struct First {
        var tasks: [QueueTask] = []
        /// The end of the scan in queue order, or `nil` if it was complete.
        private(set) var reach: OrderKey?
        private let order: QueueOrder

        init(order: QueueOrder) { self.order = order }

        /// Whether all tasks before this one are known.
        func decides(_ task: QueueTask) -> Bool {
            reach.map { task.orderKey(order) <= $0 } ?? true
        }

        mutating func end(at key: OrderKey) { reach = reach.map { min($0, key) } ?? key }

        mutating func add(_ other: First) {
            tasks += other.tasks
            if let key = other.reach { end(at: key) }
        }
    }

    /// At least the first `limit` matching tasks, possibly more. `mayGive` selects the wait flags
    /// that may have matches.
    func first(
        _ limit: Int, of queue: QueueRecord, in store: some StoreReader,
        where mayGive: (WaitFlags) -> Bool, _ isWanted: (QueueTask) -> Bool
    ) throws -> First {
        var found = First(order: queue.settings.order)
        found.tasks = tasks.filter(isWanted)
        guard let rows else { return found }
        let known = Set(tasks.map(\.id))
        for (waitFlags, count) in try store.counts(queue: queue.name).waitingByFlags
        where count > 0 && waitFlags.mayWake && mayGive(waitFlags) {
            var (left, rowsLeft) = (limit, rows)
            var query = TaskQuery(queue: queue.name, waitFlags: waitFlags, limit: max(limit, 20))
            while left > 0 {
                let page = try store.tasks(matching: query)
                for task in page where task.wakesAt.map({ $0 <= now }) ?? false {
                    let awake = task.awake(at: now)
                    guard !known.contains(task.id), isWanted(awake) else { continue }
                    found.tasks.append(awake)
                    left -= 1
                }
                guard page.count == query.limit, let last = page.last else { break }
                query.after = last.orderKey(queue.settings.order)
                rowsLeft -= page.count
                if left > 0, rowsLeft <= 0 {
                    found.end(at: last.orderKey(queue.settings.order))
                    break
                }
                query.limit = min(2 * query.limit, 1000)
            }
        }
        return found
    }
}

extension WaitFlags {
    /// The flags of a task with these once every moment it waits for has passed.
    var awake: WaitFlags { subtracting([.retrying, .delayed, .skipped]) }
}

extension StoreReader {
    /// Whether a queue holds tasks whose wait flags change by time alone.
    package func mayWake(queue: String) throws -> Bool {
        try counts(queue: queue).mayWake
    }

    /// The waiting tasks whose wait flags have changed by time alone.
    func dueTasks(in queue: QueueRecord, now: Timestamp, _ bounds: DueBounds) throws -> DueTasks {
        let freed = try freed(in: queue, now: now)
        guard try mayWake(queue: queue.name) else { return DueTasks(freed, rows: nil, now: now) }
        let due = try tasks(.timers(queue: queue.name, through: now), limit: bounds.listed + 1)
        guard due.count <= bounds.listed else {
            return DueTasks(freed, rows: bounds.rows, now: now)
        }
        let free = Set(freed.map(\.id))
        return DueTasks(due.filter { !free.contains($0.id) } + freed, rows: nil, now: now)
    }

    /// The members whose column still says that a start holds them, although it expired and lets
    /// them go: true until the next sweep (Q8).
    private func freed(in queue: QueueRecord, now: Timestamp) throws -> [QueueTask] {
        guard queue.whenStartFailsNow == .release else { return [] }
        var found: [QueueTask] = []
        for start in try tasks(.expiring(through: now), limit: 1000)
        where start.queue == queue.name && start.isReleased(at: now, in: queue) {
            guard let group = start.groupStart else { continue }
            let members = try tasks(
                .waitingMembers(queue: queue.name, group: group, after: start.position), limit: 1000
            )
            for var member in members
            where try member.isHeld && holder(of: member, in: queue, now: now) == nil {
                member.isHeld = false
                found.append(member)
            }
        }
        return found
    }
}
