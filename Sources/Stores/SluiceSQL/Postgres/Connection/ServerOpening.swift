import SluiceModel
import SluiceStore
import SluiceSystem

/// Opens, inspects, creates and migrates a store in a database (P3, P4).
struct ServerOpening {
    /// The oldest server whose words the engine uses.
    static let oldestServer = 12

    let settings: PostgresSettings
    let schema: String
    let createIfMissing: Bool
    let durability: StoreRecord.Durability
    let faults: WriteFaults?
    let clock: StoreClock
    /// A further role that may own the schema. The current role and its roles always may.
    var schemaOwner: String?
    let own = OwnBackends()

    private var name: String { settings.name }

    struct Opened {
        var connection: ServerConnection
        var identity: String
        /// The older version of the tables that were changed.
        var upgradedFrom: Int?
        /// Whether failed tasks must first be counted by error.
        var lacksFailures: Bool {
            upgradedFrom.map(ServerSchema.history.lacksFailures) ?? false
        }
    }

    func forWriting() throws(QueueError) -> Opened {
        let connection = try connect()
        let version = try version(connection)
        if version < ServerSchema.version { try migrate(connection) }
        let identity = try look(connection)
        return Opened(
            connection: connection, identity: identity,
            upgradedFrom: (1..<ServerSchema.version).contains(version) ? version : nil)
    }

    func forReading() throws(QueueError) -> Opened {
        let connection = try connect()
        let version = try version(connection)
        guard version >= ServerSchema.version else {
            throw QueueError.olderTables(name, version: version, needed: ServerSchema.version)
        }
        return Opened(connection: connection, identity: try look(connection))
    }

    private func connect() throws(QueueError) -> ServerConnection {
        let connection = ServerConnection(
            settings, schema: schema, faults: faults, clock: clock, own: own)
        try connection.connect()
        guard let server = connection.server else { throw connection.endedTransaction }
        if let refusal = refusal(ofServer: server.serverVersion) { throw refusal }
        let encoding = server.parameter("server_encoding") ?? "UTF8"
        guard encoding == "UTF8" else {
            throw QueueError(
                .notAStore, "\(name) keeps its texts in \(encoding)",
                fix: "make a database with createdb -E UTF8 -T template0")
        }
        return connection
    }

    /// Why a server of a version (150004 is 15.4) is of no use; nil for one that may be, newer ones
    /// than any that is known among them.
    func refusal(ofServer version: Int) -> QueueError? {
        guard version < Self.oldestServer * 10_000 else { return nil }
        return QueueError(
            .notAStore, "\(name) is answered by version \(version / 10_000) of PostgreSQL",
            fix: "Sluice needs version \(Self.oldestServer) or newer")
    }

    private func look(_ connection: ServerConnection) throws(QueueError) -> String {
        let rows = try connection.rows(once: "SELECT identity, durability FROM \(schema).store")
        guard rows.count == 1,
            let durability = StoreRecord.Durability(rawValue: rows.text(0, 1))
        else { throw damaged("what holds for the store is missing") }
        connection.set(durability)
        connection.identity = rows.text(0, 0)
        return rows.text(0, 0)
    }

    private func damaged(_ what: String) -> QueueError {
        QueueError(
            .damagedStore, "\(name) is damaged and was left as it is: \(what)",
            fix: "copy it away with pg_dump, then sluice doctor says what can be saved")
    }
}

extension ServerOpening {
    /// The version of the tables; 0 for a database without them that may get some.
    private func version(_ connection: ServerConnection) throws(QueueError) -> Int {
        guard try isThere("c.relname OPERATOR(pg_catalog.=) 'schema'", connection) else {
            if createIfMissing { return 0 }
            throw QueueError(
                .noStore, "there is no store at \(name)",
                fix: "sluice \(ShellWord.command("init", name)) makes one")
        }
        let rows = try connection.rows(once: "SELECT version FROM \(schema).schema")
        guard rows.count == 1 else { throw damaged("its version is missing") }
        let version = Int(rows.integer(0, 0))
        guard version > ServerSchema.version else { return version }
        // Newer tables say themselves which programs can work with them.
        let oldest = try connection.rows(once: "SELECT oldest FROM \(schema).schema")
        guard
            ServerSchema.history.works(
                with: version, oldest: oldest.count == 1 ? Int(oldest.integer(0, 0)) : version)
        else { throw ServerFailure(store: name).newerSchema(version) }
        return version
    }

