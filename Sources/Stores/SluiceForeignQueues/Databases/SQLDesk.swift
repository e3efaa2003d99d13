import SluiceModel
import SluicePostgresClient

/// One connection to a PostgreSQL database whose tables are another system's: every question is
/// answered by JSON.
final class SQLDesk {
    let connection: PostgresConnection
    /// How many transactions it has made: what was counted before is not what is.
    private(set) var changes = 0

    init(_ address: String) throws {
        connection = try PostgresConnection(PostgresSettings(address), isPipelined: false)
        try connection.run("SET client_min_messages = warning; SET timezone = 'UTC'")
    }

    /// A text as it stands in a statement; the database has no character zero.
    static func literal(_ text: String) throws -> String {
        guard !text.utf8.contains(0) else {
            throw QueueError(.badValue, "PostgreSQL has no texts with the character zero")
        }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        let slashed = parts.joined(separator: "''")
            .split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        // No dollar, so that it ends no block that it stands in, and no sign of a row.
        let plain = slashed.split(separator: "$", omittingEmptySubsequences: false)
            .joined(separator: "\\x24").split(separator: "@", omittingEmptySubsequences: false)
        return "E'\(plain.joined(separator: "\\x40"))'"
    }

    /// A moment as it stands in a statement.
    static func moment(_ moment: Timestamp) throws -> String {
        try literal(TimeText.rfc3339(moment)) + "::timestamptz"
    }

    /// The same, or NULL.
    static func literal(_ text: String?) throws -> String {
        guard let text else { return "NULL" }
        return try literal(text)
    }

    /// The name of something in a statement.
    static func name(_ text: String) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"\(parts.joined(separator: "\"\""))\""
    }

    /// The rows of a question that only reads, each by the names of its columns.
    func rows(_ sql: String) throws -> [JSONValue] {
        let text = try connection.value(
            of: "SELECT coalesce(json_agg(row_to_json(sluice)), '[]')::text FROM (\(sql)) sluice")
        guard let rows = try? JSONValue.parse(text) else { return [] }
        return rows.array ?? []
    }

    /// Runs statements one by one.
    func run(_ statements: String) throws { try connection.run(statements) }

    /// The one value that a statement gives; empty where it gives none.
    func value(of statement: String) throws -> String { try connection.value(of: statement) }

    /// Runs statements as one transaction, which waits for no lock longer than a moment.
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
                    .changed, "the task changed meanwhile: it is not where it was",
                    fix: "look at it again and repeat the verb")
            }
            throw error
        }
    }

    /// Statements that fail as `changed` where the last of them changed no row.
    static func must(_ statement: String) -> String {
        """
        DO $sluice$ BEGIN \(statement);
        IF NOT FOUND THEN RAISE EXCEPTION 'sluice: changed'; END IF; END $sluice$
        """
    }
}
