import SluiceModel
import SluiceSystem

extension TableSystem {
    /// How long a worker must have been silent.
    private static let silentMilliseconds: Int64 = 60_000

    package func reclaim(_ reference: String) throws -> ForeignAnswer {
        let detail = try require(reference)
        try check(.reclaim, on: detail.task)
        guard let rescuing = table.rescuing, let id = identifier(reference) else {
            return ForeignAnswer()
        }
        let holder = try holder(of: detail)
        try checkSilence(of: holder, with: reference, for: Self.silentMilliseconds)
        try session.run(try rescuing.sql(id, holder?.worker ?? ""))
        guard try self.detail(reference)?.task.display.state != .running else {
            throw QueueError(
                .changed, "task \(reference) still runs",
                fix: "look at it: sluice \(ShellWord.command("why", reference))")
        }
        return ForeignAnswer(
            changed: [reference], consequences: rescuing.effect.map { [$0] } ?? [])
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try check(.pause)
        let mine = try session.rows(
            """
            SELECT has_table_privilege('\(table.table)', 'TRIGGER') AS trigger,
            has_table_privilege('\(table.table)', 'UPDATE') AS change,
            has_schema_privilege(current_schema(), 'CREATE') AS make
            """
        ).first
        guard mine?["trigger"]?.bool == true, mine?["change"]?.bool == true,
            mine?["make"]?.bool == true
        else {
            throw QueueError.mayMakeNoTrigger(table.table)
        }
        let former = try HoldStrategy.holds(table, session)[queue]
        guard former == nil || former?.leak != nil else {
            throw QueueError.heldAlready(queue)
        }
        // Continue an unfinished hold with its original note.
        let note = former?.note ?? note
        try session.change(
            former == nil
                ? try table.hold.beginning(table, queue, note, session)
                : try HoldStrategy.saying(table, queue, note, .begins))
        let moved = try QueueError.unfinishedHold(of: queue) {
            let moved = try putAside(queue)
            try session.change(try HoldStrategy.saying(table, queue, note, nil))
            return moved
        }
        let loose = try looseIndexes().map { index in
            "the unique index \(index) depends on what a hold sets: a job with the key of a held "
                + "one can come in, and resume then names both"
        }
        let kept = try sentences(moved.kept, "is not put aside and may run")
        return ForeignAnswer(
            consequences: ["\(moved.count) put aside"] + kept + table.risks + loose)
    }

    /// Ends a hold; without one it gives back the rows that an earlier end kept.
    func release(_ queue: String) throws -> ForeignAnswer {
        let found = try HoldStrategy.holds(table, session)[queue]
        guard try found != nil || hasHeld(queue) else { throw QueueError.notHeld(queue) }
        if let found {
            try session.change(try HoldStrategy.saying(table, queue, found.note, .ends))
        }
        let first = try giveBack(queue)
        let last = try endHold(queue, without: first.kept)
        let kept = first.kept + last.kept
        var answer = ForeignAnswer(
            consequences: ["\(first.count + last.count) given back to \(queue)"])
        guard let one = kept.first else { return answer }
        answer.consequences += try sentences(kept, "stays aside")
        let resume = ShellWord.command("resume", queue)
        answer.consequences.append(
            "sluice \(resume) tries again when those jobs have ended; "
                + "sluice \(ShellWord.command("delete", one.id)) gives \(one.id) up")
        return answer
    }

    /// Sentences about the rows that a hold cannot move; the first ones name the conflict.
    private func sentences(_ kept: [Kept], _ consequence: String) throws -> [String] {
        let told = try kept.prefix(Self.toldOfKept).map { one in
            let reason = try reason(one).text.map { ": \($0)" } ?? ""
            return "#\(one.id) \(consequence)\(reason)"
        }
        let more = kept.count - told.count
        return more > 0 ? told + ["\(more) more: the same"] : told
    }
    private static let toldOfKept = 5

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard try HoldStrategy.holds(table, session)[queue] != nil else {
            throw QueueError.notHeldYet(queue)
        }
        guard let found = try steppable(queue, task), let id = identifier(found.reference) else {
            return nil
        }
        let began = SystemClock.monotonicMilliseconds()
        try explaining(found.reference) {
            try session.change(
                """
                SELECT set_config('sluice.release', '1', true);
                \(SQLSession.requireRow(
                    """
                    UPDATE \(table.table) j SET \(row(table.hold.letting))
                    WHERE j.id = \(id) AND \(row(table.hold.isHeld(table.ready)))
                    """));
                \(try table.waking(queue, found.reference))
                """)
        }
        return try followed(found, id, began, limits) {
            try self.bringBack(found, id)
            return true
        }
    }

    func steppable(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        if let reference {
            guard let task = try detail(reference)?.task, task.queue.isSame(as: queue) else {
                return nil
            }
            guard task.display == .held else {
                throw rules.refusal(of: .step, on: task.display)?.error(reference)
                    ?? .notLegal("task \(reference) is not held")
            }
            return task
        }
        let page = try page(ForeignQuery(queue: queue, state: .waiting, limit: 200))
        return page.tasks.first { $0.display == .held }
    }

    /// Waits for the end of a task that a step let through. If no worker takes it, `bringBack`
    /// returns it to its place, or returns false if a worker has taken it.
    func followed(
        _ task: ForeignTask, _ id: String, _ began: Int64, _ limits: StepLimits,
        bringBack: () throws -> Bool
    ) throws -> ForeignStep {
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        var pause = 2
        while true {
            step.milliseconds = SystemClock.monotonicMilliseconds() - began
            let now = try tasks("@id = \(id)", "@id", 1).first
            switch now?.display {
            // Its worker deletes it when it has ended.
            case nil:
                let last = try table.ending.map { try session.rows($0(id)).first } ?? nil
                (step.outcome, step.error) = (last?["outcome"]?.string, last?["error"]?.string)
                if step.outcome == nil { step.note = "it ran and was removed" }
                return step
            case .held, .left, .retrying, .delayed, .skipped:
                (step.outcome, step.error) = ("retry", now?.error)
                return step
            case .due, .next, .blocked:
                if step.milliseconds >= limits.takeMilliseconds, try bringBack() {
                    throw QueueError.notLegal(
                        "no worker of \(task.queue) took \(task.reference); it waits in its place",
                        fix: "sluice workers shows the workers")
                }
            case .taken, .running:
                if step.milliseconds >= limits.endMilliseconds {
                    step.note = "a worker took it; it has not ended yet"
                    return step
                }
            case .succeeded:
                step.outcome = "success"
                return step
            case .failed:
                (step.outcome, step.error) = ("giveUp", now?.error)
                return step
            case .cancelled:
                step.outcome = "cancelled"
                return step
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pause)
            pause = min(pause * 2, 100)
        }
    }

    /// Out of reach again, by the trigger, with the time that it had.
    private func bringBack(_ task: ForeignTask, _ id: String) throws {
        let same = table.hold.watched.map { "\($0) = j.\($0)" }
        let time =
            try task.notBefore.map { ["\(table.hold.time) = \(try SQLSession.moment($0))"] } ?? []
        let others = same.filter { time.isEmpty || !$0.hasPrefix("\(table.hold.time) =") }
        try session.change(
            SQLSession.requireRow(
                """
                UPDATE \(table.table) j SET \((time + others).joined(separator: ", "))
                WHERE j.id = \(id) AND \(row(table.ready))
                """))
    }
}

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