    /// Whether the schema is there with such a table in it. The catalogue is read itself: what
    /// looks names up may not have heard yet of what another process made.
    private func isThere(
        _ condition: String, _ connection: ServerConnection
    ) throws(QueueError) -> Bool {
        try connection.rows(
            once: """
                SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace n
                LEFT JOIN pg_catalog.pg_class c
                    ON c.relnamespace OPERATOR(pg_catalog.=) n.oid
                WHERE n.nspname OPERATOR(pg_catalog.=) '\(schema)' AND \(condition)
                """
        ).integer(0, 0) != 0
    }

    /// Migrates the tables to this version in one transaction, under a separate lock.
    private func migrate(_ connection: ServerConnection) throws(QueueError) {
        try connection.execute("BEGIN")
        do {
            _ = try connection.rows(
                once: ServerCommands.local([
                    ("lock_timeout", "\(ServerLimits.lockSeconds)s"),
                    // A million tasks take their time.
                    ("statement_timeout", "0"),
                ]) + ", "
                    + ServerLocks.take(ServerLocks.migration, schema) + ", "
                    + ServerLocks.take(ServerLocks.writers, schema))
            try makeTables(connection)
            try connection.execute("COMMIT")
        } catch {
            // The failure is the one that counts.
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// The owner of a schema can drop and replace its contents, so no table is created in a schema
    /// of an unnamed role. A superuser counts as a member only of its explicit roles.
    private func checkOwner(_ connection: ServerConnection) throws(QueueError) {
        let rows = try connection.rows(
            once: """
                WITH RECURSIVE mine (role) AS (
                    SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = CURRENT_USER
                    UNION
                    SELECT m.roleid FROM pg_catalog.pg_auth_members m
                    JOIN mine ON m.member = mine.role)
                SELECT o.rolname, n.nspowner IN (SELECT role FROM mine)
                FROM pg_catalog.pg_namespace n
                JOIN pg_catalog.pg_roles o ON o.oid = n.nspowner
                WHERE n.nspname = '\(schema)'
                """)
        guard rows.count == 1 else { throw damaged("its schema is missing") }
        let owner = rows.text(0, 0)
        if rows.integer(0, 1) != 0 || owner == schemaOwner { return }
        let command = ShellWord.command(
            "init", name, " --schema-owner \(ShellWord.quoted(owner))")
        throw QueueError(
            .denied,
            "the schema \(schema) of \(name) belongs to the role \"\(owner)\", which could replace "
                + "its tables",
            fix: "if that is meant so: sluice \(command); else drop the schema, or make it this "
                + "role's with ALTER SCHEMA \(schema) OWNER TO")
    }

    private func makeTables(_ connection: ServerConnection) throws(QueueError) {
        // Another process may have migrated since.
        let version = try version(connection)
        if version >= ServerSchema.version { return }
        if version == 0 {
            if try isThere("true", connection) {
                try checkOwner(connection)
            } else {
                try connection.execute("CREATE SCHEMA \(schema)")
            }
        }
        try connection.execute(ServerSchema.statements(from: version, in: schema))
        try connection.execute(
            """
            UPDATE \(schema).schema
            SET version = \(ServerSchema.version),
                oldest = greatest(oldest, \(ServerSchema.history.oldest))
            """)
        guard version == 0 else { return }
        var random = SystemRandom()
        let words: [UInt64] = [random.next(), random.next()]
        let identity = words.map { String($0, radix: 36) }.joined()
        try connection.execute(
            """
            INSERT INTO \(schema).store (identity, durability, pauses, version)
            VALUES ('\(identity)', '\(durability.rawValue)', '[]', 1)
            """)
        // A process with an earlier store of this name open must not use its caches here.
        let first = Int64(random.next() >> 32)
        try connection.execute(
            """
            UPDATE \(schema).number SET value = value + \(first)
            WHERE name IN ('\(TableHistory.configurationName)', '\(TableHistory.notedName)',
                '\(TableHistory.removalName)')
            """)
    }
}
