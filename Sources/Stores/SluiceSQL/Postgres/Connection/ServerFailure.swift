import SluiceModel
import SluiceSystem

/// The only conversion of errors of the server or its library to messages for people.
struct ServerFailure {
    /// The store's name, without secrets.
    let store: String

    func error(_ error: PostgresError) -> QueueError {
        switch error.origin {
        case .library:
            QueueError(.notAStore, "\(store): \(error.message)", fix: "install it and try again")
        case .address:
            QueueError(
                .badValue, "\(store) is not an address that can be read",
                fix: "postgres://USER@HOST:PORT/DATABASE, with % and two digits for all but"
                    + " letters, digits and - . _ ~")
        case .passwordMissing:
            QueueError(
                .denied, "\(store) wants a password, and none was found",
                fix: "put it into ~/.pgpass, a service file or PGPASSWORD")
        case .lost:
            gone("the connection to \(store) ended", error)
        case .connecting(let code):
            connecting(code, error)
        case .statement(let code):
            statement(code, error)
        }
    }

    /// The store is unavailable; the engine tries again automatically.
    private func gone(_ what: String, _ error: PostgresError) -> QueueError {
        let said = error.message.isEmpty ? "" : ": \(error.message)"
        return QueueError(
            .serverGone, what + said,
            fix: "look at the server; a worker and a console try again")
    }

    private func connecting(_ code: String?, _ error: PostgresError) -> QueueError {
        switch code {
        case "28P01"?, "28000"?:
            QueueError(
                .denied, "\(store) refused this role or its password: \(plain(error))",
                fix: "look at the role, at ~/.pgpass and at pg_hba.conf of the server")
        case "3D000"?:
            QueueError(
                .noStore, "\(store): \(plain(error))", fix: "createdb makes a database")
        case "42501"?:
            QueueError(
                .denied, "\(store): \(plain(error))",
                fix: "let its owner GRANT CONNECT ON DATABASE to this role")
        default:
            if code == "53300" || Self.areTooMany(error) {
                QueueError(
                    .storeBusy, "\(store) has no connection left: \(plain(error))",
                    fix: "end other programs, or raise the limit (max_connections, or that of "
                        + "the role or database)")
            } else if let mistake = mistake(error) {
                mistake
            } else {
                gone("\(store) does not answer", error)
            }
        }
    }

    /// Whether the server has no connection left. The library does not always give the code.
    private static func areTooMany(_ error: PostgresError) -> Bool {
        ["too many clients", "too many connections", "remaining connection slots"].contains {
            error.message.contains($0)
        }
    }

    /// An error that no retry fixes: its message or the certificates name the cause.
    private func mistake(_ error: PostgresError) -> QueueError? {
        let said = error.message
        if said.contains("definition of service") || said.contains("invalid") {
            return QueueError(
                .badValue, "\(store): \(plain(error))",
                fix: "look at the address, at PGSERVICE and at ~/.pg_service.conf")
        }
        let words = ["certificate", "does not support SSL", "SSL error"]
        guard words.contains(where: { said.contains($0) }) else { return nil }
        return QueueError(
            .denied, "\(store) cannot be trusted, or not secretly: \(plain(error))",
            fix: "look at sslmode, at sslrootcert and at the server's ssl")
    }

    private func statement(_ code: String, _ error: PostgresError) -> QueueError {
        if let known = refused(code, error) { return known }
        switch code.prefix(2) {
        case "08", "57":
            return gone("\(store) ended the connection", error)
        case "40":
            return QueueError(
                .storeBusy, "\(store) undid it for the sake of others: \(plain(error))",
                fix: "repeat it")
        case "53":
            return QueueError(
                .storeBusy, "\(store) has not enough of something: \(plain(error))",
                fix: "look at the server")
        case "54":
            return QueueError(
                .payloadTooLarge, "a value is larger than \(store) can hold",
                fix: "hand over a smaller payload")
        case "23":
            return .notLegal(
                "\(store) refused a row: \(plain(error))", fix: "nothing was changed")
        default:
            return QueueError(
                .damagedStore, "\(store) cannot be used as it is: \(plain(error)) (\(code))",
                fix: "copy it away with pg_dump, then sluice doctor says what can be saved")
        }
    }

