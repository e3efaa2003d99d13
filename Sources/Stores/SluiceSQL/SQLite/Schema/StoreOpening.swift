import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceSystem

/// Opens, inspects, creates and migrates a store (P3, P4).
struct StoreOpening {
    let path: String
    let createIfMissing: Bool
    let durability: StoreRecord.Durability
    let faults: WriteFaults?
    /// The path whose owner gets a new file; `nil` for this process's user.
    var ownerPlace: String?

    struct Opened {
        var path: String
        var writer: Connection?
        /// The connection that inspected a store for reading.
        var reader: Connection?
        var runFolder: RunFolder?
        var openReader: @Sendable () throws(QueueError) -> Connection
        /// The older version of the tables that were changed.
        var upgradedFrom: Int?
        /// Whether failed tasks must first be counted by error.
        var lacksFailures: Bool {
            upgradedFrom.map(Schema.history.lacksFailures) ?? false
        }
    }

    func forWriting() throws(QueueError) -> Opened {
        try findFile()
        let writer = try Connection(path: path, mode: .readWrite, faults: faults)
        var upgradedFrom: Int?
        try firstLook { () throws(QueueError) in
            if writer.isWriteProtected { throw writeProtected }
            let version = try version(writer)
            if version < Schema.version {
                try DamageMark(path).check()
                try migrate(writer)
                if version > 0 { upgradedFrom = version }
            }
            try useWriteAheadLog(writer)
        }
        try writer.set(try storedDurability(writer))
        try writer.execute(
            """
            PRAGMA cache_size = -16384;
            PRAGMA temp_store = MEMORY
            """)
        try writer.fitLog()
        let folder = try RunFolder(of: path)
        writer.meet(at: folder)
        return Opened(
            path: path, writer: writer, runFolder: folder,
            openReader: readerOpening(.readOnly), upgradedFrom: upgradedFrom)
    }

    func forReading() throws(QueueError) -> Opened {
        try findFile()
        var mode = Connection.Mode.readOnly
        var reader = try Connection(path: path, mode: mode)
        do {
            try lookForReading(reader)
        } catch {
            // On a read-only medium SQLite cannot create the files that it needs for reading.
            let isClosed = error.code == .denied || error.code == .readOnly
            guard isClosed, !Files.exists("\(path)-wal") else { throw error }
            mode = .immutable
            reader = try Connection(path: path, mode: mode)
            try lookForReading(reader)
        }
        return Opened(path: path, reader: reader, openReader: readerOpening(mode))
    }

    private func readerOpening(
        _ mode: Connection.Mode
    ) -> @Sendable () throws(QueueError) -> Connection {
        { [path] () throws(QueueError) in
            let reader = try Connection(path: path, mode: mode)
            try reader.execute("PRAGMA temp_store = MEMORY")
            return reader
        }
    }

    private func lookForReading(_ reader: Connection) throws(QueueError) {
        try firstLook { () throws(QueueError) in
            let version = try version(reader)
            guard version >= Schema.version else {
                throw QueueError.olderTables(
                    path, version: version, needed: Schema.version,
                    copy: "open a copy of it instead: the file, with its -wal while a program "
                        + "has it open")
            }
        }
    }

    /// Runs the first statements on a file. A former store that is no longer a database counts as
    /// damaged.
    private func firstLook(_ body: () throws(QueueError) -> Void) throws(QueueError) {
        do {
            try body()
        } catch {
            guard error.code == .notAStore, Files.exists(RunFolder.path(of: path)),
                error == SQLiteFailure.notADatabase(path)
            else { throw error }
            throw SQLiteFailure.damaged(path, "it does not begin as an SQLite file does")
        }
    }

    /// Creates the file if missing and allowed.
    private func findFile() throws(QueueError) {
        do {
            switch try path.isEmpty ? nil : Files.status(path)?.kind {
            case .file: return
            case nil: break
            default:
                throw QueueError(
                    .notAStore, "\(path) is no file",
                    fix: "name a file: sluice init PATH makes a store")
            }
            guard createIfMissing, !path.isEmpty else { throw missing }
            try RunFolder.check(before: path)
            try LeftLog(of: path).remove()
            let file = try FileDescriptor(opening: path, flags: csq_create_new, mode: 0o600)
            if let ownerPlace { file.giveToOwner(of: ownerPlace) }
        } catch let error as SystemError {
            if error.errorNumber == csq_exists { return }
            throw SQLiteFailure.error(error, path: path)
        } catch let error as QueueError {
            throw error
        } catch {
            throw SQLiteFailure.damaged(path, "\(error)")
        }
    }

