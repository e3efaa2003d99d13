import QueueModel
import QueueStore

/// The tasks that runners have, as the last commits of a writer left them. Most of them are settled
/// next, and nobody else has touched them: then their rows need not be sent once more.
struct LeasedTasks {
    private var tasks: [TaskID: (task: QueueTask, stamp: Int64)] = [:]
    /// More are not remembered.
    private static let limit = 4096

    /// A commit went through that wrote these.
    mutating func keep(_ ids: Set<TaskID>, _ seen: [TaskID: QueueTask], stamp: Int64?) {
        guard !ids.isEmpty else { return }
        if tasks.count + ids.count > Self.limit { tasks.removeAll() }
        for id in ids {
            if let stamp, let task = seen[id], task.running != nil {
                tasks[id] = (task, stamp)
            } else {
                tasks[id] = nil
            }
        }
    }

    mutating func forget(_ id: TaskID) { tasks[id] = nil }

    func task(_ id: TaskID) -> (task: QueueTask, stamp: Int64)? { tasks[id] }
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

    /// Asks whether rows are still those that this writer wrote, all of them; then it knows their
    /// tasks.
    func recallLeased(_ ids: [TaskID]) throws(QueueError) {
        var found: [(task: QueueTask, stamp: Int64)] = []
        for id in ids where !isKnown(id) {
            if let known = leases.task(id) { found.append(known) }
        }
        guard found.count > 1,
            let row = try connection.many(
                SQL.untouched, found.map(\.task.id), found.map(\.stamp))
        else { return }
        defer { row.reset() }
        guard try row.next(), row.int(0) == found.count else { return }
        for known in found { note(known.task) }
    }
}
