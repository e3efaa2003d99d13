/// A query in PostgreSQL's syntax: tables with their schema, numbered values, and no hints for
/// SQLite's planner.
enum ServerQuery {
    static func text(of query: Query, schema: String = ServerLocks.schema) -> String {
        let sql = (query.other ?? query.sql).replacing("CROSS JOIN ", by: "JOIN ")
        var text = ""
        var rest = sql[...]
        while let hint = rest.range(of: "INDEXED BY ") {
            text += rest[..<hint.lowerBound]
            rest = rest[hint.upperBound...].drop { !$0.isWhitespace }.dropFirst()
        }
        text += rest
        return numbered(text.replacing("sluice_", by: "\(schema)."))
    }

    /// Writes `?` as `$1`, `$2` and so on, and `?3` as `$3`.
    private static func numbered(_ sql: String) -> String {
        var text = ""
        var count = 0
        var isAfterMark = false
        for character in sql {
            if isAfterMark, !character.isNumber {
                count += 1
                text += String(count)
            }
            isAfterMark = character == "?"
            text.append(isAfterMark ? "$" : character)
        }
        if isAfterMark { text += String(count + 1) }
        return text
    }
}

extension Substring {
    /// The first occurrence of a text.
    func range(of text: String) -> Range<Index>? {
        var rest = self
        while let first = text.first, let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.hasPrefix(text) {
                return start..<rest.index(start, offsetBy: text.count)
            }
            rest = rest.dropFirst()
        }
        return nil
    }
}

extension String {
    func replacing(_ old: String, by new: String) -> String {
        var rest = self[...]
        var text = ""
        while let found = rest.range(of: old) {
            text += rest[..<found.lowerBound] + new
            rest = rest[found.upperBound...]
        }
        return text + rest
    }
}
