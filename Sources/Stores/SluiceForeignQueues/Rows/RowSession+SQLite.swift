import SluiceModel
import SluiceSQLiteClient

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

    func use(schema: String) throws {}

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

    /// Each user that may write the file may make triggers.

    /// The length of a type is not kept to.
    func room(in column: String, of table: String) throws -> Int? { nil }
}
