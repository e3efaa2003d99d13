/// How a statement that changes one row is said of many rows at once: the values come as one array
/// for each column.
struct ManyRows {
    /// The one table that it changes, and reads.
    let table: String
    /// The values by which it finds its row: two rows of one statement must differ in them.
    let keys: [Int]
    private let form: Form

    private enum Form {
        /// The columns, what stands for each, and what follows.
        case insert(columns: String, values: [String], rest: String)
        case update(assignments: [(column: String, value: String)], conditions: [Condition])
        case delete(conditions: [Condition])
    }

    /// Whether it changes rows that are there.
    var isUpdate: Bool { if case .update = form { true } else { false } }

    private typealias Condition = (column: String, value: String)

    /// Nil for a statement of another form; `sql` has its values by number.
    init?(_ sql: String) {
        let words = sql.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count > 3 else { return nil }
        let text = words.dropFirst(words[0] == "UPDATE" ? 2 : 3).joined(separator: " ")
        switch words[0] {
        case "INSERT":
            table = words[2]
            guard let insert = Self.insert(text) else { return nil }
            (form, keys) = insert
        case "UPDATE":
            table = words[1]
            guard let parts = text.parts(around: " WHERE "), parts.0.hasPrefix("SET "),
                let assignments = Self.equations(parts.0.dropFirst(4), by: ", "),
                let conditions = Self.equations(parts.1, by: " AND ")
            else { return nil }
            form = .update(assignments: assignments, conditions: conditions)
            keys = conditions.compactMap { $0.value.place }
        case "DELETE":
            table = words[2]
            guard text.hasPrefix("WHERE "),
                let conditions = Self.equations(text.dropFirst(6), by: " AND ")
            else { return nil }
            form = .delete(conditions: conditions)
            keys = conditions.compactMap { $0.value.place }
        default: return nil
        }
    }

    private static func insert(_ text: String) -> (Form, [Int])? {
        guard let parts = text.parts(around: " VALUES ("), parts.0.hasPrefix("("),
            let end = parts.1.firstIndex(of: ")")
        else { return nil }
        let values = String(parts.1[..<end]).all(by: ", ")
        let rest = String(parts.1[end...].dropFirst())
        guard values.allSatisfy(\.isPlain), !rest.contains("$"), !rest.hasPrefix(",")
        else { return nil }
        let form = Form.insert(columns: parts.0, values: values, rest: rest)
        guard let target = rest.parts(around: "ON CONFLICT (") else { return (form, []) }
        let columns = String(parts.0.dropFirst().dropLast()).all(by: ", ")
        let keys = String(target.1.prefix { $0 != ")" }).all(by: ", ").compactMap { name in
            columns.firstIndex(of: name).flatMap { values[$0].place }
        }
        return (form, keys)
    }

    /// Equations of a column and a value each.
    private static func equations(
        _ text: some StringProtocol, by separator: String
    ) -> [Condition]? {
        var found: [Condition] = []
        for part in String(text).all(by: separator) {
            guard let (column, value) = part.parts(around: " = "), value.isPlain,
                !column.contains(" ")
            else { return nil }
            found.append((column, value))
        }
        return found
    }

    /// What a column holds in the rows of one statement.
    enum Column: Hashable {
        case null
        /// The same value in all of them, which is said once.
        case same(ServerValue.Kind)
        case each(ServerValue.Kind)

        var isEach: Bool { if case .each = self { true } else { false } }
    }

    /// The statement for rows whose columns hold these. Its values, in the order of the columns: an
    /// array, or what is said once, and none for NULL.
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
        func said(_ value: String) -> String { value.place.map { words[$0] } ?? value }
        func said(_ conditions: [Condition]) -> String {
            conditions.map { "t.\($0.column) = \(said($0.value))" }.joined(separator: " AND ")
        }
        switch form {
        case .insert(let columns, let values, let rest):
            let list = values.map(said).joined(separator: ", ")
            return "INSERT INTO \(table) \(columns) SELECT \(list) FROM \(rows)\(rest)"
        case .update(let assignments, let conditions):
            let list = assignments.map { "\($0.column) = \(said($0.value))" }
            return "UPDATE \(table) AS t SET \(list.joined(separator: ", ")) FROM \(rows) WHERE "
                + said(conditions)
        case .delete(let conditions):
            return "DELETE FROM \(table) AS t USING \(rows) WHERE \(said(conditions))"
        }
    }
}

extension String {
    /// The index of the value that `$1` and so on stand for.
    fileprivate var place: Int? { hasPrefix("$") ? Int(dropFirst()).map { $0 - 1 } : nil }

    /// Whether it is a value by number, or a number.
    fileprivate var isPlain: Bool { place != nil || Int64(self) != nil }

    /// What stands before and behind a text, where it stands in it once or more.
    fileprivate func parts(around text: String) -> (String, String)? {
        guard let found = self[...].range(of: text) else { return nil }
        return (String(self[..<found.lowerBound]), String(self[found.upperBound...]))
    }

    fileprivate func all(by separator: String) -> [String] {
        var (all, rest) = ([String](), self)
        while let (first, next) = rest.parts(around: separator) {
            all.append(first)
            rest = next
        }
        return all + [rest]
    }
}
