import SluiceCSQLite
import SluiceModel
import SluiceStore

/// A prepared statement of one connection. Bind its values in order, then step through the rows.
/// Each user must reset it before the next use.
final class Statement: BoundStatement {
    private let handle: OpaquePointer
    private unowned let connection: Connection
    private let changesRows: Bool
    private var bound: Int32 = 0
    private var bindCode = SQLITE_OK
    private var isFresh = true
    private var values = BoundBytes()

    /// Whether SQLite prepared it again, for a new schema or a value that its plan depended on.
    var isReprepared: Bool { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) > 0 }

    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
        changesRows = sqlite3_stmt_readonly(handle) == 0
    }

    deinit {
        sqlite3_finalize(handle)
        values.free()
    }

    /// Steps to the next row; false without one. Injected test faults occur in the first step.
    func next() throws(QueueError) -> Bool {
        if bindCode != SQLITE_OK { throw connection.failure(bindCode) }
        if isFresh {
            isFresh = false
            if changesRows { try connection.beforeChange() }
        }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw connection.failure(code, isChange: changesRows)
    }

    /// A step of a statement that controls transactions, where no fault strikes.
    func step() throws(QueueError) {
        let code = sqlite3_step(handle)
        if code != SQLITE_DONE, code != SQLITE_ROW { throw connection.failure(code) }
    }

    /// Runs a statement that gives no rows, and resets it.
    func run() throws(QueueError) {
        defer { reset() }
        _ = try next()
    }

    /// Makes the statement ready for other values.
    func reset() {
        // Its code repeats the failure of the last step, which has been thrown.
        sqlite3_reset(handle)
        values.reset()
        bound = 0
        bindCode = SQLITE_OK
        isFresh = true
    }
}

extension Statement {
    func bind(_ number: Int64) {
        bound += 1
        record(sqlite3_bind_int64(handle, bound, number))
    }

    func bind(_ number: Double?) {
        guard let number else { return bindNull() }
        bound += 1
        record(sqlite3_bind_double(handle, bound, number))
    }

    func bind(_ text: String) {
        bound += 1
        var text = text
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters -> Int32 in
                // An empty text may have no address, and that would be NULL.
                guard let base = characters.baseAddress else {
                    return csq_bind_text(handle, bound, "", 0)
                }
                guard let count = Int32(exactly: characters.count) else { return SQLITE_TOOBIG }
                if let kept = values.keep(base, characters.count) {
                    return csq_bind_text_in_place(
                        handle, bound, kept.assumingMemoryBound(to: CChar.self), count)
                }
                return csq_bind_text(handle, bound, base, count)
            }
        }
        record(code)
    }

    func bind(_ bytes: [UInt8]) {
        bound += 1
        let code = bytes.withUnsafeBytes { buffer -> Int32 in
            guard let base = buffer.baseAddress, !buffer.isEmpty else {
                return sqlite3_bind_zeroblob(handle, bound, 0)
            }
            guard let count = Int32(exactly: buffer.count) else { return SQLITE_TOOBIG }
            if let kept = values.keep(base, buffer.count) {
                return csq_bind_blob_in_place(handle, bound, kept, Int64(count))
            }
            return csq_bind_blob(handle, bound, base, count)
        }
        record(code)
    }

    /// The column takes integers and texts.
    func bind(_ key: SortKey?) {
        switch key {
        case .integer(let number): bind(number)
        case .text(let text): bind(text)
        case nil: bindNull()
        }
    }

    func bindNull() {
        bound += 1
        record(sqlite3_bind_null(handle, bound))
    }

    /// Binds large bytes without a copy and runs the statement.
    func run(bindingLast bytes: [UInt8]) throws(QueueError) {
        guard !bytes.isEmpty else {
            bind(bytes)
            return try run()
        }
        bound += 1
        let result = bytes.withUnsafeBytes { buffer -> Result<Void, QueueError> in
            record(
                csq_bind_blob_in_place(
                    handle, bound, buffer.baseAddress, Int64(buffer.count)))
            defer { sqlite3_clear_bindings(handle) }
            return Result { () throws(QueueError) in try run() }
        }
        try result.get()
    }

    private func record(_ code: Int32) {
        if bindCode == SQLITE_OK { bindCode = code }
    }
}

