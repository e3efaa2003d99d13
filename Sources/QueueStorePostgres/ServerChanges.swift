import PostgresClient

/// The changes of a transaction that were not sent yet: rows of one statement go together.
///
/// Each statement changes one table by what is bound to it alone, so that those of different tables
/// may change places; those of one table never do.
struct ServerChanges {
    /// So many rows go at once at most.
    static let rowLimit = 2000

    /// Rows of one statement.
    struct Batch {
        let statement: ServerStatement
        var rows: [[ServerValue]]
    }

    private struct Pending {
        var batch: Batch
        var keys: Set<[ServerValue]> = []
    }

    private var pending: [(table: String, rows: Pending)] = []

    var isEmpty: Bool { pending.isEmpty }

    /// Keeps a row back; gives what must be sent at once, in this order.
    mutating func add(_ statement: ServerStatement, _ row: [ServerValue]) -> [Batch] {
        guard let many = statement.many else {
            return take() + [Batch(statement: statement, rows: [row])]
        }
        var due: [Batch] = []
        let key = many.keys.map { row[$0] }
        if let index = pending.firstIndex(where: { $0.table == many.table }) {
            let rows = pending[index].rows
            let isFull = rows.batch.rows.count >= Self.rowLimit
            if rows.batch.statement === statement, !isFull, !rows.keys.contains(key) {
                pending[index].rows.batch.rows.append(row)
                if !key.isEmpty { pending[index].rows.keys.insert(key) }
                return []
            }
            due.append(rows.batch)
            pending.remove(at: index)
        }
        let batch = Batch(statement: statement, rows: [row])
        pending.append((many.table, Pending(batch: batch, keys: key.isEmpty ? [] : [key])))
        return due
    }

    /// Everything that was kept back.
    mutating func take() -> [Batch] {
        defer { pending.removeAll() }
        return pending.map(\.rows.batch)
    }

    /// What was kept back of the tables that a question is about.
    mutating func take(askedBy question: ServerStatement) -> [Batch] {
        let due = pending.filter { question.names($0.table) }
        guard !due.isEmpty else { return [] }
        pending.removeAll { question.names($0.table) }
        return due.map(\.rows.batch)
    }
}

extension ServerChanges.Batch {
    /// Fewer rows go one by one, in words that are known to the server already.
    private static let fewRows = 3

    /// Words, the name by which they are prepared, and values.
    typealias Message = (sql: String, name: String, values: PostgresValues)

    var messages: [Message] {
        guard rows.count > Self.fewRows, let many = statement.many, let kinds else {
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
