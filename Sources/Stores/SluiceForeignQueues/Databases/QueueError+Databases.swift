import SluiceMariaDBClient
import SluiceModel
import SluicePostgresClient
import SluiceSQLiteClient

/// Database errors in this program's words. A hint appears only if it is known to help.
extension PostgresError {
    /// Whether another row has the unique value.
    var isAboutKeys: Bool { code.map(Self.isAboutKeys) ?? false }

    fileprivate static func isAboutKeys(_ code: String) -> Bool {
        code == "23505" || code == "23P01"
    }
}

extension QueueError {
    init(_ error: PostgresError, _ name: String) {
        if case .library = error.origin {
            self.init(.notAStore, "\(name): \(error.message)", fix: "install it and try again")
            return
        }
        self.init(sqlstate: error.code, "\(name): \(error.message)")
    }

    /// By the code of the server's answer; nil where it gave none.
    init(sqlstate code: String?, _ text: String) {
        guard let code else {
            self.init(.serverGone, text, fix: "check the server and try again")
            return
        }
        switch code {
        case "42501": self.init(.denied, text, fix: "ask with a role that may")
        case "28000", "28P01": self.init(.denied, text, fix: "check the role and its password")
        case "3D000": self.init(.notAStore, text, fix: "check the name of the database")
        case "25006":
            self.init(.readOnly, text, fix: "ask the server that takes changes, not a copy of it")
        case "55P03":
            self.init(.storeBusy, text, fix: "another transaction has the rows: try again")
        case "57014":
            self.init(
                .storeBusy, text, fix: "look at the role's statement_timeout, or try again")
        case "42P01", "42703", "42704", "42883", "22P02":
            self.init(
                .notAStore, "\(text) (\(code)): this version of its tables is not known",
                fix: "docs/foreign/tables.md names the known versions")
        default: self.init(class: code, text)
        }
    }

    /// The error of the code's class, for a code without an error of its own.
    private init(class code: String, _ text: String) {
        switch code.prefix(2) {
        case "08", "57": self.init(.serverGone, text, fix: "check the server and try again")
        case "40": self.init(.storeBusy, text, fix: "try again")
        case "53": self.init(.storeBusy, text, fix: "look at the server's limits")
        case "23":
            self.init(PostgresError.isAboutKeys(code) ? .uniqueTaken : .notLegal, text)
        default: self.init(.denied, "\(text) (\(code))")
        }
    }

    /// Maps SQLite's result code; the lowest byte is the kind of error.
    init(_ error: SQLiteError, _ name: String) {
        let text = "\(name): \(error)"
        switch error.code & 0xff {
        case 3, 14, 23: self.init(.denied, text, fix: "check the file and its rights")
        case 5, 6: self.init(.storeBusy, text, fix: "another program has the file: try again")
        case 8: self.init(.readOnly, text, fix: "check the rights of the file and its folder")
        case 11, 26: self.init(.damagedStore, text)
        case 13: self.init(.diskFull, text, fix: "make room")
        default: self.init(.denied, text)
        }
    }
}

extension QueueError {
    /// Adds to a database's error that a part of the hold of a queue is in place.
    static func unfinishedHold<Value>(
        of queue: String, _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch {
            guard let failure = ofDatabase(error) else { throw error }
            let pause = ShellWord.command("pause", queue)
            let resume = ShellWord.command("resume", queue)
            throw QueueError(
                failure.code,
                "\(failure.message); arrivals in \(queue) are held, and what waited before is not "
                    + "all aside",
                fix: "sluice \(pause) continues, sluice \(resume) ends the hold")
        }
    }

    private static func ofDatabase(_ error: any Error) -> QueueError? {
        switch error {
        case let error as PostgresError: QueueError(sqlstate: error.code, error.message)
        case let error as MariaDBError: QueueError(number: error.number, error.message)
        case let error as SQLiteError: QueueError(error, "the file")
        default: nil
        }
    }
}
