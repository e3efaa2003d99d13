import SluiceModel
import SluiceSystem

/// One connection to a PostgreSQL database whose tables are another system's: every question is
/// answered by JSON.
final class SQLSession {
    let connection: PostgresConnection
    /// The number of transactions so far. A changed number makes earlier counts stale.
    private(set) var changes = 0

    init(_ address: String) throws {
        connection = try PostgresConnection(PostgresSettings(address), isPipelined: false)
        try connection.run("SET client_min_messages = warning; SET timezone = 'UTC'")
    }

    /// Sets the schema for table names in later statements.
    func use(schema: String) throws {
        try connection.run("SET search_path = \(Self.name(schema))")
    }

    /// A text as an SQL literal. Throws `badValue` for a text with the character zero, which
    /// PostgreSQL cannot store.
    static func literal(_ text: String) throws -> String {
        guard !text.utf8.contains(0) else {
            throw QueueError(.badValue, "PostgreSQL has no texts with the character zero")
        }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        let slashed = parts.joined(separator: "''")
            .split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        // Escape `$`, which could end a surrounding block, and `@`, the sign for the row.
        let plain = slashed.split(separator: "$", omittingEmptySubsequences: false)
            .joined(separator: "\\x24").split(separator: "@", omittingEmptySubsequences: false)
        return "E'\(plain.joined(separator: "\\x40"))'"
    }

    static func moment(_ moment: Timestamp) throws -> String {
        try literal(TimeText.rfc3339(moment)) + "::timestamptz"
    }

    /// The name of something in a statement.
    static func name(_ text: String) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(parts.joined(separator: "\"\""))\""
    }

    /// The rows of a question that only reads, each by the names of its columns.
    func rows(_ sql: String) throws -> [JSONValue] {
        Self.rows(try connection.value(of: Self.json(of: sql)))
    }

    /// The rows of several questions, in one round trip.
    func rows(of questions: [String]) throws -> [[JSONValue]] {
        let told = try connection.values(of: questions.map(Self.json))
        if let failure = told.failure { throw failure }
        return told.values.map(Self.rows)
    }

    private static func json(of sql: String) -> String {
        "SELECT coalesce(json_agg(row_to_json(sluice)), '[]')::text FROM (\(sql)) sluice"
    }

    private static func rows(_ text: String) -> [JSONValue] {
        (try? JSONValue.parse(text))?.array ?? []
    }

    func run(_ statements: String) throws { try connection.run(statements) }

    /// The one value that a statement gives; empty where it gives none.
    func value(of statement: String) throws -> String { try connection.value(of: statement) }

    /// Runs statements as one transaction, which waits at most 2 s for a lock.
    func change(_ statements: String) throws {
        changes += 1
        do throws(PostgresError) {
            try connection.run(
                "BEGIN; SET LOCAL lock_timeout = '2s'; \(statements); COMMIT")
        } catch {
            // After a failure the transaction waits for its end.
            if error.origin != .lost { try connection.run("ROLLBACK") }
            if error.message.contains("sluice: changed") {
                throw QueueError(
                    .changed, "the task has changed: it is not where it was",
                    fix: "look at it again and repeat the verb")
            }
            throw error
        }
    }

    /// Changes rows in a transaction that waits for no lock longer than a moment; gives the one
    /// value of the last statement.
    func changed(_ statements: String, _ last: String) throws -> JSONValue? {
        changes += 1
        do throws(PostgresError) {
            try connection.run("BEGIN; SET LOCAL lock_timeout = '2s'; \(statements)")
            let text = try connection.value(of: last)
            try connection.run("COMMIT")
            return try? JSONValue.parse(text)
        } catch {
            if error.origin != .lost { try connection.run("ROLLBACK") }
            throw error
        }
    }

    /// The database's transaction snapshot. It changes with every commit, and equal snapshots see
    /// the same rows.
    func stamp() throws -> String {
        try connection.value(of: "SELECT txid_current_snapshot()::text")
    }

    /// The planner's estimated rows and cost of each query, in one round trip.
    func plans(_ questions: [String]) throws -> [(rows: Int, cost: Double)] {
        let told = try connection.values(of: questions.map { "EXPLAIN (FORMAT JSON) \($0)" })
        if let failure = told.failure { throw failure }
        return told.values.map { text in
            let plan = (try? JSONValue.parse(text))?[0]?["Plan"]
            return (
                Int(clamping: plan?["Plan Rows"]?.integer ?? 0),
                plan?["Total Cost"]?.double ?? .infinity
            )
        }
    }

    /// Runs queries in one round trip, with a limit of `all` milliseconds in total and `each` for
    /// one query. A query that exceeds the limit gives `nil`.
    func rows(
        _ questions: [String], within all: Int64, each: Int64 = .max
    ) throws -> [[JSONValue]?] {
        var found: [[JSONValue]?] = []
        let deadline = SystemClock.monotonicMilliseconds() + all
        while found.count < questions.count {
            let left = deadline - SystemClock.monotonicMilliseconds()
            guard left > 0 else { break }
            // Measure from the server's receipt of the statements. The setting ends with the
            // transaction.
            let setting = """
                SELECT set_config('statement_timeout', greatest(1, least(\(min(each, left)), \(left)
                - (extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000)::int)
                )::text, true)
                """
            let rest = questions[found.count...]
            let told = try connection.values(
                of: rest.flatMap { [setting, Self.json(of: $0)] })
            for place in stride(from: 1, to: told.values.count, by: 2) {
                found.append(Self.rows(told.values[place]))
            }
            guard let failure = told.failure else { break }
            guard failure.code == "57014" else { throw failure }
            // The one that took too long.
            found.append(nil)
        }
        return found + Array(repeating: nil, count: questions.count - found.count)
    }

    /// Statements that fail as `changed` where the last of them changed no row.
    static func requireRow(_ statement: String) -> String {
        """
        DO $sluice$ BEGIN \(statement);
        IF NOT FOUND THEN RAISE EXCEPTION 'sluice: changed'; END IF; END $sluice$
        """
    }
}

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
