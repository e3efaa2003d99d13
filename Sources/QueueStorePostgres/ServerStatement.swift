import PostgresClient
import QueueModel
import QueueStoreTables

/// A statement of one connection. What only changes rows is sent without waiting for the answer.
final class ServerStatement: BoundStatement {
    let sql: String
    /// By what it is prepared on a connection that stays with one process of the server.
    let name: String
    private let isChange: Bool
    private unowned let connection: ServerConnection
    private var values = PostgresValues()
    private var rows: PostgresRows?
    private var row = -1

    init(_ sql: String, name: String, of connection: ServerConnection) {
        self.sql = sql
        self.name = name
        self.connection = connection
        isChange = ["INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
    }

    func next() throws(QueueError) -> Bool {
        if isChange {
            try connection.change(self, values)
            return false
        }
        if rows == nil { rows = try connection.rows(self, values) }
        row += 1
        return row < rows?.count ?? 0
    }

    func run() throws(QueueError) {
        defer { reset() }
        _ = try next()
    }

    func run(bindingLast bytes: [UInt8]) throws(QueueError) {
        bind(bytes)
        try run()
    }

    func reset() {
        values.removeAll()
        rows = nil
        row = -1
    }

    func bind(_ number: Int64) { values.add(number) }

    func bind(_ number: Double?) {
        if let number { values.add(number) } else { values.addNull() }
    }

    func bind(_ text: String) { values.add(ServerText.stored(text)) }

    func bind(_ bytes: [UInt8]) { values.add(bytes) }

    func bind(_ key: SortKey?) {
        if let key { values.add(ServerText.stored(key)) } else { values.addNull() }
    }

    func bindNull() { values.addNull() }

    /// Numbers for `= ANY (?)`.
    func bind(_ numbers: [Int64]) {
        values.add("{" + numbers.map(String.init).joined(separator: ",") + "}")
    }
}

extension ServerStatement {
    func isNull(_ column: Int32) -> Bool { rows?.isNull(row, column) ?? true }

    // No column of this database holds now the one and now the other.
    func isText(_ column: Int32) -> Bool { false }
    func isInteger(_ column: Int32) -> Bool { false }

    func integer(_ column: Int32) -> Int64 { rows?.integer(row, column) ?? 0 }

    func optionalDouble(_ column: Int32) -> Double? {
        isNull(column) ? nil : rows?.double(row, column)
    }

    func text(_ column: Int32) -> String { ServerText.read(rows?.text(row, column) ?? "") }

    func bytes(_ column: Int32) -> [UInt8] { rows?.bytes(row, column) ?? [] }

    func sortKey(_ column: Int32) throws(QueueError) -> SortKey? {
        guard !isNull(column), let rows else { return nil }
        guard let key = ServerText.sortKey(rows.text(row, column)) else {
            throw .damagedRow("a sort key")
        }
        return key
    }
}
