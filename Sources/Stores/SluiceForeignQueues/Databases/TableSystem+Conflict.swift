import SluiceModel
import SluicePostgresClient

/// Which other row has the key that only one row may have.
extension TableSystem {
    /// A row that could not be changed, and the constraint that it would break.
    struct Kept: Hashable, Sendable {
        var id: String
        var constraint: String?
        var detail: String?
    }

    /// Runs `body`. If a row violates a constraint, the error names the conflicting row.
    func explaining<Value>(_ reference: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError where error.code?.hasPrefix("23") == true {
            let kept = Kept(id: reference, constraint: error.constraint, detail: error.detail)
            let (reason, other) = try reason(kept)
            throw QueueError(
                error.isAboutKeys ? .uniqueTaken : .notLegal,
                "\(reference) stays as it is: \(reason ?? error.message)",
                fix: other.map { "sluice \(ShellWord.command("show", $0))" } ?? "")
        }
    }

    /// The reason, such as `another waiting job has its queueing_lock doc-7 (#4)`, and the
    /// conflicting job; `nil` without a constraint.
    func reason(_ kept: Kept) throws -> (text: String?, other: String?) {
        guard let constraint = kept.constraint else { return (nil, nil) }
        guard let values = Self.values(kept.detail), let key = try key(constraint),
            !key.columns.isEmpty
        else { return ("the constraint \(constraint) of \(title) refuses it", nil) }
        let split = Self.split(values, key.columns.count)
        let isKey = try key.columns.enumerated().map { place, column in
            try split.map { "(\(column))::text = \(try SQLSession.literal($0[place]))" }
                ?? "true"
        }
        let texts = key.columns.map { "(\($0))::text" }.joined(separator: ", ")
        let whole = "concat_ws(', ', \(texts)) = \(try SQLSession.literal(values))"
        let fits = split == nil ? [whole] : isKey
        let id = try SQLSession.literal(kept.id)
        let other = try session.rows(
            """
            SELECT o.id::text AS id FROM \(key.table) o WHERE o.id::text <> \(id)
            AND (\(key.condition ?? "true")) AND \(fits.joined(separator: " AND ")) LIMIT 1
            """
        ).first?["id"]?.string
        let words = Self.words(key.columns, split ?? [], hiding: table.queue, else: values)
        guard let other, let number = identifier(other),
            let task = try tasks("@id = \(number)", "@id", 1).first
        else { return ("another job has its \(words)", nil) }
        return ("another \(task.display.state.rawValue) job has its \(words) (#\(other))", other)
    }

    /// Why a held row cannot be given back, such as `another waiting job has its uniq_key k1 (#4)`;
    /// `nil` if no row is in its way. Only reads: the row as it would be is computed.
    func hindrance(of id: String) throws -> String? {
        let indexes = try looseIndexes()
        guard !indexes.isEmpty else { return nil }
        let columns = try session.rows(
            """
            SELECT quote_ident(a.attname) AS name, CASE WHEN to_jsonb(a)->>'attgenerated' = 's'
            THEN pg_get_expr(d.adbin, d.adrelid) END AS made FROM pg_attribute a
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = '\(table.table)'::regclass AND a.attnum > 0 AND NOT a.attisdropped
            """
        ).map { column in
            let name = column["name"]?.string ?? ""
            return (column["made"]?.string).map { "(\($0)) AS \(name)" } ?? name
        }
        let values = try table.hold.restored.map {
            "\(try SQLSession.literal($0.column)), \(row($0.value))"
        }
        for name in indexes {
            guard let key = try key(name), !key.columns.isEmpty else { continue }
            let texts = key.columns.map { "(\($0))::text" }.joined(separator: ", ")
            let found = try session.rows(
                """
                WITH back AS (SELECT (jsonb_populate_record(j,
                    jsonb_build_object(\(values.joined(separator: ", "))))).*
                    FROM \(table.table) j WHERE j.id = \(id)),
                whole AS (SELECT \(columns.joined(separator: ", ")) FROM back)
                SELECT json_build_array(\(texts)) AS values FROM whole
                WHERE \(key.condition ?? "true")
                """
            ).first?["values"]?.array?.compactMap(\.string)
            guard let found, found.count == key.columns.count else { continue }
            let detail = "()=(\(found.joined(separator: ", ")))"
            let reason = try reason(Kept(id: id, constraint: name, detail: detail))
            if reason.other != nil { return reason.text }
        }
        return nil
    }

