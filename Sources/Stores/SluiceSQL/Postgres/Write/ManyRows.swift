/// The form of a row change for many rows: one array of values per column.
struct ManyRows {
    /// The one table that it changes, and reads.
    let table: String
    /// The indexes of the values that identify its row; they must differ between two rows of one
    /// statement.
    let keys: [Int]
    private let change: RowChange
    private let schema: String

    var isUpdate: Bool { if case .update = change.kind { true } else { false } }

    var isDelete: Bool { if case .delete = change.kind { true } else { false } }

    /// The columns by which it finds its row; nil where numbers of its own are among them.
    var conditions: [String]? {
        keys.count == change.conditions.count ? change.conditions.map(\.name) : nil
    }

    init(_ change: RowChange, schema: String) {
        (self.change, self.schema) = (change, schema)
        (table, keys) = (change.table.replacing("sluice_", by: "\(schema)."), change.keys)
    }

    /// The values of a column in the rows of one statement.
    enum Column: Hashable {
        case null
        /// The same value in all of them, sent once.
        case same(ServerValue.Kind)
        case each(ServerValue.Kind)

        var isEach: Bool { if case .each = self { true } else { false } }
    }

    /// The statement for rows with these column kinds. Its values follow the columns: an array, a
    /// single value, or none for NULL.
    func text(_ columns: [Column]) -> String {
        var (arrays, names, words): ([String], [String], [String]) = ([], [], [])
        var count = 0
        for (place, column) in columns.enumerated() {
            switch column {
            case .null: words.append("NULL")
            case .same(let kind):
                count += 1
                words.append("$\(count)::\(kind.rawValue)")
            case .each(let kind):
                count += 1
                arrays.append("$\(count)::\(kind.rawValue)[]")
                names.append("c\(place)")
                words.append("u.c\(place)")
            }
        }
        let rows =
            "unnest(\(arrays.joined(separator: ", "))) AS u(\(names.joined(separator: ", ")))"
        func said(_ column: RowChange.Column) -> String {
            switch column.value {
            case .bound(let place): words[place]
            case .number(let number): "\(number)"
            }
        }
        let found = change.conditions.map { "t.\($0.name) = \(said($0))" }
            .joined(separator: " AND ")
        switch change.kind {
        case .insert(let keys, let conflict):
            let names = change.columns.map(\.name).joined(separator: ", ")
            let list = change.columns.map(said).joined(separator: ", ")
            let text = "INSERT INTO \(table) (\(names)) SELECT \(list) FROM \(rows)"
            guard let conflict else { return text }
            return text + " ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET "
                + conflict.replacing("sluice_", by: "\(schema).")
        case .update:
            let list = change.columns.map { "\($0.name) = \(said($0))" }.joined(separator: ", ")
            return "UPDATE \(table) AS t SET \(list) FROM \(rows) WHERE \(found)"
        case .delete: return "DELETE FROM \(table) AS t USING \(rows) WHERE \(found)"
        }
    }
}