    private func refused(_ code: String, _ error: PostgresError) -> QueueError? {
        switch code {
        case "42501":
            QueueError(.denied, "\(store): \(plain(error))", fix: Self.grant(error.message))
        case "53100": .diskFull(store)
        case ServerLimits.lockedTooLong:
            QueueError(
                .storeBusy,
                "\(store) has been locked by another process for \(ServerLimits.lockSeconds) s",
                fix: "look for a program that keeps a transaction on it open")
        case "57014":
            QueueError(
                .storeBusy,
                "\(store) ended a question: \(plain(error))",
                fix: "look at what else the server does, and at the role's statement_timeout")
        case "25P03":
            gone("\(store) ended a transaction that did nothing", error)
        case "25006":
            QueueError(
                .readOnly, "\(store) takes no change: it is a standby, or set to read only",
                fix: "name the primary, or open it with --read-only")
        case "42P01", "3F000":
            QueueError(
                .noStore, "the tables of \(store) were removed while it was open",
                fix: "open it again")
        case ServerLimits.otherVersion: newerSchema(nil)
        default: nil
        }
    }

    /// Another store has the name by now.
    func replaced() -> QueueError {
        QueueError(
            .noStore, "the tables of \(store) were removed while it was open, and made anew",
            fix: "open it again: it is another store now")
    }

    /// Which right is missing, by what the server says of it.
    private static func grant(_ said: String) -> String {
        said.contains("for database")
            ? "let the owner of the database GRANT CREATE on it to this role, or make an empty"
                + " schema sluice for it"
            : "let the owner of the schema sluice GRANT USAGE on it, and SELECT, INSERT, UPDATE,"
                + " DELETE on its tables, to this role"
    }

    /// Another process holds a lock for longer than the limit.
    func locked(by blocker: ServerBlocker) -> QueueError {
        let what = blocker.table.map { "table \($0) of \(store)" } ?? "\(store)"
        let by = blocker.program.isEmpty ? "" : " (\(blocker.program))"
        return QueueError(
            .storeBusy,
            "\(what) has been locked by process \(blocker.process)\(by) of the server for"
                + " \(ServerLimits.lockSeconds) s",
            fix: "end that transaction: SELECT pg_terminate_backend(\(blocker.process))")
    }

    private func plain(_ error: PostgresError) -> String {
        // The prefix names the address, which the message already has.
        guard let range = error.message.utf8.firstIndex(of: UInt8(ascii: "F")),
            error.message[range...].hasPrefix("FATAL:")
        else {
            let parts = error.message.split(separator: "FATAL:")
            return (parts.last.map(String.init) ?? error.message).trimmed
        }
        return String(error.message[range...].dropFirst(6)).trimmed
    }

    func newerSchema(_ version: Int?) -> QueueError {
        let found = version.map { "version \($0)" } ?? "another version by now"
        return QueueError(
            .newerSchema,
            "\(store) has \(found), and this Sluice knows up to \(ServerSchema.version)",
            fix: "use a newer Sluice")
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// The limits of waits, and the codes of errors after them.
enum ServerLimits {
    static let lockSeconds = 10
    /// The code of a wait for a lock that took longer.
    static let lockedTooLong = "55P03"
    static let statementSeconds = 120
    /// Whether a code is about the values of one statement, which others may do without.
    static func isOwnFailure(_ code: String) -> Bool {
        code != otherVersion && ["22", "23", "54"].contains { code.hasPrefix($0) }
    }
    /// A process that stops in the middle of a transaction holds the others up for so long.
    static let idleSeconds = 30
    /// Division by zero: the version check ends with it for another version.
    static let otherVersion = "22012"
}
