import SluiceModel
import SluiceSystem

/// A statement of one connection. What only changes rows is sent without waiting for the answer.
final class ServerStatement: BoundStatement {
    let sql: String
    /// The name of the prepared statement, on connections without a pooler.
    let name: String
    private let isChange: Bool
    private let isConfiguration: Bool
    private unowned let connection: ServerConnection
    /// The form for many rows, if there is one.
    let many: ManyRows?
    private var manyForms: [[ManyRows.Column]: (sql: String, name: String)] = [:]
    private var namedTables: [String: Bool] = [:]
    private(set) var values: [ServerValue] = []
    private var rows: PostgresRows?
    private var row = -1

    init(
        _ sql: String, _ change: RowChange? = nil, isConfiguration: Bool = false, name: String,
        of connection: ServerConnection
    ) {
        self.sql = sql
        self.isConfiguration = isConfiguration
        self.name = name
        self.connection = connection
        isChange = ["INSERT", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
        many = change.map { ManyRows($0, schema: connection.schema) }
    }

    /// The result of a statement that was sent together with others.
    init(
        answering statement: ServerStatement, with rows: PostgresRows,
        of connection: ServerConnection
    ) {
        (sql, name, isChange, many) = (statement.sql, statement.name, false, nil)
        isConfiguration = statement.isConfiguration
        self.connection = connection
        self.rows = rows
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
        values.removeAll(keepingCapacity: true)
        rows = nil
        row = -1
    }

    func bind(_ number: Int64) { values.append(.integer(number)) }

    func bind(_ number: Double?) {
        values.append(number.map(ServerValue.double) ?? .null)
    }

    func bind(_ text: String) { values.append(.text(ServerText.stored(text))) }

    func bind(_ bytes: [UInt8]) { values.append(.bytes(bytes)) }

    func bind(_ key: SortKey?) {
        values.append(key.map { .text(ServerText.stored($0)) } ?? .null)
    }

    func bindNull() { values.append(.null) }

    /// Numbers for `= ANY (?)`.
    func bind(_ numbers: [Int64]) {
        values.append(.text("{" + numbers.map(String.init).joined(separator: ",") + "}"))
    }

    func names(_ table: String) -> Bool {
        if let known = namedTables[table] { return known }
        let isNamed = sql[...].range(of: table) != nil
        namedTables[table] = isNamed
        return isNamed
    }

    /// Whether it is about tables that hardly ever change, and about no other.
    private(set) lazy var isAboutScenery =
        isConfiguration
        || names(anyOf: ServerAnswers.configuration) && !names(anyOf: ServerAnswers.rest)

    /// Whether its result stays valid until its tables change. Heartbeats change without notice.
    private(set) lazy var holdsStill = sql[...].range(of: "FOR UPDATE") == nil

    private(set) lazy var changesConfiguration = names(anyOf: ServerAnswers.configuration)

    private func names(anyOf tables: [String]) -> Bool {
        tables.contains { names("\(connection.schema).\($0)") }
    }

    /// Whether rows with these column kinds have a statement, or may get one; the number of forms
    /// is limited.
    func mayTake(_ columns: [ManyRows.Column]) -> Bool {
        columns.contains(where: \.isEach)
            && (manyForms.count < Self.formLimit || manyForms[columns] != nil)
    }

    /// The statement for rows with these column kinds, and its prepared name.
    func form(
        _ many: ManyRows, _ columns: [ManyRows.Column]
    ) -> (sql: String, name: String) {
        if let known = manyForms[columns] { return known }
        let made = (many.text(columns), "\(name)_\(manyForms.count)")
        manyForms[columns] = made
        return made
    }

    /// The maximum number of column-kind combinations with a separate statement.
    private static let formLimit = 16
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
