import SluiceMariaDBClient
import SluiceModel
import SluicePostgresClient
import SluiceSQLiteClient

/// How the systems in a database and in a file are found and opened.
extension ForeignStore {
    /// The systems in an SQLite file.
    static func file(
        _ address: String, as system: String?
    ) throws -> [any ForeignSystem] {
        let path =
            address.hasPrefix(filePrefix)
            ? String(address.dropFirst(filePrefix.count)) : address
        let file = try SQLiteFile(path: path)
        let isAsked = system == nil || system == HueyFile.systemName
        let huey = try isAsked && HueyFile.isThere(file) ? [HueyFile(file)] : []
        let asked = RowTable.all.filter { system == nil || system == $0.name }
        let session = SQLiteRowSession(file)
        let shape = try session.shapes(of: RowTable.tables(of: asked))["main"] ?? [:]
        return huey
            + asked.compactMap { $0.fitted(to: shape) }.map { $0.opening(RowSystem($0, session)) }
    }

    /// The systems in a database of MariaDB, by one connection.
    static func rows(
        _ address: MariaDBAddress, as system: String?
    ) throws -> [any ForeignSystem] {
        let session = try MariaDBRowSession(address)
        let asked = RowTable.all.filter { system == nil || system == $0.name }
        let shape = try session.shapes(of: RowTable.tables(of: asked))[address.database] ?? [:]
        return asked.compactMap { $0.fitted(to: shape) }.map { $0.opening(RowSystem($0, session)) }
    }

    /// The systems in a database, each with its own connection and schema.
    static func tables(
        _ address: String, as system: String?
    ) throws -> [any ForeignSystem] {
        let choice = SchemaChoice(address)
        let first = try SQLSession(choice.address)
        let asked = JobTable.all.filter { system == nil || system == $0.name }
        let path = choice.asked == nil ? try first.askedSearchPath() : []
        let jobShapes = try asked.isEmpty ? [] : JobTable.shapes(of: asked, in: first)
        let found = try zip(asked, jobShapes).compactMap {
            (table, shapes) in
            try choice.choose(among: shapes, table.title, path)
                .map { (table.fitted(to: $0), $0.schema) }
        }
        let rows = RowTable.all.filter { system == nil || system == $0.name }
        let schemas = try PostgresRowSession(first).shapes(of: RowTable.tables(of: rows))
        let fitted = try rows.compactMap { table -> (RowTable, String)? in
            let fits = schemas.keys.sorted().filter { table.fitted(to: schemas[$0] ?? [:]) != nil }
            let chosen = try choice.choose(
                among: fits.map { TableShape(schema: $0) }, table.title, path)
            return chosen.flatMap { shape in
                table.fitted(to: schemas[shape.schema] ?? [:]).map { ($0, shape.schema) }
            }
        }
        var free: SQLSession? = first
        func session(_ schema: String) throws -> SQLSession {
            let session = try free ?? SQLSession(choice.address)
            free = nil
            try session.use(schema: schema)
            return session
        }
        return try found.map { table, schema -> any ForeignSystem in
            TableSystem(table, try session(schema))
        } + fitted.map { $0.opening(RowSystem($0, PostgresRowSession(try session($1)))) }
    }
}
