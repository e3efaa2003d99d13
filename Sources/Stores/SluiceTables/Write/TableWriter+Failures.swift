package import SluiceModel
package import SluiceStore

/// Counts of failed tasks, made again from the tasks.
extension TableWriter {
    private enum SQL {
        static let clear = [
            Query("DELETE FROM sluice_failure"), Query("DELETE FROM sluice_ended WHERE class < 0"),
        ]
        static let page = TaskColumns.select(
            """
            FROM sluice_task t WHERE t.state = \(TaskState.Name.failed.code) AND t.id > ?
            ORDER BY t.id LIMIT 1000
            """)
        static let wrong = Query(
            """
            SELECT CAST(count(*) AS DOUBLE PRECISION) FROM (
                SELECT queue FROM (
                    SELECT queue, n FROM \(Tallies.rows)
                        AND state = \(TaskState.Name.failed.code)
                    UNION ALL SELECT queue, -n FROM sluice_failure) AS counted
                GROUP BY queue HAVING sum(n) <> 0) AS unequal
            """)
    }

    /// Counts them again.
    func recountFailures() throws {
        try writeCounts()
        for query in SQL.clear { try connection.prepare(query).run() }
        var last: TaskID = 0
        while true {
            let row = try connection.prepare(SQL.page)
            row.bind(last)
            let page = try tasks(of: row)
            row.reset()
            for task in page {
                last = task.id
                let queue = try entry(for: task).id
                ended.move(from: nil, queue, to: task, queue)
            }
            try ended.write(connection)
            if page.count < 1000 { return }
        }
    }

    /// The number of queues with wrong counts of failed tasks.
    static func wrongFailures(_ connection: any TableConnection) throws(QueueError) -> Int {
        let row = try connection.prepare(SQL.wrong)
        defer { row.reset() }
        return try row.next() ? Int(row.optionalDouble(0) ?? 0) : 0
    }
}

extension QueueStore {
    /// Counts failed tasks by their errors, in a store whose tables did not.
    package func countFailures() throws(QueueError) {
        do {
            try writeBlocking { writer in try (writer as? TableWriter)?.recountFailures() }
        } catch let error as QueueError {
            throw error
        } catch {
            throw QueueError.damagedRow("\(error)")
        }
    }
}
