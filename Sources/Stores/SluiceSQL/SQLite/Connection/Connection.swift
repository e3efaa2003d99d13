import SluiceCLogFile
import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceSystem

/// One connection to an SQLite file, used by one thread at a time.
final class Connection: TableConnection {
    /// The access of a connection to the file.
    enum Mode {
        case readWrite
        case readOnly
        /// For a file on a read-only medium: SQLite creates no files next to it.
        case immutable
    }

    let path: String
    /// The error that prevents the commit of the running write: one of its changes failed, even if
    /// its body caught the error.
    private(set) var changeFailure: QueueError?
    let database: OpaquePointer
    private let isBorrowed: Bool
    /// Whether its statements can look through rows.
    private var definesHunt = false
    private let faults: WriteFaults?
    let busyWait = BusyWait()
    /// How many pages the log may have before it is brought into the file.
    var logPages: Int32 = 1000
    /// Whether the disk was full and the log has not been emptied since.
    var hasRunFull = false
    /// Whether a transaction may write pages to the log before its end.
    private var spills = true
    /// By the numbers of their queries.
    private var statements: [Statement?] = []
    private var queries: [Query] = []

    init(path: String, mode: Mode, faults: WriteFaults? = nil) throws(QueueError) {
        self.path = path
        self.faults = faults
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            Self.fileName(path, mode), &handle, Self.flags(mode), Self.files(mode))
        guard let handle else { throw SQLiteFailure.error(code, message: "no memory", path: path) }
        guard code == SQLITE_OK else {
            let extended = sqlite3_extended_errcode(handle)
            let message = String(cString: sqlite3_errmsg(handle))
            sqlite3_close_v2(handle)
            throw SQLiteFailure.error(extended, message: message, path: path)
        }
        database = handle
        isBorrowed = false
        sqlite3_extended_result_codes(handle, 1)
        let settings = [busyWait.install(on: handle), csq_harden(handle)]
        if let refused = settings.first(where: { $0 != SQLITE_OK }) { throw failure(refused) }
        watchLog()
    }

    /// An application's own connection, which stays as it is and is not closed.
    init(borrowing handle: OpaquePointer) {
        path = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
        faults = nil
        database = handle
        isBorrowed = true
    }

    deinit { close() }

    private func close() {
        statements.removeAll()
        if !isBorrowed { sqlite3_close_v2(database) }
    }

    private static func flags(_ mode: Mode) -> Int32 {
        switch mode {
        case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        case .readOnly: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        }
    }

    /// The file methods of SQLite: writers batch their writes to the log. Falls back to SQLite's
    /// own methods.
    private static func files(_ mode: Mode) -> UnsafePointer<CChar>? {
        mode == .readWrite ? FileSystem.gathering.name : nil
    }

    private struct FileSystem: @unchecked Sendable {
        /// SQLite's own for as long as the program runs.
        let name: UnsafePointer<CChar>?

        static let gathering = FileSystem(name: log_file_vfs())
    }

    private static func fileName(_ path: String, _ mode: Mode) -> String {
        // A colon at the start would name a database in memory.
        let plain = path.hasPrefix("/") ? path : "./\(path)"
        guard case .immutable = mode else { return plain }
        var escaped = "file:"
        for byte in plain.utf8 {
            let isPlain =
                (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || (byte >= 0x2D && byte <= 0x39)
            escaped +=
                isPlain
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return escaped + "?immutable=1"
    }

    /// Whether the file is read-only although the connection requested writing.
    var isWriteProtected: Bool { sqlite3_db_readonly(database, "main") == 1 }

    /// Sets the folder where writers see that others wait.
    func meet(at folder: RunFolder) { busyWait.folder = folder }

    /// Whether another process waits to write, as far as it lets that be seen.
    var isWaitedFor: Bool { busyWait.folder?.isWaitedFor ?? false }

    /// Whether a transaction is open; a full disk may have ended it.
    var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

    /// The number of rows changed since the connection was opened.
    var totalChanges: Int64 { sqlite3_total_changes64(database) }

    /// Its writer takes in the inbox before its own work (T4).
    var hasInbox: Bool { true }

    var tablePrefix: String { "sluice_" }

    /// Its processes are of one machine.
    var hasOffers: Bool { true }

    var isRemote: Bool { false }

    /// A full disk may have ended the transaction.
    var endedTransaction: QueueError { .diskFull(path) }

    /// The statement of a query. Reset it before the next call for the same query.
    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement {
        try statement(of: query)
    }

    /// Lets statements look through rows, before the first one does.
    func defineRowScan() throws(QueueError) {
        guard !definesHunt else { return }
        let code = csq_define_hunt(database)
        guard code == SQLITE_OK else { throw failure(code) }
        definesHunt = true
    }

    func statement(of query: Query) throws(QueueError) -> Statement {
        if query.number < statements.count, let known = statements[query.number] { return known }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            database, query.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw failure(code) }
        let statement = Statement(handle, of: self)
        let missing = query.number + 1 - statements.count
        if missing > 0 { statements += Array(repeating: nil, count: missing) }
        statements[query.number] = statement
        queries.append(query)
        return statement
    }

    /// The queries prepared so far, for the test of their plans.
    var preparedQueries: [String] { queries.map(\.sql) }

    /// Those of them that SQLite prepared again, for the test that it does not.
    var repreparedQueries: [String] {
        queries.filter { statements[$0.number]?.isReprepared ?? false }.map(\.sql)
    }

    /// Runs statements that bind nothing.
    func execute(_ sql: String) throws(QueueError) {
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The rows of a statement that is used only once, each mapped by `row`.
    func rows<Value>(
        once sql: String, _ row: (Statement) -> Value
    ) throws(QueueError) -> [Value] {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, 0, &handle, nil)
        guard code == SQLITE_OK, let handle else { throw failure(code) }
        let statement = Statement(handle, of: self)
        var values: [Value] = []
        while try statement.next() { values.append(row(statement)) }
        return values
    }

    /// The error for people from a result code that this connection just returned.
    func failure(_ code: Int32, isChange: Bool = false) -> QueueError {
        let extended = sqlite3_extended_errcode(database)
        let error = SQLiteFailure.error(
            extended & 0xFF == code & 0xFF ? extended : code,
            message: String(cString: sqlite3_errmsg(database)), path: path)
        if isChange, changeFailure == nil { changeFailure = error }
        if error.code == .diskFull { hasRunFull = true }
        if SQLiteFailure.isDamage(code), !isBorrowed { DamageMark(path).put(error.message) }
        return error
    }

    func beforeChange() throws(QueueError) {
        guard let faults else { return }
        do {
            try faults.step()
        } catch {
            if changeFailure == nil { changeFailure = error }
            throw error
        }
    }
}

