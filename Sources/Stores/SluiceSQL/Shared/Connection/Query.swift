import SluiceSystem

/// One SQL statement of the engines, prepared once per connection and found by its number.
///
/// It uses SQLite's syntax. Values are `?`, or `?1` and so on if used twice; table names begin with
/// `sluice_`.
package final class Query: Sendable {
    /// Its place in the list of statements of each connection.
    package let number: Int
    private let text: @Sendable () -> String
    private let otherText: @Sendable () -> String?
    /// The row change, if the statement changes one row by bound values alone.
    package let change: RowChange?
    /// Whether its rows change only in commits that also change a row of the configuration, in
    /// spite of the other tables that it reads.
    package let isConfiguration: Bool

    private static let count = Protected(0)

    /// Builds the text when a connection prepares it, not earlier.
    package init(
        _ sql: @autoclosure @escaping @Sendable () -> String,
        other: @autoclosure @escaping @Sendable () -> String? = nil, change: RowChange? = nil,
        isConfiguration: Bool = false
    ) {
        self.change = change
        self.isConfiguration = isConfiguration
        text = sql
        otherText = other
        number = Self.count.withLock { count in
            defer { count += 1 }
            return count
        }
    }

    package convenience init(_ change: RowChange) { self.init(change.sql, change: change) }

    package var sql: String { text() }
    /// The same where another database has other words for it and no rule translates them.
    package var other: String? { otherText() }
}
