import SluiceModel
import SluiceStore

/// By what tasks are known elsewhere.
extension ReadSession {
    private enum SQL {
        static let origin = Query("SELECT origin FROM sluice_origin WHERE task = ?")
        static let known = Query("SELECT task FROM sluice_origin WHERE origin = ?")
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
