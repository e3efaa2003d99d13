/// One SQL statement of the engines: prepared once on each connection, found by its identity.
///
/// It is spelled as SQLite has it. Values are `?`, or `?1` and so on where one is named twice; the
/// tables begin with `sluice_`.
package final class Query: Sendable {
    package let sql: String
    /// The same where another database has other words for it and no rule translates them.
    package let other: String?

    package init(_ sql: String, other: String? = nil) {
        self.sql = sql
        self.other = other
    }
}
