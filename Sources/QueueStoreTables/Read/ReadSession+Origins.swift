import QueueModel
import QueueStore

/// By what tasks are known elsewhere, and tasks in the order of their arrival.
extension ReadSession {
    private enum SQL {
        static let arrivals = TaskColumns.select(
            """
            FROM sluice_task t INDEXED BY sluice_task_position
            WHERE t.queue = ? AND t.position > ? ORDER BY t.position LIMIT ?
            """)
        static let origin = Query("SELECT origin FROM sluice_origin WHERE task = ?")
        static let known = Query("SELECT task FROM sluice_origin WHERE origin = ?")
    }

    package func tasks(queue: String, after position: Int64?, limit: Int) throws -> [QueueTask] {
        guard let queue = try entry(queue) else { return [] }
        let row = try connection.prepare(SQL.arrivals)
        defer { row.reset() }
        row.bind(queue.id)
        row.bind(position ?? .min)
        row.bind(limit)
        return try tasks(of: row)
    }

    package func origin(of id: TaskID) throws -> String? {
        let row = try connection.prepare(SQL.origin)
        defer { row.reset() }
        row.bind(id)
        return try row.next() ? row.text(0) : nil
    }

    package func task(ofOrigin origin: String) throws -> TaskID? {
        let row = try connection.prepare(SQL.known)
        defer { row.reset() }
        row.bind(origin)
        return try row.next() ? row.integer(0) : nil
    }
}

extension WriteSession {
    private enum Put {
        static let origin = Query(
            """
            INSERT INTO sluice_origin (origin, task) VALUES (?, ?)
            ON CONFLICT (origin) DO UPDATE SET task = excluded.task
            """)
    }

    package func putOrigin(_ origin: String, of id: TaskID) throws {
        let row = try connection.prepare(Put.origin)
        row.bind(origin)
        row.bind(id)
        try row.run()
    }
}
