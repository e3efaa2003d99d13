import SluiceC

/// One connection to a server, used by one thread at a time.
///
/// Changes do not wait for their answers: the next question, or `settle`, throws their errors.
package final class PostgresConnection {
    /// The maximum number of outstanding responses.
    private static let owedLimit = 200

    /// After this silence the connection probes the server.
    private static let silenceMilliseconds: Int32 = 5_000

    private let settings: PostgresSettings
    private let handle: OpaquePointer
    private let isPipelined: Bool
    private var owed = 0
    /// The number of waits for responses.
    package private(set) var roundTrips = 0
    /// The number of unread ends of statements sent without a wait.
    private var unread = 0
    /// The names of prepared statements, by requested name.
    private var prepared: [String: String] = [:]
    private var generation = 0
    /// Whether the server left a question unanswered and took no new connection.
    package private(set) var isSilent = false

    /// Connects, and waits for that. `isPipelined` is false for a connection that only listens.
    package init(_ settings: PostgresSettings, isPipelined: Bool = true) throws(PostgresError) {
        if let missing = cpq_load() {
            throw PostgresError(.library, String(cString: missing))
        }
        guard settings.canBeRead else {
            throw PostgresError(.address, "the address cannot be read")
        }
        guard let handle = settings.withLists({ cpq_connect($0, $1) }) ?? nil else {
            throw PostgresError(.connecting(code: nil), "there is no memory for a connection")
        }
        self.settings = settings
        self.handle = handle
        self.isPipelined = isPipelined
        guard cpq_is_open(handle) != 0 else {
            throw Self.refusal(handle, settings)
        }
        if isPipelined { _ = cpq_pipeline(handle) }
    }

    deinit { cpq_close(handle) }

    private static func refusal(
        _ handle: OpaquePointer, _ settings: PostgresSettings
    ) -> PostgresError {
        let message = String(cString: cpq_error(handle))
        if cpq_needs_password(handle) != 0 { return PostgresError(.passwordMissing, message) }
        var code = [CChar](repeating: 0, count: 6)
        code.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            _ = settings.withLists { cpq_diagnose($0, $1, 5000, base) }
        }
        let text = String(decoding: code.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return PostgresError(.connecting(code: text.isEmpty ? nil : text), message)
    }

    /// Whether the connection is open, as far as known.
    package var isOpen: Bool { !isSilent && cpq_is_open(handle) != 0 }

    /// The number of the server's process for this connection.
    package var backend: Int32 { cpq_backend(handle) }

    /// The server's version: 150004 is 15.4.
    package var serverVersion: Int { Int(cpq_server_version(handle)) }

    /// A setting that the server reports on its own.
    package func parameter(_ name: String) -> String? {
        cpq_parameter(handle, name).map { String(cString: $0) }
    }

    /// The socket to poll for arriving data.
    package var socket: Int32 { cpq_socket(handle) }

    /// Sends a statement without rows in its answer. A name prepares it once.
    package func send(
        _ sql: String, _ values: PostgresValues = PostgresValues(), name: String? = nil
    ) throws(PostgresError) {
        if owed >= Self.owedLimit { try settle() }
        try submit(sql, values, name: name)
    }

    /// The SQL, the values, and the name for one-time preparation.
    package typealias Statement = (sql: String, values: PostgresValues, name: String?)

    /// Sends a statement, and waits for its rows and for all earlier statements. The server
    /// executes `next` while the response is in transit; a later wait covers it.
    package func rows(
        _ sql: String, _ values: PostgresValues = PostgresValues(), name: String? = nil,
        next: [Statement] = []
    ) throws(PostgresError) -> PostgresRows {
        try submit(sql, values, name: name)
        try sync()
        for statement in next { try submit(statement.sql, statement.values, name: statement.name) }
        if !next.isEmpty { try push() }
        guard let rows = try receive().last else {
            throw PostgresError(.lost, "the server gave no answer")
        }
        return rows
    }

    /// Waits for the answers of all sent statements; returns the rows of those that have rows.
    package func rowsOfAll() throws(PostgresError) -> [PostgresRows] { try collect() }

    /// Lets the server start on the statements sent so far.
    package func push() throws(PostgresError) {
        guard cpq_push(handle) != 0 else { throw lost() }
    }

    /// Lets the server execute the sent statements without a wait. Failures are not reported.
    package func sendOff() throws(PostgresError) {
        if owed > 0 { try sync() }
    }

    /// Waits until all sent statements are done; throws the first error.
    package func settle() throws(PostgresError) {
        if owed > 0 { _ = try collect() }
    }

    /// Runs statements without values on a connection that is not pipelined.
    package func run(_ sql: String) throws(PostgresError) {
        guard let result = cpq_run(handle, sql) else { throw lost() }
        defer { cpq_result_free(result) }
        if cpq_result_kind(result) == .failed { throw error(of: result) }
    }

    /// The first value of one question, as text, on a connection that is not pipelined.
    package func value(of sql: String) throws(PostgresError) -> String {
        guard let result = cpq_run(handle, sql) else { throw lost() }
        defer { cpq_result_free(result) }
        guard cpq_result_kind(result) == .rows else { throw error(of: result) }
        return cpq_row_count(result) == 0 ? "" : String(cString: cpq_bytes(result, 0, 0))
    }

    /// The first value of each query, as text, in one round trip and one transaction, on a
    /// connection without a pipeline. A failure skips the later queries; the result has the
    /// earlier values and the failure.
    package func values(
        of questions: [String]
    ) throws(PostgresError) -> (values: [String], failure: PostgresError?) {
        guard !questions.isEmpty else { return ([], nil) }
        guard cpq_send_all(handle, questions.joined(separator: ";\n")) != 0 else { throw lost() }
        var (values, failure): ([String], PostgresError?) = ([], nil)
        while true {
            try awaitAnswer()
            guard let result = cpq_next(handle) else { break }
            defer { cpq_result_free(result) }
            switch cpq_result_kind(result) {
            case .rows:
                let isEmpty = cpq_row_count(result) == 0
                values.append(isEmpty ? "" : String(cString: cpq_bytes(result, 0, 0)))
            case .failed: failure = failure ?? error(of: result)
            case .done, .aborted, .synced, .other: break
            }
        }
        guard isOpen else { throw lost() }
        return (values, failure)
    }

    /// Reads arrived data. Returns the server process of each notification in it.
    package func drainNotices() throws(PostgresError) -> [Int32] {
        guard cpq_consume(handle) != 0 else { throw lost() }
        var found: [Int32] = []
        while true {
            let backend = cpq_take_notice(handle)
            guard backend != 0 else { return found }
            found.append(backend)
        }
    }

    private func submit(
        _ sql: String, _ values: PostgresValues, name: String?
    ) throws(PostgresError) {
        let name = try name.map { name throws(PostgresError) in try prepare(sql, as: name) }
        let isSent = values.withPointers { pointers in
            if let name {
                return cpq_send_prepared(handle, name, Int32(values.count), pointers)
            }
            return cpq_send_text(handle, sql, Int32(values.count), pointers)
        }
        guard isSent != 0 else { throw lost() }
        owed += 1
    }

    private func prepare(_ sql: String, as name: String) throws(PostgresError) -> String {
        if let known = prepared[name] { return known }
        let full = "\(name)_\(generation)"
        guard cpq_send_prepare(handle, full, sql) != 0 else { throw lost() }
        owed += 1
        prepared[name] = full
        return full
    }

    /// Reads every outstanding response. Returns the rows of statements that have some.
    private func collect() throws(PostgresError) -> [PostgresRows] {
        try sync()
        return try receive()
    }

    private func sync() throws(PostgresError) {
        guard cpq_sync(handle) != 0 else { throw lost() }
        owed = 0
        unread += 1
    }

    private func receive() throws(PostgresError) -> [PostgresRows] {
        var found: [PostgresRows] = []
        var first: PostgresError?
        roundTrips += 1
        while unread > 0 {
            try awaitAnswer()
            guard let result = cpq_next(handle) else {
                // The end of one statement's answers.
                if isOpen { continue }
                throw lost()
            }
            switch cpq_result_kind(result) {
            case .rows:
                found.append(PostgresRows(result))
                continue
            case .synced:
                unread -= 1
                // Drop the results of statements sent without a wait.
                if unread > 0 { (found, first) = ([], nil) }
            case .failed:
                first = first ?? error(of: result)
                // Statements prepared in the same run may or may not exist.
                prepared.removeAll()
                generation += 1
            case .done, .aborted, .other: break
            }
            cpq_result_free(result)
            if let error = first, error.origin == .lost { break }
        }
        if let first { throw first }
        return found
    }

    /// Waits for an answer for as long as the server is there: it may have much to do.
    private func awaitAnswer() throws(PostgresError) {
        while cpq_await(handle, Self.silenceMilliseconds) == 0 {
            let isThere = settings.withLists(isProbe: true) { cpq_answers($0, $1) } ?? 0
            guard isThere == 0 else { continue }
            isSilent = true
            owed = 0
            throw PostgresError(.lost, "the server does not answer")
        }
    }

    private func error(of result: OpaquePointer) -> PostgresError {
        let message = cpq_message(result).map { String(cString: $0) }
        guard let code = cpq_sqlstate(result).map({ String(cString: $0) }) else { return lost() }
        var error = PostgresError(.statement(code: code), message ?? code)
        guard code.hasPrefix("23") else { return error }
        error.constraint = cpq_constraint(result).map { String(cString: $0) }
        error.detail = cpq_detail(result).map { String(cString: $0) }
        return error
    }

    private func lost() -> PostgresError {
        owed = 0
        return PostgresError(.lost, String(cString: cpq_error(handle)))
    }
}
