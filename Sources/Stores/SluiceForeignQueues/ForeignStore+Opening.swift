import SluiceMariaDBClient
package import SluiceModel
import SluicePostgresClient
import SluiceSQLiteClient

/// How the systems in a database and in a file are found and opened.
extension ForeignStore {
    /// The answer about an address.
    package enum Finding {
        case store(ForeignStore)
        /// Tables of a known system in a form that is not read, in an error's words.
        case unfit(QueueError)
        case nothing(QueueError)
    }

    /// The systems that were found, or why tables of known systems are not read.
    struct Found {
        var systems: [any ForeignSystem]
        var misfits: [String] = []

        /// The answer for an address. `names` are the expected systems.
        func finding(_ name: String, _ names: [String]) -> Finding {
            guard systems.isEmpty else { return .store(ForeignStore(name: name, systems: systems)) }
            guard !misfits.isEmpty else { return .nothing(ForeignStore.nothing(name, names)) }
            return .unfit(
                QueueError(
                    .notAStore, "\(name): \(misfits.prefix(3).joined(separator: "; "))",
                    fix: "run the system's own migrations: docs/foreign/tables.md names the oldest "
                        + "versions that are read"))
        }
    }

    static func nothing(_ name: String, _ systems: [String]) -> QueueError {
        QueueError(
            .notAStore, "\(name) holds none of \(systems.joined(separator: ", "))",
            fix: "check the address")
    }

    /// Why the tables of known systems in some schemas are not read.
    private static func misfits(
        of forms: [TableForm], in session: any RowSession,
        _ isMeant: (String) -> Bool = { _ in true }
    ) throws -> [String] {
        let schemas = try session.shapes(of: TableForm.tables(of: forms))
        return schemas.filter { isMeant($0.key) }.sorted { $0.key < $1.key }
            .flatMap { schema, tables in
                let place = session.dialect == .postgres ? "\(schema)." : ""
                return forms.compactMap { $0.misfit(in: tables, place) }
            }
    }

    /// The systems in an SQLite file.
    static func file(
        _ address: String, as system: String?
    ) throws -> Found {
        let path =
            address.hasPrefix(filePrefix)
            ? String(address.dropFirst(filePrefix.count)) : address
        let file = try SQLiteFile(path: path)
        let isAsked = system == nil || system == HueyFile.systemName
        let huey = try isAsked && HueyFile.isThere(file) ? [HueyFile(file)] : []
        let asked = RowTable.all.filter { system == nil || system == $0.name }
        let session = SQLiteRowSession(file)
        let shape = try session.shapes(of: RowTable.tables(of: asked))["main"] ?? [:]
        let fitted = asked.compactMap { $0.fitted(to: shape) }
        let systems = huey + fitted.map { $0.opening(RowSystem($0, session)) }
        guard systems.isEmpty else { return Found(systems: systems) }
        let forms = (isAsked ? [HueyFile.form] : []) + asked.map(\.form)
        return Found(systems: [], misfits: try misfits(of: forms, in: session))
    }

    /// The systems in a database of MariaDB, by one connection.
    static func rows(
        _ address: MariaDBAddress, as system: String?
    ) throws -> Found {
        let session = try MariaDBRowSession(address)
        let asked = RowTable.all.filter { system == nil || system == $0.name }
        let shape = try session.shapes(of: RowTable.tables(of: asked))[address.database] ?? [:]
        let systems = asked.compactMap { $0.fitted(to: shape) }
            .map { $0.opening(RowSystem($0, session)) }
        guard systems.isEmpty else { return Found(systems: systems) }
        return Found(systems: [], misfits: try misfits(of: asked.map(\.form), in: session))
    }

    /// The systems in a database, each with its own connection and schema.
    static func tables(
        _ address: String, as system: String?
    ) throws -> Found {
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
        guard !found.isEmpty || !fitted.isEmpty else {
            return Found(
                systems: [],
                misfits: try misfits(
                    of: asked.map(\.form) + rows.map(\.form), in: PostgresRowSession(first)
                ) { choice.asked == nil || choice.asked == $0 })
        }
        var free: SQLSession? = first
        func session(_ schema: String) throws -> SQLSession {
            let session = try free ?? SQLSession(choice.address)
            free = nil
            try session.use(schema: schema)
            return session
        }
        let systems =
            try found.map { table, schema -> any ForeignSystem in
                TableSystem(table, try session(schema))
            } + fitted.map { $0.opening(RowSystem($0, PostgresRowSession(try session($1)))) }
        return Found(systems: systems)
    }
}
