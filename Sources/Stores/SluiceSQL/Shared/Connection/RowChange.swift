/// A change of one row in one table by bound values alone. As a value, a remote engine can send it
/// for many rows in one statement.
package struct RowChange: Sendable {
    package enum Kind: Sendable {
        /// If a row with these keys exists, `conflict` applies to it.
        case insert(keys: [String], conflict: String?)
        case update
        case delete
    }
    package typealias Column = (name: String, value: Value)

    package enum Value: Sendable {
        case bound(Int)
        case number(Int64)
    }

    package let table: String
    package let kind: Kind
    package let columns: [Column]
    package let conditions: [Column]

    private init(_ table: String, _ kind: Kind, _ columns: [Column], _ conditions: [Column] = []) {
        (self.table, self.kind) = (table, kind)
        (self.columns, self.conditions) = (columns, conditions)
    }

    private static func bound(_ names: [String], from place: Int = 0) -> [Column] {
        names.enumerated().map { ($1, .bound(place + $0)) }
    }

    private static func numbers(_ numbers: KeyValuePairs<String, Int64>) -> [Column] {
        numbers.map { ($0.key, .number($0.value)) }
    }

    /// An insert. An existing row with the same keys is replaced, or changed by `conflict`.
    package static func insert(
        into table: String, _ columns: [String], numbers: KeyValuePairs<String, Int64> = [:],
        replacing keys: [String] = [], by conflict: String? = nil
    ) -> RowChange {
        let rest = columns.filter { !keys.contains($0) }.map { "\($0) = excluded.\($0)" }
        let replaced = keys.isEmpty ? nil : conflict ?? rest.joined(separator: ", ")
        return RowChange(
            table, .insert(keys: keys, conflict: replaced),
            bound(columns) + Self.numbers(numbers))
    }

    /// An update; bind the written values first.
    package static func update(
        _ table: String, _ columns: [String], where keys: [String]
    ) -> RowChange {
        RowChange(table, .update, bound(columns), bound(keys, from: columns.count))
    }

    package static func delete(
        from table: String, where keys: [String], numbers: KeyValuePairs<String, Int64> = [:]
    ) -> RowChange {
        RowChange(table, .delete, [], bound(keys) + Self.numbers(numbers))
    }

    /// The indexes of the bound values that identify a row; they differ between two rows of one
    /// statement.
    package var keys: [Int] {
        let columns: [Column] =
            if case .insert(let keys, _) = kind {
                self.columns.filter { keys.contains($0.name) }
            } else {
                conditions
            }
        return columns.compactMap { if case .bound(let place) = $0.value { place } else { nil } }
    }

    /// The SQL for one row, with parameters in binding order.
    package var sql: String {
        func said(_ columns: [Column]) -> [String] {
            columns.map { "\($0.name) = \(word($0))" }
        }
        let found = "WHERE \(said(conditions).joined(separator: " AND "))"
        switch kind {
        case .insert(let keys, let conflict):
            let text = """
                INSERT INTO \(table) (\(columns.map(\.name).joined(separator: ", ")))
                VALUES (\(columns.map(word).joined(separator: ", ")))
                """
            guard let conflict else { return text }
            return text + " ON CONFLICT (\(keys.joined(separator: ", "))) DO UPDATE SET \(conflict)"
        case .update: return "UPDATE \(table) SET \(said(columns).joined(separator: ", ")) \(found)"
        case .delete: return "DELETE FROM \(table) \(found)"
        }
    }

    private func word(_ column: Column) -> String {
        switch column.value {
        case .bound: "?"
        case .number(let number): "\(number)"
        }
    }
}