extension Connection {
    private enum Control {
        static let begin = Query("BEGIN")
        static let beginImmediate = Query("BEGIN IMMEDIATE")
        static let commit = Query("COMMIT")
        static let rollback = Query("ROLLBACK")
        static let savepoint = Query("SAVEPOINT body")
        static let release = Query("RELEASE body")
        static let rollbackToSavepoint = Query("ROLLBACK TO body")
        static let dataVersion = Query("PRAGMA data_version")
        static let configuration = Query(
            "SELECT value FROM sluice_number WHERE name = '\(TableHistory.configurationName)'")
        static let spill = Query("PRAGMA cache_spill = ON")
        static let spillNothing = Query("PRAGMA cache_spill = OFF")
    }

    private func run(_ query: Query) throws(QueueError) {
        let statement = try statement(of: query)
        defer { statement.reset() }
        try statement.step()
    }

    func beginReading() throws(QueueError) { try run(Control.begin) }

    /// Begins a writing transaction; no other writer runs until it ends.
    ///
    /// With savepoints no page goes to the log before the commit. After a page spill and a
    /// rolled-back savepoint, SQLite (at least 3.40) can lose a commit if the program crashes (P1).
    func beginWriting(withSavepoints: Bool = false) throws(QueueError) {
        defer { busyWait.end() }
        if spills == withSavepoints {
            // Inside a transaction it would change nothing.
            try run(withSavepoints ? Control.spillNothing : Control.spill)
            spills.toggle()
        }
        try run(Control.beginImmediate)
    }

