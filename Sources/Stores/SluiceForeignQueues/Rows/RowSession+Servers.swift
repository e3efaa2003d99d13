import SluiceModel
import SluiceSystem

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

/// Rows of MariaDB or MySQL.
final class MariaDBRowSession: RowSession {
    let dialect = RowDialect.mariadb
    private let connection: MariaDBConnection
    private let database: String

    /// The number of tries for a transaction that conflicts with another one.
    private static let tries = 8
    /// The server counts a change before its commit. For this long after a change, each stamp
    /// differs.
    var settleMilliseconds: Int64 = 3000
    private var seen: (counts: String, at: Int64) = ("", 0)

    init(_ address: MariaDBAddress) throws {
        connection = try MariaDBConnection(address)
        database = address.database
    }

    private var isMine: String {
        get throws { "table_schema = \(try dialect.literal(database))" }
    }

    func shapes(of tables: Set<String>) throws -> [String: [String: Set<String>]] {
        guard !tables.isEmpty else { return [:] }
        let names = try tables.sorted().map { try dialect.literal($0) }.joined(separator: ", ")
        var found: [String: Set<String>] = [:]
        for row in try rows(
            """
            SELECT table_name AS place, column_name AS name FROM information_schema.columns
            WHERE \(isMine) AND table_name IN (\(names))
            """)
        {
            guard let place = row["place"]?.string, let name = row["name"]?.string else { continue }
            found[place, default: []].insert(name)
        }
        return found.isEmpty ? [:] : [database: found]
    }

    func rows(_ sql: String) throws -> [JSONValue] {
        try connection.rows(sql).map { row in
            var object = JSONObject()
            for (name, value) in row { object[name] = Self.cell(value) }
            return .object(object)
        }
    }

    private static func cell(_ value: MariaDBConnection.Value) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .number(let text): .number(text)
        case .text(let text): .string(text)
        case .bytes(let bytes): .object([bytesKey: .string(Base64.encode(bytes))])
        }
    }

    func changed(_ sql: String) throws -> Int { try connection.run(sql) }

    func define(_ sql: String) throws {
        do {
            try connection.run(sql)
        } catch {
            // If the user may not create triggers, a hold already fails when it drops an old one.
            let isTrigger = sql.hasPrefix("CREATE TRIGGER") || error.number == 1419
            if isTrigger, let refused = QueueError.noTrigger(error) { throw refused }
            throw error
        }
    }

    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        var attempt = 0
        while true {
            attempt += 1
            do {
                try connection.run("START TRANSACTION")
                let value = try body()
                try connection.run("COMMIT")
                return value
            } catch {
                let failure = error as? MariaDBError
                if failure?.origin != .lost { try connection.run("ROLLBACK") }
                guard failure?.isInTheWay == true, attempt < Self.tries else { throw error }
            }
        }
    }

    /// The server's counters of written rows in all databases. Reads do not change them.
    func stamp() throws -> String? {
        let counts = try connection.rows(
            """
            SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_write', 'Handler_update',
            'Handler_delete', 'Innodb_rows_inserted', 'Innodb_rows_updated', 'Innodb_rows_deleted')
            """
        ).compactMap { row -> (name: String, count: String)? in
            guard row.count == 2, case .text(let name) = row[0].value,
                case .text(let count) = row[1].value
            else { return nil }
            return (name, count)
        }
        // MySQL counts rows of answers among the first ones.
        let exact = counts.filter { $0.name.hasPrefix("Innodb") }
        let chosen = exact.isEmpty ? counts : exact
        guard !chosen.isEmpty else { return nil }
        let text = chosen.map { "\($0.name)=\($0.count)" }.joined(separator: " ")
        let now = SystemClock.monotonicMilliseconds()
        if text != seen.counts { seen = (text, now) }
        return now - seen.at < settleMilliseconds ? "\(text) at \(now)" : text
    }

    func triggers() throws -> Set<String> {
        let rows = try self.rows(
            """
            SELECT trigger_name AS name FROM information_schema.triggers
            WHERE trigger_schema = \(try dialect.literal(database))
            AND substr(trigger_name, 1, 11) = 'sluice_row_'
            """)
        return Set(rows.compactMap { $0["name"]?.string })
    }

    func maker() throws -> String? {
        try rows("SELECT CURRENT_USER() AS maker").first?["maker"]?.string
    }

    /// The list of triggers hides them from a user without the privilege. `SHOW CREATE TRIGGER` has
    /// different error numbers for a hidden trigger and a missing one.
    func areGone(_ triggers: Set<String>) throws -> Bool {
        try triggers.contains { name in
            do {
                _ = try connection.rows("SHOW CREATE TRIGGER \(dialect.name(name))")
                return false
            } catch let error as MariaDBError where error.number == 1360 {
                return true
            } catch let error as MariaDBError where [1142, 1227].contains(error.number) {
                return false
            }
        }
    }

    func room(in column: String, of table: String) throws -> Int? {
        try description(of: column, in: table)?["room"]?.integer.map { Int(clamping: $0) }
    }

    private func description(of column: String, in table: String) throws -> JSONValue? {
        try first(
            """
            SELECT character_maximum_length AS room, data_type AS kind
            FROM information_schema.columns WHERE \(isMine)
            AND table_name = \(try dialect.literal(table))
            AND column_name = \(try dialect.literal(column))
            """)
    }

    /// A `TIMESTAMP` ends in 2038, or in 2106.
    func checkLateTimes(in column: String, of table: String) throws {
        guard try description(of: column, in: table)?["kind"]?.string == "timestamp" else { return }
        throw QueueError.notLegal(
            "the column \(column) of \(table) is a TIMESTAMP, which has no time that is late "
                + "enough",
            fix: "ALTER TABLE \(table) MODIFY \(column) DATETIME(6), as the owner of the table")
    }

    func checkTransactions(on tables: Set<String>) throws {
        let names = try tables.sorted().map { try dialect.literal($0) }.joined(separator: ", ")
        let others = try rows(
            """
            SELECT table_name AS name, engine AS engine FROM information_schema.tables
            WHERE \(isMine) AND table_name IN (\(names)) AND engine <> 'InnoDB'
            """)
        guard let name = others.first?["name"]?.string, let engine = others.first?["engine"]?.string
        else { return }
        throw QueueError.notLegal(
            "\(name) is a table of the engine \(engine), which has no transactions: a change that "
                + "fails would stay half done",
            fix: "ALTER TABLE \(name) ENGINE=InnoDB, as the owner of the table")
    }
}

