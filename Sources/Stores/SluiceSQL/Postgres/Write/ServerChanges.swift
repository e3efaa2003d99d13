import SluiceSystem

/// The unsent changes of a transaction: rows of one statement are sent together.
///
/// Each statement changes one table by bound values alone. So changes of different tables may be
/// reordered; changes of one table never are.
struct ServerChanges {
    /// The maximum number of rows in one message.
    static let rowLimit = 2000
    /// The number of rows worth a separate message, so that the server works while the next rows
    /// are prepared. For inserts and deletes it doubles after each message.
    static let firstLimit = 64
    /// The number of rows sent with the next query of any kind: the server has time then.
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
        /// The same, for rows identified by one number.
        var numbers: Set<Int64> = []
        /// The rows to remove from the table after that.
        var removal: Batch?
        let limit: Int

        var batches: [Batch] {
            (batch.rows.isEmpty ? [] : [batch]) + (removal.map { [$0] } ?? [])
        }

        init(_ table: String, _ statement: ServerStatement, limit: Int) {
            self.table = table
            self.limit = limit
            batch = Batch(statement: statement, rows: [])
        }

        /// Adds a row; false if a row of its key exists, or without room.
        mutating func take(_ row: [ServerValue], _ keys: [Int]) -> Bool {
            guard isNew(row, keys) else { return false }
            batch.rows.append(row)
            return true
        }

        /// Adds the removal of a row and drops the pending change of the row, which no reader sees.
        /// False if the removal finds its row by other columns, or if the batch is full.
        mutating func take(
            removal row: [ServerValue], by statement: ServerStatement, _ many: ManyRows
        ) -> Bool {
            guard many.isDelete, let own = batch.statement.many, own.isUpdate,
                let columns = many.conditions, columns == own.conditions,
                removal.map({ $0.statement === statement }) ?? true,
                removal?.rows.count ?? 0 < ServerChanges.rowLimit
            else { return false }
            let key = many.keys.map { row[$0] }
            if forget(key) { batch.rows.removeAll { other in own.keys.map { other[$0] } == key } }
            if removal == nil { removal = Batch(statement: statement, rows: []) }
            removal?.rows.append(row)
            return true
        }

        /// Whether a row of that key is in the batch; forgets its key.
        private mutating func forget(_ key: [ServerValue]) -> Bool {
            if key.count == 1, case .integer(let number) = key[0] {
                return numbers.remove(number) != nil
            }
            return keys.remove(key) != nil
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
    /// How many rows of a statement that was sent already make its next message.
    private var limits: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { pending.isEmpty }

    /// Buffers a row. Returns the changes to send now, in this order.
    mutating func add(_ statement: ServerStatement, _ row: [ServerValue]) -> [Batch] {
        guard let many = statement.many else {
            return take() + [Batch(statement: statement, rows: [row])]
        }
        var due: [Batch] = []
        if let index = pending.firstIndex(where: { $0.table == many.table }) {
            // Changed in place: a copy would duplicate all rows.
            if pending[index].take(removal: row, by: statement, many) { return [] }
            if pending[index].batch.statement === statement, pending[index].removal == nil,
                pending[index].take(row, many.keys)
            {
                let limit = pending[index].limit
                guard pending[index].batch.rows.count >= limit else { return [] }
                limits[ObjectIdentifier(statement)] =
                    many.isUpdate ? limit : min(2 * limit, Self.rowLimit)
                return [pending.remove(at: index).batch]
            }
            due += pending.remove(at: index).batches
        }
        let limit = limits[ObjectIdentifier(statement)] ?? Self.firstLimit
        var fresh = Pending(many.table, statement, limit: limit)
        _ = fresh.take(row, many.keys)
        pending.append(fresh)
        return due
    }

    mutating func take() -> [Batch] {
        defer { pending.removeAll() }
        return pending.flatMap(\.batches)
    }

    /// Takes the statements with many rows.
    mutating func drainMany() -> [Batch] {
        let due = pending.filter { $0.batch.rows.count >= Self.manyRows }
        if !due.isEmpty { pending.removeAll { $0.batch.rows.count >= Self.manyRows } }
        return due.flatMap(\.batches)
    }

    /// Takes the buffered changes of tables that a query reads.
    mutating func take(askedBy question: ServerStatement) -> [Batch] {
        let due = pending.filter { question.names($0.table) }
        guard !due.isEmpty else { return [] }
        pending.removeAll { question.names($0.table) }
        return due.flatMap(\.batches)
    }
}

extension ServerChanges.Batch {
    /// At most this number of rows go one by one, by prepared statements. Without NULL the
    /// statement for many rows is prepared too: then only a single row goes alone.
    private static let fewRows = 3

    /// The SQL, the name of its prepared statement, and the values.
    typealias Message = (sql: String, name: String, values: PostgresValues)

    var messages: [Message] {
        guard rows.count > 1, let many = statement.many, var columns,
            rows.count > Self.fewRows || !columns.contains(.null)
        else {
            return rows.map { (statement.sql, statement.name, PostgresValues(row: $0)) }
        }
        if rows.count > Self.fewRows {
            let fewer = columns.enumerated().map { alike($0, $1) }
            if statement.mayTake(fewer) { columns = fewer }
        }
        let (sql, name) = statement.form(many, columns)
        return [(sql, name, values(columns))]
    }

    private func values(_ columns: [ManyRows.Column]) -> PostgresValues {
        var values = PostgresValues()
        for (place, column) in columns.enumerated() {
            switch column {
            case .null: break
            case .same: values.add(rows[0][place])
            case .each(let kind): values.add(column: place, of: rows, as: kind)
            }
        }
        return values
    }

    /// Whether a column holds one value alone.
    private func alike(_ place: Int, _ column: ManyRows.Column) -> ManyRows.Column {
        guard case .each(let kind) = column, let first = rows.first?[place],
            rows.allSatisfy({ $0[place] == first })
        else { return column }
        return .same(kind)
    }

    /// The kinds of the columns, with an array for each that is not always NULL. `nil` if a column
    /// has values of several kinds.
    private var columns: [ManyRows.Column]? {
        guard let first = rows.first else { return nil }
        var kinds = first.map(\.kind)
        for row in rows {
            for (column, value) in row.enumerated() {
                guard let kind = value.kind, kind != kinds[column] else { continue }
                guard kinds[column] == nil else { return nil }
                kinds[column] = kind
            }
        }
        return kinds.map { $0.map { .each($0) } ?? .null }
    }
}
