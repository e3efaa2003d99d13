import SluiceModel
import SluiceStore

/// How far a place in the order is from an end of a queue's tasks of a state: a range of the index
/// of shelves, of which no row is read.
extension ReadSession {
    private enum SQL {
        static let before = count("<")
        static let behind = count(">")

        private static func count(_ comparison: String) -> Query {
            Query(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM sluice_task INDEXED BY sluice_task_lane
                    WHERE queue = ? AND lane = ? AND rank \(comparison) ? LIMIT ?) AS found
                """)
        }
    }

    package func countTasks(
        queue: String, state: TaskState.Name, from key: OrderKey, isBackwards: Bool, limit: Int
    ) throws -> Int {
        guard let queue = try entry(queue) else { return 0 }
        let shelves =
            state == .waiting ? try shelves(of: queue.id) : [Shelf.number(of: state)]
        var count = 0
        for shelf in shelves where count < limit {
            let row = try connection.prepare(isBackwards ? SQL.before : SQL.behind)
            defer { row.reset() }
            row.bind(queue.id)
            row.bind(shelf)
            row.bind(key.bytes)
            row.bind(limit - count)
            if try row.next() { count += row.int(0) }
        }
        return count
    }
}
