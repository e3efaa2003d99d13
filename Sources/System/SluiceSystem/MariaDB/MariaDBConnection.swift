import SluiceC

/// One connection to a server, used by one thread at a time. Its times are in UTC.
package final class MariaDBConnection {
    package enum Value: Hashable, Sendable {
        case null
        /// A whole number; of more than 64 bits with a sign a `number`.
        case integer(Int64)
        /// A number as the server writes it.
        case number(String)
        /// A text, or a value displayed as text.
        case text(String)
        /// Bytes that are no text.
        case bytes([UInt8])
    }

    private static let (connectSeconds, answerSeconds): (UInt32, UInt32) = (10, 300)
    /// The library's error codes for a lost connection.
    private static let lost: Set<UInt32> = [2006, 2013, 2055]

    private let handle: OpaquePointer

    /// Connects, and waits for that.
    package init(_ address: MariaDBAddress) throws(MariaDBError) {
        if let missing = cmy_load() { throw MariaDBError(.library, 0, String(cString: missing)) }
        guard let handle = Self.connected(address) else {
            throw MariaDBError(.connecting, 0, "there is no memory for a connection")
        }
        self.handle = handle
        guard cmy_errno(handle) == 0 else {
            throw MariaDBError(.connecting, cmy_errno(handle), String(cString: cmy_error(handle)))
        }
        // The library falls back to a plain connection where the server has no TLS.
        guard !address.needsTLS || cmy_is_encrypted(handle) != 0 else {
            throw MariaDBError(.connecting, 2026, "the server has no TLS, and ssl-mode asks for it")
        }
        try run(
            """
            SET SESSION time_zone = '+00:00', lock_wait_timeout = 2, innodb_lock_wait_timeout = 2,
            sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'
            """)
    }

    deinit { cmy_close(handle) }

    private static func connected(_ address: MariaDBAddress) -> OpaquePointer? {
        let password = address.password ?? ProcessIdentity.environment("MYSQL_PWD")
        let texts = [
            address.host, address.user, password, address.database, address.socket,
            address.authorities, address.certificate, address.key,
        ]
        return withPointers(texts) { pointers in
            var settings = cmy_settings()
            settings.host = pointers[0]
            settings.user = pointers[1]
            settings.password = pointers[2]
            settings.database = pointers[3]
            settings.socket = pointers[4]
            settings.authorities = pointers[5]
            settings.certificate = pointers[6]
            settings.key = pointers[7]
            settings.port = UInt32(address.port ?? 0)
            settings.is_tcp = address.port != nil && address.socket == nil ? 1 : 0
            settings.connect_seconds = connectSeconds
            settings.answer_seconds = answerSeconds
            settings.needs_tls = address.needsTLS ? 1 : 0
            settings.checks_name = address.checksName ? 1 : 0
            return cmy_connect(&settings)
        }
    }

    /// Calls `body` with texts as C has them.
    private static func withPointers<Result>(
        _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        let places = texts.map { text -> Int? in
            guard let text else { return nil }
            let place = bytes.count
            bytes += text.utf8.map { CChar(bitPattern: $0) } + [0]
            return place
        }
        return bytes.withUnsafeBufferPointer { buffer in
            body(places.map { place in place.flatMap { buffer.baseAddress?.advanced(by: $0) } })
        }
    }

    /// Runs a statement that gives no rows; gives how many it matched.
    @discardableResult
    package func run(_ sql: String) throws(MariaDBError) -> Int {
        if let result = try answer(sql) { cmy_result_free(result) }
        return Int(truncatingIfNeeded: min(cmy_matched(handle), UInt64(Int.max)))
    }

    /// The rows of a question, each by the names of its columns.
    package func rows(_ sql: String) throws(MariaDBError) -> [[(name: String, value: Value)]] {
        guard let result = try answer(sql) else { return [] }
        defer { cmy_result_free(result) }
        let columns = (0..<cmy_column_count(result)).map {
            (String(cString: cmy_column_name(result, $0)), cmy_column_kind(result, $0))
        }
        var rows: [[(name: String, value: Value)]] = []
        while cmy_next(result) != 0 {
            rows.append(
                columns.enumerated().map { place, column in
                    (column.0, Self.value(result, UInt32(place), column.1))
                })
        }
        return rows
    }

    private static func value(
        _ result: OpaquePointer, _ column: UInt32, _ kind: cmy_kind
    ) -> Value {
        var length = 0
        guard let start = cmy_value(result, column, &length) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        switch kind {
        case cmy_integer:
            let text = String(decoding: bytes, as: UTF8.self)
            return Int64(text).map(Value.integer) ?? .number(text)
        case cmy_number: return .number(String(decoding: bytes, as: UTF8.self))
        case cmy_text: return .text(String(decoding: bytes, as: UTF8.self))
        default:
            // Texts of expressions may have no character set.
            return String(validating: bytes, as: UTF8.self).map(Value.text) ?? .bytes(Array(bytes))
        }
    }

    private func answer(_ sql: String) throws(MariaDBError) -> OpaquePointer? {
        var text = sql
        var result: OpaquePointer?
        let isDone = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { cmy_run(handle, $0, characters.count, &result) } ?? 0
            }
        }
        guard isDone != 0 else { throw failure() }
        return result
    }

    private func failure() -> MariaDBError {
        let number = cmy_errno(handle)
        guard number != 0 else {
            return MariaDBError(.statement, 0, "there is no memory for the answer")
        }
        let message = String(cString: cmy_error(handle))
        return MariaDBError(Self.lost.contains(number) ? .lost : .statement, number, message)
    }
}
