import SluiceModel
import SluicePostgresClient

/// Rows of PostgreSQL.
final class PostgresRowSession: RowSession {
    let dialect = RowDialect.postgres
    private let session: SQLSession

    init(_ session: SQLSession) { self.session = session }

    func shapes(of tables: Set<String>) throws -> [String: [String: Set<String>]] {
        guard !tables.isEmpty else { return [:] }
        let names = try tables.sorted().map { try dialect.literal($0) }.joined(separator: ", ")
        var found: [String: [String: Set<String>]] = [:]
        for row in try session.rows(
            """
            SELECT n.nspname::text AS schema, c.relname::text AS name,
            json_agg(a.attname) AS columns FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relname IN (\(names)) AND c.relkind IN ('r', 'p') AND a.attnum > 0
            AND NOT a.attisdropped GROUP BY 1, 2
            """)
        {
            guard let schema = row["schema"]?.string, let name = row["name"]?.string else {
                continue
            }
            found[schema, default: [:]][name] =
                Set((row["columns"]?.array ?? []).compactMap(\.string))
        }
        return found
    }

    func use(schema: String) throws { try session.use(schema: schema) }

    func schema() throws -> String? {
        try rows("SELECT current_schema()::text AS s").first?["s"]?.string
    }
    func rows(_ sql: String) throws -> [JSONValue] { try session.rows(sql) }
    func define(_ sql: String) throws { try session.run(sql) }
    func stamp() throws -> String? { try session.stamp() }

    func changed(_ sql: String) throws -> Int {
        let counted = "WITH c AS (\(sql) RETURNING 1) SELECT count(*)::text FROM c"
        return Int(try session.value(of: counted)) ?? 0
    }

    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try session.run("BEGIN; SET LOCAL lock_timeout = '2s'")
        do {
            let value = try body()
            try session.run("COMMIT")
            return value
        } catch {
            if (error as? PostgresError)?.origin != .lost { try session.run("ROLLBACK") }
            throw error
        }
    }

    func triggers() throws -> Set<String> {
        let rows = try session.rows(
            "SELECT t.tgname::text AS name FROM pg_trigger t WHERE t.tgname LIKE 'sluice\\_row\\_%'"
        )
        return Set(rows.compactMap { $0["name"]?.string })
    }

    func room(in column: String, of table: String) throws -> Int? {
        let room = try session.rows(
            """
            SELECT character_maximum_length AS n FROM information_schema.columns
            WHERE table_schema = current_schema() AND table_name = \(try dialect.literal(table))
            AND column_name = \(try dialect.literal(column))
            """
        ).first?["n"]?.integer
        return room.map { Int(clamping: $0) }
    }

    func checkTriggers(on table: String, setting column: String) throws {
        // Only the owner of the table can remove a trigger from it.
        let mine = try session.rows(
            """
            SELECT has_table_privilege('\(table)', 'TRIGGER')
            AND has_table_privilege('\(table)', 'UPDATE')
            AND pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = '\(table)'::regclass),
            'USAGE')
            AND has_schema_privilege(current_schema(), 'CREATE') AS may
            """
        ).first
        guard mine?["may"]?.bool == true else { throw QueueError.mayMakeNoTrigger(table) }
    }
}

extension QueueError {
    static func mayMakeNoTrigger(_ table: String) -> QueueError {
        .notLegal(
            "arrivals would leak: this role may not make and remove a trigger on \(table)",
            fix: "ask as the owner of the table")
    }
}
