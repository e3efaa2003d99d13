package import SluiceModel
import SluiceStore

/// By what tasks are known elsewhere: the text for as long as the task is here, and a number that
/// stands for it from then on (`TaskOrigin.key`).
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
    /// What a task that goes was known by is kept as a number. Rows of an older version have none,
    /// and stay as they are.
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
