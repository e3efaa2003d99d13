package import SluiceModel
import SluiceStore

/// Origins of tasks: the text while the task exists, afterwards only its hash (`TaskOrigin.key`).
extension TableReader {
    private enum SQL {
        static let origin = Query("SELECT origin FROM sluice_origin WHERE task = ?")
        static let known = Query("SELECT task FROM sluice_origin WHERE origin = ?")
        static let gone = Query("SELECT task FROM sluice_known WHERE key = ?")
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
        if try row.next() { return row.integer(0) }
        let gone = try connection.prepare(SQL.gone)
        defer { gone.reset() }
        gone.bind(TaskOrigin.key(of: origin))
        return try gone.next() ? gone.integer(0) : nil
    }
}

extension TableWriter {
    /// After a task's removal its origin remains as a hash. Rows of older versions have none and
    /// stay unchanged.
    private enum Put {
        static let origin = Query(
            .insert(into: "sluice_origin", ["origin", "task", "key"], replacing: ["origin"]))
        static let shorten = statements("task = ?")
        static let shortenQueue = statements(
            "task IN (SELECT id FROM sluice_task WHERE queue = ?)")

        private static func statements(_ tasks: String) -> [Query] {
            [
                """
                INSERT INTO sluice_known (key, task)
                SELECT key, task FROM sluice_origin WHERE \(tasks) AND key IS NOT NULL
                ON CONFLICT (key) DO UPDATE SET task = excluded.task
                """,
                "DELETE FROM sluice_origin WHERE \(tasks) AND key IS NOT NULL",
            ].map { Query($0) }
        }
    }

    func putOrigin(_ origin: String, of id: TaskID) throws {
        let row = try connection.prepare(Put.origin)
        row.bind(origin)
        row.bind(id)
        row.bind(TaskOrigin.key(of: origin))
        try row.run()
        memory.apart?.origins = true
    }

    /// Says that a task goes.
    func shortenOrigin(of id: TaskID) throws(QueueError) {
        for statement in Put.shorten { try change(statement, id) }
    }

    /// Says that all tasks of a queue go.
    func shortenOrigins(ofQueue id: Int64) throws(QueueError) {
        guard try rowsApart().origins else { return }
        for statement in Put.shortenQueue { try change(statement, id) }
    }
}