    private var missing: QueueError {
        QueueError(
            .noStore, "there is no store at \(path)",
            fix: "sluice \(ShellWord.command("init", path)) makes one")
    }

    private var writeProtected: QueueError {
        var reason: SystemError?
        do throws(SystemError) {
            _ = try FileDescriptor(opening: path, flags: csq_write)
        } catch {
            reason = error
        }
        guard reason?.errorNumber == csq_read_only_system else {
            return QueueError(
                .denied, "\(path) may not be written by this user",
                fix: "ask its owner, or open it with --read-only")
        }
        return QueueError(
            .denied, "\(path) is on a disk that is mounted read-only",
            fix: "mount it for writing, or open the store with --read-only")
    }
}

extension StoreOpening {
    /// The version of the tables; 0 for a file without them that may get some.
    private func version(_ connection: Connection) throws(QueueError) -> Int {
        let tables = try connection.rows(
            once: "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sluice_schema'"
        ) { _ in true }
        guard !tables.isEmpty else {
            if createIfMissing { return 0 }
            let fix = "sluice \(ShellWord.command("init", path))"
            guard (try? Files.status(path))?.sizeBytes != 0 else {
                throw QueueError(
                    .notAStore,
                    "\(path) is empty: no store was made in it, and where it was to be a tape, its "
                        + "recording ended before anything was written to it",
                    fix: "\(fix) makes a store in it")
            }
            throw QueueError(
                .notAStore, "\(path) is an SQLite file without Sluice's tables",
                fix: "\(fix) adds them")
        }
        let versions = try connection.rows(once: "SELECT version FROM sluice_schema") {
            $0.int(0)
        }
        guard let version = versions.first, versions.count == 1 else {
            throw SQLiteFailure.damaged(path, "its version is missing")
        }
        guard version > Schema.version else { return version }
        // Newer tables say themselves which programs can work with them.
        let oldest = try connection.rows(once: "SELECT oldest FROM sluice_schema") { $0.int(0) }
        guard Schema.history.works(with: version, oldest: oldest.first ?? version) else {
            throw SQLiteFailure.newerSchema(path, version: version)
        }
        return version
    }

    /// Brings the tables to this version, in one transaction.
    private func migrate(_ connection: Connection) throws(QueueError) {
        try useWriteAheadLog(connection)
        try connection.beginWriting()
        // Another process may have migrated since.
        let version = try version(connection)
        if version >= Schema.version { return try connection.commit(keeping: false) }
        for statement in Schema.history.statements(from: version) {
            try connection.execute(statement)
        }
        try connection.execute(
            """
            UPDATE sluice_schema
            SET version = \(Schema.version), oldest = max(oldest, \(Schema.history.oldest))
            """)
        if version == 0 {
            var random = SystemRandom()
            let words: [UInt64] = [random.next(), random.next()]
            let identity = words.map { String($0, radix: 36) }.joined()
            try connection.execute(
                """
                INSERT INTO sluice_store (identity, durability, pauses, version)
                VALUES ('\(identity)', '\(durability.rawValue)', '[]', 1)
                """)
        }
        try connection.commit(keeping: false)
    }

    /// Sets the write-ahead mode. SQLite's busy timeout does not apply to this statement, so the
    /// function waits for other processes itself.
    private func useWriteAheadLog(_ connection: Connection) throws(QueueError) {
        let begun = SystemClock.monotonicNanoseconds()
        let pause = WaitPause(shortestMicroseconds: 500, longestMicroseconds: 50_000)
        var random = SystemRandom()
        var modes: [String] = []
        while modes.isEmpty {
            do {
                modes = try connection.rows(once: "PRAGMA journal_mode = WAL") { $0.text(0) }
            } catch {
                let waited = SystemClock.monotonicNanoseconds() - begun
                guard error.code == .storeBusy, waited < BusyWait.timeoutNanoseconds
                else { throw error }
                Thread.pause(
                    microseconds: pause.microseconds(waitedNanoseconds: waited, using: &random))
            }
        }
        guard modes == ["wal"] else {
            throw QueueError(
                .notAStore, "\(path) cannot have a write-ahead log here",
                fix: "put it on a local disk")
        }
    }

    private func storedDurability(
        _ connection: Connection
    ) throws(QueueError) -> StoreRecord.Durability {
        let words = try connection.rows(once: "SELECT durability FROM sluice_store") {
            $0.text(0)
        }
        guard let word = words.first, let stored = StoreRecord.Durability(rawValue: word) else {
            throw SQLiteFailure.damaged(path, "what holds for the store is missing")
        }
        return stored
    }
}
