import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceSystem

/// Repairs a damaged file from its readable rows (P3): rebuilds the indexes if that is enough,
/// otherwise every table. Keeps the damaged file.
struct FileRepair {
    let path: String

    /// Returns the steps taken and the losses, one sentence each.
    func run() throws -> [String] {
        let kept = try keepCopy()
        var done = ["the damaged file is kept as \(kept)"]
        if try makeIndexes() {
            return done + ["the indexes were made anew from the rows: nothing was lost"]
        }
        done += try makeTables()
        return done
    }

    /// Copies the file and its log unchanged, with writers blocked.
    private func keepCopy() throws -> String {
        var number = 1
        while Files.exists("\(path).damaged-\(number)") { number += 1 }
        let kept = "\(path).damaged-\(number)"
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.beginWriting()
        for end in ["", "-wal"] where Files.exists(path + end) {
            try copy(path + end, to: kept + end)
        }
        try connection.control(.rollback)
        return kept
    }

    private func copy(_ source: String, to target: String) throws {
        do {
            let from = try FileDescriptor(opening: source, flags: 0)
            let to = try FileDescriptor(opening: target, flags: csq_create_new, mode: 0o600)
            to.giveToOwner(of: path)
            while case .bytes(let bytes) = try from.read(atMost: 1 << 20) {
                try to.writeAll(bytes)
            }
        } catch {
            throw SQLiteFailure.error(error, path: target)
        }
    }

    /// Rebuilds the indexes. Returns whether only these were damaged.
    private func makeIndexes() throws(QueueError) -> Bool {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.beginWriting()
        let tables = try connection.rows(
            once: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'sluice_*'"
        ) { $0.text(0) }
        if makesIndexes(of: tables, connection) {
            try connection.commit(keeping: true)
            return true
        }
        if connection.isInTransaction { try connection.control(.rollback) }
        return false
    }

    /// False if an index cannot be emptied, or if the rows contradict each other.
    private func makesIndexes(of tables: [String], _ connection: Connection) -> Bool {
        do {
            for table in tables { try connection.execute("REINDEX \(table)") }
            return try connection.integrityProblems(isQuick: false).isEmpty
        } catch {
            return false
        }
    }

    /// Rebuilds all tables in a second file, and replaces the damaged pages with its contents in
    /// one commit.
    private func makeTables() throws -> [String] {
        let fresh = "\(path).repair"
        defer { Self.forget(fresh) }
        Self.forget(fresh)
        do {
            _ = try FileDescriptor(opening: fresh, flags: csq_create_new, mode: 0o600)
        } catch {
            throw SQLiteFailure.error(error, path: fresh)
        }
        let new = try Connection(path: fresh, mode: .readWrite)
        let salvage = try Salvage(of: path, into: new)
        let lost = try salvage.run()
        guard try new.integrityProblems(isQuick: false).isEmpty else {
            throw QueueError.damaged(path, "what can be read of it makes no whole store")
        }
        let old = try Connection(path: path, mode: .readWrite)
        try old.copyPages(of: new)
        let summary = "the tables were made anew from the rows that could be read"
        return ["\(summary)\(lost.isEmpty ? ": nothing was lost" : "")"] + lost
    }

    private static func forget(_ path: String) {
        for end in ["", "-wal", "-shm", "-journal"] where Files.exists(path + end) {
            try? Files.remove(path + end)
        }
    }
}

extension Connection {
    /// Replaces all pages with the pages of another file, in one commit.
    func copyPages(of other: Connection) throws(QueueError) {
        guard let backup = sqlite3_backup_init(database, "main", other.database, "main") else {
            throw failure(sqlite3_errcode(database))
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw SQLiteFailure.error(code, message: "", path: path) }
    }
}

/// SQLite's own checks of a file (P3).
extension Connection {
    private enum Check {
        static let whole = Query("PRAGMA integrity_check(20)")
        static let quick = Query("PRAGMA quick_check(20)")
    }

    func integrityProblems(isQuick: Bool) throws(QueueError) -> [String] {
        let row = try prepare(isQuick ? Check.quick : Check.whole)
        defer { row.reset() }
        var problems: [String] = []
        while try row.next() { problems.append(row.text(0)) }
        return problems == ["ok"] ? [] : problems
    }

    func problems(in tables: [String]) throws(QueueError) -> [String] {
        for table in tables {
            let found = try rows(once: "PRAGMA integrity_check(\(table))") { $0.text(0) }
            if found != ["ok"] { return found }
        }
        return []
    }
}
