import SluiceModel
import SluiceStore

/// Positions: those of tasks that wait in the order of their arrival are found by their rank, which
/// is nothing else there, those of tasks that run among the few that do, and all others by an index
/// of their own. So what comes and goes in that order is in one index less.
extension ReadSession {
    private enum SQL {
        static let before = nearest("max", "<")
        static let after = nearest("min", ">")
        static let apart = TaskColumns.select(
            """
            FROM sluice_task t INDEXED BY sluice_task_position
            WHERE t.queue = ? AND t.position > ? AND \(condition("t."))
            ORDER BY t.position LIMIT ?
            """)
        static let running = TaskColumns.select(
            "FROM sluice_task t INDEXED BY sluice_task_lane WHERE \(runs("t.")) AND t.position > ?")

        private static func nearest(_ choice: String, _ comparison: String) -> Query {
            Query(
                """
                SELECT \(choice)(p) FROM (
                    SELECT \(choice)(position) AS p
                    FROM sluice_task INDEXED BY sluice_task_position
                    WHERE queue = ?1 AND position \(comparison) ?2 AND \(condition(""))
                    UNION ALL
                    SELECT \(choice)(position) AS p FROM sluice_task INDEXED BY sluice_task_lane
                    WHERE \(runs("", queue: "?1")) AND position \(comparison) ?2) AS used
                """)
        }

        /// That of the index of positions, word for word.
        private static func condition(_ table: String) -> String {
            "(\(table)state > 1 OR (\(table)state = 0 AND length(\(table)rank) <> 8))"
        }

        private static func runs(_ table: String, queue: String = "?") -> String {
            "\(table)queue = \(queue) AND \(table)lane = \(Shelf.number(of: .running))"
        }
    }

    func storedLastPosition(of queue: Int64) throws(QueueError) -> Int64 {
        let row = try connection.prepare(LastPositions.one)
        defer { row.reset() }
        row.bind(queue)
        return try row.next() ? row.integer(0) : 0
    }

    package func neighbour(queue: String, of position: Int64, isBefore: Bool) throws -> Int64? {
        guard let entry = try entry(queue) else { return nil }
        let row = try connection.prepare(isBefore ? SQL.before : SQL.after)
        row.bind(entry.id)
        row.bind(position)
        let apart = try row.next() ? row.optionalInteger(0) : nil
        row.reset()
        let lined = try line(in: entry, from: position, isBackwards: isBefore, limit: 1)
        let found = [apart, lined.first?.position].compactMap { $0 }
        return isBefore ? found.max() : found.min()
    }

    package func tasks(queue: String, after position: Int64?, limit: Int) throws -> [QueueTask] {
        guard let entry = try entry(queue), limit > 0 else { return [] }
        var found = try line(in: entry, from: position, isBackwards: false, limit: limit)
        for query in [SQL.apart, SQL.running] {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(entry.id)
            row.bind(position ?? .min)
            if query === SQL.apart { row.bind(limit) }
            found += try tasks(of: row)
        }
        return Array(found.sorted { $0.position < $1.position }.prefix(limit))
    }

    /// The tasks that wait behind, or before, a position, nearest first, where the order of their
    /// queue is that of their positions.
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
        return try tasks(matching: query)
    }
}