extension Statement {
    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func isText(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_TEXT
    }

    func isInteger(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalDouble(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(handle, column)
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Searches the bytes in place, without a copy.
    func holds(_ wanted: [UInt8], in column: Int32) -> Bool {
        guard let start = sqlite3_column_blob(handle, column) else { return wanted.isEmpty }
        let count = Int(sqlite3_column_bytes(handle, column))
        return wanted.withUnsafeBufferPointer {
            csq_holds(start, count, $0.baseAddress, $0.count) != 0
        }
    }

    /// Searches rows whose first column is the number. The search is bound last and skips other
    /// rows inside SQLite, without a Swift call for each.
    func look(_ scan: RowScan) throws(QueueError) -> RowFinding {
        var finding = RowFinding()
        let text = scan.condition.onlyText
        let code = (text ?? []).withUnsafeBufferPointer { wanted in
            withUnsafePointer(to: scan.condition) { condition in
                var look = csq_hunt(
                    queue: scan.queue ?? -1, states: scan.states,
                    is_wanted: text == nil ? RowTexts.isWanted : nil, context: condition,
                    wanted: wanted.baseAddress, wanted_count: wanted.count,
                    limit: Int64(scan.limit), rows: 0, looked: 0, is_found: 0)
                return withUnsafeMutablePointer(to: &look) { look in
                    record(csq_bind_hunt(handle, bound + 1, look))
                    defer { finding.looked = Int(look.pointee.looked) }
                    return bindCode == SQLITE_OK ? step(look, scan, &finding) : bindCode
                }
            }
        }
        if code != SQLITE_DONE, code != SQLITE_ROW {
            throw connection.failure(code, isChange: false)
        }
        return finding
    }

    /// Steps until the end or a limit; returns the last code.
    private func step(
        _ look: UnsafeMutablePointer<csq_hunt>, _ scan: RowScan, _ finding: inout RowFinding
    ) -> Int32 {
        while true {
            let code = sqlite3_step(handle)
            guard code == SQLITE_ROW else { return code }
            let number = integer(0)
            if look.pointee.is_found != 0 { finding.found.append(number) }
            if look.pointee.rows >= scan.limit || finding.found.count >= scan.hitLimit {
                finding.last = number < scan.numbers.upperBound ? number : nil
                return code
            }
        }
    }

    /// Without a way through Swift for each.
    func integers() throws(QueueError) -> [Int64] {
        if bindCode != SQLITE_OK { throw connection.failure(bindCode) }
        var (found, code) = ([Int64](), SQLITE_ROW)
        while code == SQLITE_ROW {
            found += [Int64](unsafeUninitializedCapacity: 1024) { room, count in
                code = csq_integers(handle, room.baseAddress, room.count, &count)
            }
        }
        if code != SQLITE_DONE { throw connection.failure(code) }
        return found
    }

    func sortKey(_ column: Int32) -> SortKey? {
        if isNull(column) { return nil }
        return isText(column) ? .text(text(column)) : .integer(integer(column))
    }
}

/// Scans of rows in storage order; the statement filters them internally.
extension Connection {
    private enum SQL {
        static let rows = Query(
            """
            SELECT t.id FROM sluice_task t
            WHERE t.id BETWEEN ?1 AND ?2 AND sluice_hunt(?3, t.queue, t.lane, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id)))
            ORDER BY t.id
            """)
        /// With the other texts of a task that people read; `detail` last.
        static let rowsWithTexts = Query(
            """
            SELECT t.id FROM sluice_task t
            WHERE t.id BETWEEN ?1 AND ?2 AND sluice_hunt(?3, t.queue, t.lane, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id)),
                t.type, t.label, t.group_start, t.last_error, t.client_string, t.detail)
            ORDER BY t.id
            """)
    }

    func look(_ scan: RowScan) throws(QueueError) -> RowFinding? {
        try defineRowScan()
        let row = try statement(of: scan.condition.asksTexts ? SQL.rowsWithTexts : SQL.rows)
        defer { row.reset() }
        row.bind(scan.numbers.lowerBound)
        row.bind(scan.numbers.upperBound)
        return try row.look(scan)
    }
}
