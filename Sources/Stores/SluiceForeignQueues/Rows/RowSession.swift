import SluiceModel
import SluiceSystem

/// A connection to a database of rows: PostgreSQL, SQLite or MariaDB. A row is a JSON object by
/// the names of its columns; bytes that are no text are an object with the key `bytesKey`.
protocol RowSession: AnyObject {
    var dialect: RowDialect { get }
    /// The columns of those tables that are there, by the name of the schema.
    func shapes(of tables: Set<String>) throws -> [String: [String: Set<String>]]
    /// The schema of table names; nil where a database has one alone.
    func schema() throws -> String?
    /// The rows of a question that only reads.
    func rows(_ sql: String) throws -> [JSONValue]
    /// Runs a statement inside `transaction`; gives the number of changed rows.
    func changed(_ sql: String) throws -> Int
    /// Runs a statement that defines something.
    func define(_ sql: String) throws
    /// Runs a body in one transaction that waits for no lock longer than a moment.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value
    /// Changes with every commit; nil where the database does not tell.
    func stamp() throws -> String?
    /// The names of those triggers of this program that are there.
    func triggers() throws -> Set<String>
    /// Whether one of the triggers no longer exists. A trigger that this user cannot see does not
    /// count.
    func areGone(_ triggers: Set<String>) throws -> Bool
    /// Throws with the reason where a table cannot be held by a trigger that sets a column.
    func checkTriggers(on table: String, setting column: String) throws
    /// The account that the triggers of this session need to be there; nil where they need none.
    func maker() throws -> String?
    /// Throws with the reason where a column keeps no time of thousands of years later.
    func checkLateTimes(in column: String, of table: String) throws
    /// Throws with the reason where a table keeps changes of a transaction that is rolled back.
    func checkTransactions(on tables: Set<String>) throws
    /// How many characters a column takes; nil for any number.
    func room(in column: String, of table: String) throws -> Int?
}

extension RowSession {
    func maker() throws -> String? { nil }

    static var bytesKey: String { "sluice:bytes" }

    func schema() throws -> String? { nil }
    func checkTriggers(on table: String, setting column: String) throws {}
    func checkLateTimes(in column: String, of table: String) throws {}
    func checkTransactions(on tables: Set<String>) throws {}
    func areGone(_ triggers: Set<String>) throws -> Bool { !triggers.isEmpty }

    /// The first row of a question.
    func first(_ sql: String) throws -> JSONValue? { try rows(sql).first }

    /// Runs a statement that must change exactly one row.
    func changeOne(_ sql: String) throws {
        guard try changed(sql) == 1 else { throw QueueError.changedMeanwhile }
    }
}

extension QueueError {
    static var changedMeanwhile: QueueError {
        QueueError(
            .changed, "the task has changed: it is not where it was",
            fix: "look at it again and repeat the verb")
    }
}

/// How a column keeps a time.
enum RowClock: Sendable {
    /// Whole seconds since 1970 in an integer of 32 bits.
    case unix
    /// A date and a time in UTC.
    case date
}

/// The differences between the SQL dialects.
enum RowDialect: Sendable {
    case postgres, sqlite, mariadb

