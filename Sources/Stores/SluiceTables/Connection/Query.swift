import SluicePlatform

/// One SQL statement of the engines: prepared once on each connection, found by its number.
///
/// It is spelled as SQLite has it. Values are `?`, or `?1` and so on where one is named twice; the
/// tables begin with `sluice_`.
package final class Query: Sendable {
    /// Its place in the list of statements of each connection.
    package let number: Int
    private let text: @Sendable () -> String
    private let otherText: @Sendable () -> String?
    /// What it does to a row, where it changes one by what is bound alone.
    package let change: RowChange?

    private static let count = Protected(0)

    /// Its words are put together when a connection prepares it, not before.
    package init(
        _ sql: @autoclosure @escaping @Sendable () -> String,
        other: @autoclosure @escaping @Sendable () -> String? = nil, change: RowChange? = nil
    ) {
        self.change = change
        text = sql
        otherText = other
        number = Self.count.withLock { count in
            defer { count += 1 }
            return count
        }
    }

    /// A change of one row.
    package convenience init(_ change: RowChange) { self.init(change.sql, change: change) }

    package var sql: String { text() }
    /// The same where another database has other words for it and no rule translates them.
    package var other: String? { otherText() }
}