    /// Another number once another connection has changed the file; true inside a transaction.
    func dataVersion() throws(QueueError) -> Int64 {
        let row = try prepare(Control.dataVersion)
        defer { row.reset() }
        return try row.next() ? row.integer(0) : 0
    }

    func control(_ step: TransactionStep) throws(QueueError) {
        switch step {
        case .rollback: try run(Control.rollback)
        case .savepoint: try run(Control.savepoint)
        case .rollbackToSavepoint: try run(Control.rollbackToSavepoint)
        case .release: try run(Control.release)
        }
    }

    /// Each change is complete after its statement.
    func settle() {}

    func configuration() throws(QueueError) -> Int64? {
        let row = try prepare(Control.configuration)
        defer { row.reset() }
        return try row.next() ? row.integer(0) : nil
    }

    /// A file refuses a change immediately, in the body itself.
    var isOwnFailure: Bool { false }

    /// Rows of a file say nothing of that.
    func nextConfiguration() -> Int64? { nil }

    /// Asking a file is cheap.
    func many(_ query: Query, columns: [[Int64]]) -> (any BoundStatement)? { nil }

    /// Commits; a test's fault strikes only if there is something to keep.
    func commit(keeping hasChanges: Bool) throws(QueueError) {
        if hasChanges { try faults?.step() }
        log_file_gather(database, 1)
        defer { log_file_gather(database, 0) }
        try run(Control.commit)
        if hasChanges { faults?.committed() }
    }

    /// Lets commits survive what the store promises (P1).
    func set(_ durability: StoreRecord.Durability) throws(QueueError) {
        try execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
    }

    /// Forgets the failure of the last body.
    func clearChangeFailure() { changeFailure = nil }
}

/// How the write-ahead log keeps to the room that its disk has.
extension Connection {
    private static let pageBytes: Int64 = 4096
    private static let pageRange: ClosedRange<Int64> = 32...2000
    /// The size kept of a log that grew during a long read. Truncating it blocks all writers for 40
    /// to 70 ms, so this happens only for sizes that matter on a disk.
    private static let keptBytes: ClosedRange<Int64> = 4 << 20...256 << 20

    /// Limits the log to a quarter of the free space, and to half of that for a single writer. A
    /// checkpoint needs as much free space as the log has, so the log must not fill the disk.
    func fitLog() throws(QueueError) {
        let room = csq_room(path)
        let fitting = room < 0 ? .max : room / 4
        let pages = min(
            max(fitting / 2 / Self.pageBytes, Self.pageRange.lowerBound), Self.pageRange.upperBound)
        let kept = min(max(fitting, Self.keptBytes.lowerBound), Self.keptBytes.upperBound)
        logPages = Int32(pages)
        try execute("PRAGMA journal_size_limit = \(kept)")
    }

    /// Hears after each commit how large the log is.
    func watchLog() {
        sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                connection.logGrew(to: pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Checkpoints a large log.
    ///
    /// Other commits during a checkpoint remain in the log, so a log with several writers would
    /// never become empty and restart. At twice its limit it is therefore checkpointed with writers
    /// blocked.
    private func logGrew(to pages: Int32) {
        guard pages >= logPages else { return }
        let isWhole = pages >= 2 * logPages
        busyWait.isImpatient = true
        defer { busyWait.isImpatient = false }
        // A log that stays loses nothing: the next commit tries again.
        _ = sqlite3_wal_checkpoint_v2(
            database, "main", isWhole ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, nil,
            nil)
    }

    /// After the disk was full: brings what the log holds into the file, if there is room by
    /// now, and gives back the log's.
    func relieve() {
        guard hasRunFull else { return }
        busyWait.isImpatient = true
        defer { busyWait.isImpatient = false }
        do {
            _ = try rows(once: "PRAGMA wal_checkpoint(TRUNCATE)") { $0.int(0) }
            try fitLog()
            hasRunFull = false
        } catch {
            // There is still no room: the write that comes next says so.
        }
    }
}