extension MariaDBError {
    /// Whether the transaction can be tried again: a deadlock, or a row that changed since.
    fileprivate var isInTheWay: Bool { number == 1213 || number == 1020 }
}

extension QueueError {
    /// The reason for a refused trigger, if a right is missing.
    fileprivate static func noTrigger(_ error: MariaDBError) -> QueueError? {
        switch error.number {
        case 1142, 1227:
            .notLegal(
                "arrivals would leak: this user may make no trigger: \(error.message)",
                fix: "GRANT TRIGGER ON the table to this user, or ask with another one")
        case 1419:
            .notLegal(
                "the server has a binary log, and this user may not make or remove a "
                    + "trigger there",
                fix: "SET GLOBAL log_bin_trust_function_creators = 1, or ask with a user that has "
                    + "the right SUPER")
        default: nil
        }
    }

    /// A failure of MariaDB in this program's words.
    init(_ error: MariaDBError, _ name: String) {
        let text = "\(name): \(error.message)"
        switch error.origin {
        case .address:
            self.init(
                .badValue, "the address of the store: \(error.message)", fix: MariaDBAddress.form)
        case .library: self.init(.notAStore, text, fix: "install it and try again")
        case .lost: self.init(.serverGone, text, fix: "check the server and try again")
        case .connecting, .statement: self.init(number: error.number, text)
        }
    }

    /// By the server's number of the failure, or the library's.
    init(number: UInt32, _ text: String) {
        switch number {
        case 1045, 1698: self.init(.denied, text, fix: "check the user and its password")
        case 1044, 1142, 1143, 1227, 1370:
            self.init(.denied, text, fix: "use an account that may do it")
        case 1049: self.init(.notAStore, text, fix: "check the name of the database")
        case 1290, 1792, 1836:
            self.init(.readOnly, text, fix: "ask the server that takes changes, not a copy of it")
        case 1205: self.init(.storeBusy, text, fix: "another transaction has the rows: try again")
        case 1213, 1020: self.init(.storeBusy, text, fix: "try again")
        case 1040, 1203, 1226: self.init(.storeBusy, text, fix: "look at the server's limits")
        case 1021, 1114: self.init(.diskFull, text, fix: "make room at the server")
        case 1054, 1146:
            self.init(
                .notAStore, "\(text) (\(number)): this version of its tables is not known",
                fix: "docs/foreign/tables.md names the known versions")
        case 1062: self.init(.uniqueTaken, text)
        case 1053, 1927, 2002, 2003, 2005:
            self.init(.serverGone, text, fix: "check the server and try again")
        default: self.init(.denied, "\(text) (\(number))")
        }
    }
}