    private typealias Key = (table: String, columns: [String], condition: String?)

    /// The columns and the condition of a unique index.
    private func key(_ constraint: String) throws -> Key? {
        let rows = try session.rows(
            """
            SELECT i.indrelid::regclass::text AS name,
            pg_get_expr(i.indpred, i.indrelid) AS condition,
            (SELECT json_agg(pg_get_indexdef(i.indexrelid, k, false) ORDER BY k)
                FROM generate_series(1, i.indnkeyatts) k) AS columns
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE c.relname = \(try SQLSession.literal(constraint))
            AND c.relnamespace = current_schema()::regnamespace
            """)
        guard let row = rows.first, let name = row["name"]?.string else { return nil }
        return (
            name, (row["columns"]?.array ?? []).compactMap(\.string), row["condition"]?.string
        )
    }

    /// `a, b` of `Key (x, y)=(a, b) already exists.`
    private static func values(_ detail: String?) -> String? {
        guard let detail, let start = detail.firstRange(of: ")=("),
            let end = detail.lastIndex(of: ")"), start.upperBound <= end
        else { return nil }
        return String(detail[start.upperBound..<end])
    }

    /// The single values; nil if a value contains a comma.
    private static func split(_ values: String, _ count: Int) -> [String]? {
        guard count > 1 else { return [values] }
        var (parts, rest) = ([String](), values[...])
        while let comma = rest.firstRange(of: ", ") {
            parts.append(String(rest[..<comma.lowerBound]))
            rest = rest[comma.upperBound...]
        }
        parts.append(String(rest))
        return parts.count == count ? parts : nil
    }

    /// The key in words, such as `queueing_lock doc-7`. It omits the queue, which the sentence
    /// already names.
    private static func words(
        _ columns: [String], _ values: [String], hiding queue: String, else whole: String
    ) -> String {
        func short(_ text: String) -> String {
            text.count > 60 ? "\(text.prefix(59))…" : text
        }
        guard values.count == columns.count else { return "key \(short(whole))" }
        let parts = zip(columns, values).filter { $0.0 != queue && !$0.1.isEmpty }.map {
            column, value in
            // `COALESCE(singleton_key, ''::text)` is about one column.
            let inner = column.hasPrefix("COALESCE(") ? column.dropFirst(9) : column[...]
            return "\(inner.prefix { $0 != "," }) \(short(value))"
        }
        return parts.isEmpty ? "key" : parts.joined(separator: ", ")
    }
}

extension TableSystem {
    /// The unique indexes that depend on what a hold sets: while a row is held another one of its
    /// key may come in.
    func looseIndexes() throws -> [String] {
        let columns = try table.hold.columns.map { try SQLSession.literal($0) }
        guard !columns.isEmpty else { return [] }
        let name = "'\(table.table)'::regclass"
        return try session.rows(
            """
            WITH part AS (SELECT \(name)::oid AS oid
                UNION SELECT t.relid FROM pg_partition_tree(\(name)) t),
            moved AS (SELECT a.attrelid AS oid, a.attnum FROM pg_attribute a JOIN part p
                ON p.oid = a.attrelid WHERE a.attname IN (\(columns.joined(separator: ", ")))),
            changed AS (SELECT m.oid, m.attnum::int FROM moved m
                UNION SELECT m.oid, coalesce(e.adnum::int, d.objsubid) FROM moved m
                JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = m.oid
                AND d.refobjsubid = m.attnum LEFT JOIN pg_attrdef e ON e.adrelid = m.oid
                AND d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid
                WHERE e.adnum IS NOT NULL OR d.classid = 'pg_class'::regclass
                AND d.objid = m.oid AND d.objsubid > 0)
            SELECT DISTINCT c.relname::text AS name FROM pg_index i
            JOIN part p ON p.oid = i.indrelid JOIN pg_class c ON c.oid = i.indexrelid
            JOIN changed g ON g.oid = i.indrelid
            WHERE (i.indisunique OR i.indisexclusion) AND (g.attnum = ANY(i.indkey::int[])
                OR EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
                AND d.objid = i.indexrelid AND d.refclassid = 'pg_class'::regclass
                AND d.refobjid = i.indrelid AND d.refobjsubid = g.attnum))
            ORDER BY 1
            """
        ).compactMap { $0["name"]?.string }
    }
}
