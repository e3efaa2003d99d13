import SluiceCSQLite

/// A value of an SQLite database.
package enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case number(Double)
    case text(String)
    case bytes([UInt8])

    /// A whole number; nil for anything else.
    package var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }

    /// A number of either kind.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// A text; nil for anything else.
    package var text: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    /// The bytes of a text or of bytes.
    package var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        default: nil
        }
    }
}

package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The result code of SQLite.
    package var code: Int32
    package var description: String
}

/// A file of another program, as SQLite keeps it: statements and their rows. Used by one thread at
/// a time; it waits 5 seconds for a lock.
package final class SQLiteFile {
    private let database: OpaquePointer

    package init(path: String, isReadOnly: Bool = false) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
        // A colon at the start would name a database in memory.
        let plain = path.hasPrefix("/") ? path : "./\(path)"
        let code = sqlite3_open_v2(plain, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle else { throw SQLiteError(code: code, description: "no memory") }
        guard code == SQLITE_OK else {
            let text = String(cString: sqlite3_errmsg(handle))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code, description: text)
        }
        database = handle
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit { sqlite3_close_v2(database) }

    /// How many rows the last statement changed.
    package var changes: Int { Int(sqlite3_changes(database)) }

    /// The rows of a statement with values.
    @discardableResult
    package func rows(
        _ sql: String, _ values: [SQLiteValue] = []
    ) throws(SQLiteError) -> [[SQLiteValue]] {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &handle, nil) == SQLITE_OK, let handle else {
            throw failure()
        }
        defer { sqlite3_finalize(handle) }
        for (index, value) in values.enumerated() { bind(value, Int32(index + 1), handle) }
        return try stepped(handle)
    }

    /// The rows of a statement, each with the names of its columns in their order.
    package func namedRows(_ sql: String) throws(SQLiteError) -> [[(String, SQLiteValue)]] {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &handle, nil) == SQLITE_OK, let handle else {
            throw failure()
        }
        defer { sqlite3_finalize(handle) }
        let names = (0..<sqlite3_column_count(handle)).map {
            sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? ""
        }
        return try stepped(handle).map { Array(zip(names, $0)) }
    }

    private func stepped(_ handle: OpaquePointer) throws(SQLiteError) -> [[SQLiteValue]] {
        var found: [[SQLiteValue]] = []
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW:
                found.append((0..<sqlite3_column_count(handle)).map { Self.value(handle, $0) })
            case SQLITE_DONE: return found
            default: throw failure()
            }
        }
    }

    /// Runs a body in one transaction that takes the lock of writers first; whole or not at all.
    package func write<Value>(_ body: () throws -> Value) throws -> Value {
        try rows("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try rows("COMMIT")
            return value
        } catch {
            // An error may have ended the transaction already.
            if sqlite3_get_autocommit(database) == 0 { try rows("ROLLBACK") }
            throw error
        }
    }

    private func failure() -> SQLiteError {
        SQLiteError(
            code: sqlite3_errcode(database), description: String(cString: sqlite3_errmsg(database)))
    }

    private func bind(_ value: SQLiteValue, _ index: Int32, _ handle: OpaquePointer) {
        // SQLite makes a copy of each.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .number(let number): sqlite3_bind_double(handle, index, number)
        case .text(let text): sqlite3_bind_text(handle, index, text, -1, copying)
        case .bytes(let bytes):
            sqlite3_bind_blob(handle, index, bytes, Int32(bytes.count), copying)
        }
    }

    private static func value(_ handle: OpaquePointer, _ column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .number(sqlite3_column_double(handle, column))
        case SQLITE_NULL: return .null
        case let type:
            let bytes = Array(
                UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(handle, column),
                    count: Int(sqlite3_column_bytes(handle, column))))
            return type == SQLITE_TEXT
                ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
        }
    }
}
