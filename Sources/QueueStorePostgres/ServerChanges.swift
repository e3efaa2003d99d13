import PostgresClient

/// The changes of a transaction that were not sent yet: rows of one statement go together.
///
/// Each statement changes one table by what is bound to it alone, so that those of different tables
/// may change places; those of one table never do.
struct ServerChanges {
    /// So many rows go at once at most.
    static let rowLimit = 2000
    /// So many rows that a statement changes are worth a message of their own, so that the server
    /// is not idle while the next ones are made.
    static let updateLimit = 32
    /// So many rows go with the next question, whatever that is about: the server has time then.
    private static let manyRows = 8

    /// Rows of one statement.
    struct Batch {
        let statement: ServerStatement
        var rows: [[ServerValue]]
    }

    private struct Pending {
        let table: String
        var batch: Batch
        var keys: Set<[ServerValue]> = []
        /// The same where a row is found by one number.
        var numbers: Set<Int64> = []

        init(_ table: String, _ statement: ServerStatement) {
            self.table = table
            batch = Batch(statement: statement, rows: [])
        }

        /// Takes a row in; false where one of its key is there, or no room.
        mutating func take(_ row: [ServerValue], _ keys: [Int]) -> Bool {
            guard batch.rows.count < rowLimit, isNew(row, keys) else { return false }
            batch.rows.append(row)
            return true
        }

        private mutating func isNew(_ row: [ServerValue], _ keys: [Int]) -> Bool {
            if keys.isEmpty { return true }
            if keys.count == 1, case .integer(let number) = row[keys[0]] {
                return numbers.insert(number).inserted
            }
            return self.keys.insert(keys.map { row[$0] }).inserted
        }
    }

    private var pending: [Pending] = []

    var isEmpty: Bool { pending.isEmpty }

    /// Keeps a row back; gives what must be sent at once, in this order.
    mutating func add(_ statement: ServerStatement, _ row: [ServerValue]) -> [Batch] {
        guard let many = statement.many else {
            return take() + [Batch(statement: statement, rows: [row])]
        }
        var due: [Batch] = []
        if let index = pending.firstIndex(where: { $0.table == many.table }) {
            // Where it stands: a copy would be made of all its rows.
            if pending[index].batch.statement === statement,
                pending[index].take(row, many.keys)
            {
                guard many.isUpdate, pending[index].batch.rows.count >= Self.updateLimit
                else { return [] }
                return [pending.remove(at: index).batch]
            }
            due.append(pending.remove(at: index).batch)
        }
        var fresh = Pending(many.table, statement)
        _ = fresh.take(row, many.keys)
        pending.append(fresh)
        return due
    }

    /// Everything that was kept back.
    mutating func take() -> [Batch] {
        defer { pending.removeAll() }
        return pending.map(\.batch)
    }

    /// What has become many rows.
    mutating func takeMany() -> [Batch] {
        let due = pending.filter { $0.batch.rows.count >= Self.manyRows }
        if !due.isEmpty { pending.removeAll { $0.batch.rows.count >= Self.manyRows } }
        return due.map(\.batch)
    }

    /// What was kept back of the tables that a question is about.
    mutating func take(askedBy question: ServerStatement) -> [Batch] {
        let due = pending.filter { question.names($0.table) }
        guard !due.isEmpty else { return [] }
        pending.removeAll { question.names($0.table) }
        return due.map(\.batch)
    }
}

extension ServerChanges.Batch {
    /// So few rows go one by one, in words that are known to the server already; where no value is
    /// NULL, so that the words are always the same, only a single one does.
    private static let fewRows = 3

    /// Words, the name by which they are prepared, and values.
    typealias Message = (sql: String, name: String, values: PostgresValues)

    var messages: [Message] {
        guard rows.count > 1, let many = statement.many, let kinds,
            rows.count > Self.fewRows || !kinds.contains(nil)
        else {
            return rows.map { (statement.sql, statement.name, PostgresValues(row: $0)) }
        }
        let (sql, name) = statement.form(many, kinds)
        var values = PostgresValues()
        for (column, kind) in kinds.enumerated() {
            if let kind { values.add(column: column, of: rows, as: kind) }
        }
        return [(sql, name, values)]
    }

    /// The kind of each column; nil where one holds several.
    private var kinds: [ServerValue.Kind?]? {
        guard let first = rows.first else { return nil }
        var kinds = first.map(\.kind)
        for row in rows {
            for (column, value) in row.enumerated() {
                guard let kind = value.kind, kind != kinds[column] else { continue }
                guard kinds[column] == nil else { return nil }
                kinds[column] = kind
            }
        }
        return kinds
    }
}
