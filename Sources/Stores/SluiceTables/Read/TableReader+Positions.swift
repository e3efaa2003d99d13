import SluiceModel
import SluiceStore

/// Queries by position. Tasks waiting in arrival order are found by their rank, which equals the
/// position there. Running tasks are found among the few that run, and all others by a separate
/// index. Arrival-ordered tasks thus need one index less.
extension TableReader {
    private enum SQL {
        /// The tasks in the position index and the running ones, after and before a position.
        static let behind = sources(">", "")
        static let before = sources("<", " DESC")

        private static func sources(_ comparison: String, _ direction: String) -> [Query] {
            [
                TaskColumns.select(
                    """
                    FROM sluice_task t INDEXED BY sluice_task_position
                    WHERE t.queue = ? AND t.position \(comparison) ? AND \(condition)
                    ORDER BY t.position\(direction) LIMIT ?
                    """),
                TaskColumns.select(
                    """
                    FROM sluice_task t INDEXED BY sluice_task_lane
                    WHERE t.queue = ? AND t.lane = \(IndexBucket.number(of: .running))
                        AND t.position \(comparison) ? LIMIT ?
                    """),
            ]
        }

        /// The exact condition of the position index.
        private static let condition = "(t.state > 1 OR (t.state = 0 AND length(t.rank) <> 8))"
    }

    func storedLastPosition(of queue: Int64) throws(QueueError) -> Int64 {
        let row = try connection.prepare(LastPositions.one)
        defer { row.reset() }
        row.bind(queue)
        return try row.next() ? row.integer(0) : 0
    }

    /// Tasks after or before a position, nearest first.
    func arrived(
        _ name: String, from position: Int64?, isBackwards: Bool, limit: Int
    ) throws -> [QueueTask] {
        guard let entry = try entry(name), limit > 0 else { return [] }
        var found = try line(in: entry, from: position, isBackwards: isBackwards, limit: limit)
        for (place, query) in (isBackwards ? SQL.before : SQL.behind).enumerated() {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(entry.id)
            row.bind(position ?? .min)
            // Few run, in the order of their begins.
            row.bind(place == 0 ? limit : .max)
            found += try tasks(of: row)
        }
        found.sort { isBackwards ? $0.position > $1.position : $0.position < $1.position }
        return Array(found.prefix(limit))
    }

    /// The waiting tasks after or before a position, nearest first, if the queue is in order of
    /// positions.
    private func line(
        in queue: QueueEntry, from position: Int64?, isBackwards: Bool, limit: Int
    ) throws -> [QueueTask] {
        let order = queue.record.settings.order
        guard order == .fifo || order == .lifo else { return [] }
        var query = TaskQuery(queue: queue.record.name, state: .waiting, limit: limit)
        query.isBackwards = isBackwards == (order == .fifo)
        query.after = position.map {
            OrderKey(position: $0, priority: 0, sortKey: nil, order: order)
        }
        return try page(query)
    }
}