    /// A text as it appears in a statement.
    func literal(_ text: String) throws -> String {
        if self == .postgres { return try SQLSession.literal(text) }
        if self == .mariadb { return Self.hexadecimal(text) }
        guard !text.utf8.contains(0) else {
            throw QueueError(.badValue, "the character zero is refused in texts of the database")
        }
        let doubled = text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        // No sign of a row is in it.
        let parts = doubled.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return "'\(doubled)'" }
        return "(\(parts.map { "'\($0)'" }.joined(separator: " || char(64) || ")))"
    }

    /// A text in MariaDB: quoted if it has no special character, else in hexadecimal.
    private static func hexadecimal(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 32 && $0 < 127
                && ![UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "@")].contains($0)
        }
        return isPlain ? "'\(text)'" : "_utf8mb4 X'\(hexadecimal(Array(text.utf8)))'"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// A cell as it appears in a statement.
    func literal(_ value: JSONValue) throws -> String {
        switch value {
        case .null: return "NULL"
        case .bool(let bool):
            return self == .postgres ? (bool ? "true" : "false") : bool ? "1" : "0"
        case .integer(let number): return String(number)
        case .number(let text): return text
        case .string(let text): return try literal(text)
        case .array: return try literal(value.text)
        case .object(let object):
            guard let text = object[SQLiteRowSession.bytesKey]?.string, object.count == 1,
                let bytes = Base64.decode(text)
            else { return try literal(value.text) }
            return "X'\(Self.hexadecimal(bytes))'"
        }
    }

    /// The time of the server.
    func now(_ clock: RowClock) -> String {
        switch (self, clock) {
        case (.postgres, .unix): "extract(epoch FROM now())::bigint"
        case (.postgres, .date): "now()"
        case (.sqlite, .unix): "CAST(strftime('%s','now') AS INTEGER)"
        case (.sqlite, .date): "strftime('%Y-%m-%d %H:%M:%f','now')"
        case (.mariadb, .unix): "UNIX_TIMESTAMP()"
        case (.mariadb, .date): "UTC_TIMESTAMP(6)"
        }
    }

    /// A time as a column keeps it.
    func literal(_ moment: Timestamp, _ clock: RowClock) -> String {
        switch clock {
        case .unix: return String(moment.milliseconds / 1000)
        case .date:
            let text = TimeText.rfc3339(moment)
            return "'\(text.split(separator: "T").joined(separator: " ").prefix { $0 != "Z" })'"
        }
    }

    /// A date moved by `years`; a negative number moves it back.
    func shifted(_ date: String, years: Int) -> String {
        switch self {
        case .postgres: "(\(date) + interval '\(years) years')"
        case .sqlite: "(printf('%04d', substr(\(date), 1, 4) + (\(years))) || substr(\(date), 5))"
        case .mariadb: "(\(date) + INTERVAL \(years) YEAR)"
        }
    }

    /// A text after another one.
    func joined(_ first: String, _ second: String) -> String {
        self == .mariadb ? "CONCAT(\(first), \(second))" : "\(first) || \(second)"
    }

    func text(_ column: String) -> String {
        "CAST(\(column) AS \(self == .mariadb ? "CHAR" : "TEXT"))"
    }

    /// The end of a question that locks its rows for the transaction.
    var locking: String { self == .sqlite ? "" : " FOR UPDATE" }

    /// The column that names a system. The word is reserved in MySQL since 8.0.3.
    var systemColumn: String { self == .mariadb ? "`system`" : "system" }

    /// The type of a column for texts of any length.
    var textType: String { self == .mariadb ? "LONGTEXT" : "TEXT" }

    /// The end of a definition of a table, whose names are compared by their bytes.
    var tableOptions: String {
        self == .mariadb ? " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin" : ""
    }

    var growingKey: String {
        switch self {
        case .postgres: "bigserial PRIMARY KEY"
        case .sqlite: "INTEGER PRIMARY KEY AUTOINCREMENT"
        case .mariadb: "BIGINT AUTO_INCREMENT PRIMARY KEY"
        }
    }

    /// The key that the last insert of this connection made.
    var lastID: String {
        switch self {
        case .postgres: "lastval()"
        case .sqlite: "last_insert_rowid()"
        case .mariadb: "LAST_INSERT_ID()"
        }
    }

    /// The name of something in a statement.
    func name(_ text: String) -> String {
        guard self == .mariadb else { return SQLSession.name(text) }
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return "`\(parts.joined(separator: "``"))`"
    }
}

extension RowClock {
    /// The moment that a cell has; nil for none.
    func moment(_ value: JSONValue?) -> Timestamp? {
        switch self {
        case .unix:
            return (value?.integer ?? value?.string.flatMap { Int64($0) }).flatMap {
                ForeignTime.moment(seconds: Double($0))
            }
        case .date:
            guard let text = value?.string, text.utf8.count >= 19 else { return nil }
            let parts = text.prefix { $0 != "+" && $0 != "Z" }
            let joined = parts.split(whereSeparator: { $0 == " " || $0 == "T" })
                .joined(separator: "T")
            return TimeText.rfc3339("\(joined)Z")
        }
    }
}

/// Rows of an SQLite file.
final class SQLiteRowSession: RowSession {
    let dialect = RowDialect.sqlite
    private let file: SQLiteFile
    private var changes = 0

    init(_ file: SQLiteFile) { self.file = file }

    func shapes(of tables: Set<String>) throws -> [String: [String: Set<String>]] {
        var found: [String: Set<String>] = [:]
        for name in tables.sorted() {
            let columns = try file.rows("SELECT name FROM pragma_table_info(?)", [.text(name)])
            if !columns.isEmpty { found[name] = Set(columns.compactMap { $0[0].text }) }
        }
        return found.isEmpty ? [:] : ["main": found]
    }

    func rows(_ sql: String) throws -> [JSONValue] {
        try file.namedRows(sql).map { row in
            var object = JSONObject()
            for (name, value) in row { object[name] = Self.cell(value) }
            return .object(object)
        }
    }

    private static func cell(_ value: SQLiteValue) -> JSONValue {
        switch value {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .number(let number): return JSONValue(number)
        case .text(let text): return .string(text)
        case .bytes(let bytes):
            return .object([bytesKey: .string(Base64.encode(bytes))])
        }
    }

    func changed(_ sql: String) throws -> Int {
        try file.rows(sql)
        changes += 1
        return file.changes
    }

    func define(_ sql: String) throws {
        try file.rows(sql)
        changes += 1
    }

    func transaction<Value>(_ body: () throws -> Value) throws -> Value { try file.write(body) }

    /// `data_version` counts only commits of other connections, so add this connection's changes.
    func stamp() throws -> String? {
        let version = try file.rows("PRAGMA data_version").first?.first?.integer
        return version.map { "\($0).\(changes)" }
    }

    func triggers() throws -> Set<String> {
        let rows = try file.rows(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'sluice_row_%'")
        return Set(rows.compactMap { $0[0].text })
    }

    /// The length of a type is not kept to.
    func room(in column: String, of table: String) throws -> Int? { nil }
}
