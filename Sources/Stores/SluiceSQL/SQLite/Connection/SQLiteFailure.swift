import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceSystem

/// The only conversion of SQLite's result codes to messages for people.
enum SQLiteFailure {
    /// The error for an extended result code about the store at `path`.
    static func error(_ code: Int32, message: String, path: String) -> QueueError {
        switch code & 0xFF {
        case SQLITE_CANTOPEN where isGone(path), SQLITE_IOERR where isGone(path),
            SQLITE_READONLY where isGone(path):
            return moved(path)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return busy(path)
        case SQLITE_FULL:
            return .diskFull(path)
        case SQLITE_IOERR where code == csq_no_room_beside:
            return .diskFull(path)
        case SQLITE_READONLY:
            return readOnly(code, path)
        case SQLITE_NOTADB:
            return notADatabase(path)
        case SQLITE_CORRUPT:
            return damaged(path, message)
        case SQLITE_IOERR, SQLITE_NOMEM:
            return QueueError(
                .denied, "\(path) cannot be worked with: \(message)",
                fix: "look at its disk and at the memory that is left")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            return denied(path)
        case SQLITE_TOOBIG:
            return QueueError(
                .payloadTooLarge, "a value is larger than \(path) can hold",
                fix: "hand over a smaller payload")
        case SQLITE_CONSTRAINT:
            return .notLegal("\(path) refused a row: \(message)", fix: "nothing was changed")
        default:
            return damaged(path, message)
        }
    }

    /// The error for a call to the operating system about the store at `path`.
    static func error(_ error: SystemError, path: String) -> QueueError {
        switch error.errorNumber {
        case csq_no_space: .diskFull(path)
        case csq_read_only_system: readOnly(SQLITE_READONLY, path)
        default:
            QueueError(
                error.isMissing ? .noStore : .denied, error.sentence,
                fix: "look at the folder \(Files.parent(of: path))")
        }
    }

    static func damaged(_ path: String, _ what: String) -> QueueError { .damaged(path, what) }

    /// Whether a result code is a sign of damage.
    static func isDamage(_ code: Int32) -> Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
    }

    static func notADatabase(_ path: String) -> QueueError {
        QueueError(
            .notAStore, "\(path) is not an SQLite file",
            fix: "name another path: sluice init PATH makes a store")
    }

    static func newerSchema(_ path: String, version: Int?) -> QueueError {
        let found = version.map { "version \($0)" } ?? "a newer version by now"
        return QueueError(
            .newerSchema,
            "\(path) has \(found), and this Sluice knows up to \(Schema.version)",
            fix: "use a newer Sluice")
    }

    static func denied(_ path: String) -> QueueError {
        QueueError(
            .denied, "\(path) may not be read and written by this user",
            fix: "ask its owner")
    }

    static func moved(_ path: String) -> QueueError {
        QueueError(
            .noStore, "\(path) was removed or replaced while it was open",
            fix: "open it again")
    }

    /// The lock stayed taken: names the holder if the kernel knows it.
    private static func busy(_ path: String) -> QueueError {
        guard let holder = FileBlocker(path) else {
            return QueueError(
                .storeBusy, "\(path) has been locked for 10 s, with no commit in that time",
                fix: "try again; fuser \(ShellWord.quoted(path)) says who has it open")
        }
        return QueueError(
            .storeBusy,
            "\(path) has been locked by process \(holder.process) (\(holder.program)) for 10 s, "
                + "with no commit in that time",
            fix: "end its transaction, or that process")
    }

    /// Whether the file is missing: it may be removed between any two calls.
    private static func isGone(_ path: String) -> Bool {
        do { return try Files.status(path) == nil } catch { return false }
    }

    private static func readOnly(_ code: Int32, _ path: String) -> QueueError {
        if code == csq_moved { return moved(path) }
        return QueueError(
            .readOnly, "\(path) or its folder cannot be written, so nothing was changed",
            fix: "open it with --read-only")
    }
}
