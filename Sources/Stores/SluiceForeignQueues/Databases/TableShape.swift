import SluiceModel
import SluiceSystem

/// The tables and columns of a system in one schema. Versions of a system differ in columns, words
/// and tables.
struct TableShape: Sendable {
    let schema: String
    /// The columns of the table of jobs, and the words of its enumerations.
    var columns: Set<String> = []
    var words: Set<String> = []
    /// Those tables that not every version has.
    var tables: Set<String> = []
}

extension JobTable {
    func fitted(to shape: TableShape) -> JobTable {
        var table = self
        fitting(&table, shape)
        if let needs = workers?.needs, !shape.tables.isSuperset(of: needs) { table.workers = nil }
        return table
    }

    /// Finds the first schema with this table and selects it; `nil` if no schema has it.
    func found(in session: SQLSession) throws -> JobTable? {
        guard let shape = try Self.shapes(of: [self], in: session)[0].first else { return nil }
        try session.use(schema: shape.schema)
        return fitted(to: shape)
    }

    /// The schemas that contain each of the tables, by name, in one query.
    static func shapes(of tables: [JobTable], in session: SQLSession) throws -> [[TableShape]] {
        let questions = try tables.enumerated().map { place, table in
            let needs = try list(table.needs)
            let companions = try list(table.companions.sorted())
            let beside = try list(table.workers.map { table.beside + $0.needs } ?? table.beside)
            return """
                SELECT \(place) AS place, n.nspname::text AS schema,
                (SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid
                    AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
                (SELECT json_agg(e.enumlabel) FROM pg_enum e JOIN pg_attribute a
                    ON a.atttypid = e.enumtypid WHERE a.attrelid = c.oid) AS words,
                (SELECT json_agg(o.relname) FROM pg_class o WHERE o.relnamespace = n.oid
                    AND o.relname = ANY(\(beside))) AS tables
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relname = \(try SQLSession.literal(table.table))
                AND c.relkind IN ('r', 'p') AND (SELECT count(*) FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attname = ANY(\(needs))) = \(table.needs.count)
                AND (SELECT count(*) FROM pg_class o WHERE o.relnamespace = n.oid
                    AND o.relkind IN ('r', 'p') AND o.relname = ANY(\(companions)))
                    = \(table.companions.count)
                """
        }
        let all = "(\(questions.joined(separator: " UNION ALL ")))"
        var shapes: [[TableShape]] = Array(repeating: [], count: tables.count)
        for row in try session.rows("SELECT * FROM \(all) f ORDER BY f.schema COLLATE \"C\"") {
            guard let place = row["place"]?.integer, let schema = row["schema"]?.string else {
                continue
            }
            func names(_ key: String) -> Set<String> {
                Set((row[key]?.array ?? []).compactMap(\.string))
            }
            shapes[Int(place)].append(
                TableShape(
                    schema: schema, columns: names("columns"), words: names("words"),
                    tables: names("tables")))
        }
        return shapes
    }

    private static func list(_ names: [String]) throws -> String {
        let words = try names.map { try SQLSession.literal($0) }.joined(separator: ", ")
        return "ARRAY[\(words)]::text[]"
    }
}

/// Which schema of a database an address means.
struct SchemaChoice {
    /// The address of the server, without what only this program knows.
    let address: String
    /// The schema that the address names.
    let asked: String?

    init(_ address: String) {
        (self.address, asked) = PostgresSettings.withoutSchema(address)
    }

    /// Chooses the schema to use; `nil` if no schema has the system. Throws `notLegal` if several
    /// have it and the address names none.
    func choose(
        among shapes: [TableShape], _ title: String, _ path: [String]
    ) throws(QueueError) -> TableShape? {
        if let asked { return shapes.first { $0.schema == asked } }
        let named = path.lazy.compactMap { name in shapes.first { $0.schema == name } }.first
        if let named { return named }
        guard shapes.count > 1 else { return shapes.first }
        let names = shapes.map(\.schema)
        let name = ForeignStore.shownName(address)
        let mark = name.contains("?") ? "&" : "?"
        throw .notLegal(
            "\(name) has \(title) in \(names.count) schemas: "
                + "\(names.joined(separator: ", "))",
            fix: "say which: \(name)\(mark)schema=\(names[0])")
    }
}

extension SQLSession {
    /// The schemas of the search path, where the address names one.
    func askedSearchPath() throws -> [String] {
        let rows = try rows(
            """
            SELECT (SELECT s.source FROM pg_settings s WHERE s.name = 'search_path') AS source,
            to_json(current_schemas(false)) AS path
            """)
        guard rows.first?["source"]?.string == "client" else { return [] }
        return (rows.first?["path"]?.array ?? []).compactMap(\.string)
    }
}
