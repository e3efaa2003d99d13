package import SluiceModel
package import SluiceStore

/// A value in a row of a table that an engine built on this one keeps in its file.
package enum TableValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
}

/// One statement about such tables, prepared once on each connection. Their names begin with
/// `sluice_` like all of Sluice's (T4).
package final class TableStatement: Sendable {
    let query: Query
    let columns: Int32

    /// A statement whose rows have `columns` columns.
    package init(_ sql: String, columns: Int32 = 0) {
        query = Query(sql)
        self.columns = columns
    }
}

/// Additional access in every body of an `SQLiteStore`: reads and writes rows of such tables in the
/// body's transaction.
package protocol TableAccess: StoreReader {
    /// Binds the values in order, runs the statement, and gives its rows.
    @discardableResult
    func rows(
        _ statement: TableStatement, _ values: [TableValue]
    ) throws(QueueError) -> [[TableValue]]
}

extension TableReader: TableAccess {
    package func rows(
        _ statement: TableStatement, _ values: [TableValue]
    ) throws(QueueError) -> [[TableValue]] {
        let row = try connection.prepare(statement.query)
        defer { row.reset() }
        for value in values {
            switch value {
            case .null: row.bindNull()
            case .integer(let number): row.bind(number)
            case .text(let text): row.bind(text)
            }
        }
        var found: [[TableValue]] = []
        while try row.next() {
            found.append((0..<statement.columns).map { Self.value(row, $0) })
        }
        return found
    }

    private static func value(_ row: any BoundStatement, _ column: Int32) -> TableValue {
        if row.isNull(column) { return .null }
        return row.isText(column) ? .text(row.text(column)) : .integer(row.integer(column))
    }
}
