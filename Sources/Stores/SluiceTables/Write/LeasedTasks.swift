import SluiceModel
import SluiceStore

/// The tasks that runners have, as the last commits of a writer left them. Most of them are settled
/// next, and nobody else has touched them: then their rows need not be sent once more.
struct LeasedTasks {
    private var tasks: [TaskID: (task: QueueTask, stamp: Int64)] = [:]
    /// More are not remembered.
    private static let limit = 4096

    /// A commit went through that wrote these.
    mutating func keep(_ ids: Set<TaskID>, _ seen: [TaskID: QueueTask], stamp: Int64?) {
        // Where rows have no mark nothing was ever remembered.
        guard !ids.isEmpty, stamp != nil || !tasks.isEmpty else { return }
        if tasks.count + ids.count > Self.limit { tasks.removeAll() }
        for id in ids {
            tasks[id] = stamp.flatMap { stamp in seen[id].map { ($0, stamp) } }
        }
    }

    mutating func forget(_ id: TaskID) { tasks[id] = nil }

    func stamp(_ id: TaskID) -> Int64? { tasks[id]?.stamp }

    func task(_ id: TaskID) -> QueueTask? { tasks[id]?.task }
}

extension WriteSession {
    private enum SQL {
        static let untouched = Query(
            """
            SELECT count(*)
            FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[])) AS q (id, stamp)
            CROSS JOIN sluice_task t ON t.id = q.id WHERE t.xmin = CAST(q.stamp AS INTEGER)
            """)
    }

    /// Those whose rows are still the ones that this writer wrote are known again, if all of them
    /// are; the rows of the others are fetched.
    package func expectTasks(_ ids: [TaskID]) throws {
        guard connection.joinsRows else { return }
        try recall(ids)
        try fetchTasks(ids.filter { !isKnown($0) })
    }

    private func recall(_ ids: [TaskID]) throws(QueueError) {
        var (leased, stamps): ([TaskID], [Int64]) = ([], [])
        for id in ids where !isKnown(id) {
            guard let stamp = leases.stamp(id) else { continue }
            leased.append(id)
            stamps.append(stamp)
        }
        guard leased.count > 1, let row = try connection.many(SQL.untouched, leased, stamps)
        else { return }
        defer { row.reset() }
        guard try row.next(), row.int(0) == leased.count else { return }
        for id in leased {
            if let task = leases.task(id) { note(task) }
        }
    }
}
