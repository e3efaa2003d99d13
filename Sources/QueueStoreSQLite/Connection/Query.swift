/// One SQL statement of the engine: prepared once on each connection, found by its identity.
final class Query: Sendable {
    let sql: String

    init(_ sql: String) { self.sql = sql }
}
