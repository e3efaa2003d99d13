import SluiceModel

/// Reads what can be read of a damaged file's tables into an empty file.
struct Salvage {
    private static let rowsAtOnce: Int64 = 4096

    private let connection: Connection
    private let tables: [String]
    /// The objects created after the rows.
    private let rest: [String]

    /// Creates the tables of the file at `path`. Throws `damagedStore` if the file also has an
    /// application's tables, whose needs are unknown here.
    init(of path: String, into connection: Connection) throws(QueueError) {
        self.connection = connection
        let quoted = path.hasPrefix("/") ? path : "./\(path)"
        let name = quoted.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        try connection.execute("ATTACH '\(name)' AS old")
        let parts = try connection.rows(
            once: "SELECT type, name, sql FROM old.sqlite_schema WHERE sql IS NOT NULL"
        ) { (type: $0.text(0), name: $0.text(1), sql: $0.text(2)) }
        let all = parts.filter { $0.type == "table" }
        if let foreign = all.first(where: { !$0.name.hasPrefix("sluice_") }) {
            throw QueueError(
                .damagedStore,
                "\(path) holds tables of an application too, such as \(foreign.name), so its rows "
                    + "are not put into a new file",
                fix: "sqlite3 \(ShellWord.quoted(path)) .recover reads what can be read of all")
        }
        for table in all { try connection.execute(table.sql) }
        tables = all.map(\.name)
        rest = parts.filter { $0.type != "table" }.map(\.sql)
    }

    /// Copies the rows. Returns the losses, one sentence each.
    func run() throws(QueueError) -> [String] {
        var lost: [String] = []
        // Each statement is a separate transaction: inside one, SQLite (tested: 3.40.1) refuses
        // everything after an unreadable page.
        try connection.execute("PRAGMA main.synchronous = OFF; PRAGMA main.journal_mode = MEMORY")
        for table in tables { lost += try copy(table) }
        for sql in rest { try connection.execute(sql) }
        lost += try dropTasksWithoutPayload()
        try raiseCounters()
        try connection.execute("DETACH old")
        return lost
    }

    private func copy(_ table: String) throws(QueueError) -> [String] {
        let columns = try connection.rows(
            once: "SELECT name, pk FROM pragma_table_info('\(table)') ORDER BY pk"
        ) { (name: $0.text(0), key: $0.integer(1)) }
        let names = columns.map(\.name).joined(separator: ", ")
        let insert =
            "INSERT OR IGNORE INTO main.\(table) (\(names)) SELECT \(names) FROM old.\(table)"
        let plain = try connection.rows(
            once: "SELECT wr FROM pragma_table_list('\(table)') WHERE schema = 'main'"
        ) { $0.integer(0) }
        if plain == [1] {
            let keys = columns.filter { $0.key > 0 }.map(\.name)
            return try copyByKey(table, insert, keys)
        }
        return try copyByNumber(table, insert)
    }

    /// Copies rows with numbers; skips unreadable rows up to the next readable one.
    private func copyByNumber(_ table: String, _ insert: String) throws(QueueError) -> [String] {
        let name = Self.words[table] ?? table
        var lost: [String] = []
        // A search for greater numbers would start on that number's page.
        var (from, step) = (Int64.min, Self.rowsAtOnce)
        while true {
            let place = "WHERE rowid >= \(from) ORDER BY rowid LIMIT"
            let isRead = try isReadable("\(insert) \(place) \(step)")
            let reached = try number(
                "SELECT rowid FROM old.\(table) \(place) 1 OFFSET \(step - 1)")
            if isRead, let reached {
                guard let reached = reached.first, reached < .max else { return lost }
                (from, step) = (reached + 1, min(step * 8, Self.rowsAtOnce))
            } else if step > 1 {
                step = max(1, step / 8)
            } else {
                guard let next = try firstReadable(insert, after: from), next > from else {
                    return lost + ["\(name) from number \(from) on could not be read"]
                }
                lost.append("\(name) from number \(from) to \(next - 1) could not be read")
                from = next
            }
        }
    }

    /// The first readable position after `last`, or `nil`. The search doubles its steps and then
    /// bisects.
    private func firstReadable(_ insert: String, after last: Int64) throws(QueueError) -> Int64? {
        let rest = "ORDER BY rowid LIMIT 1"
        var (low, distance) = (max(last, -(1 << 62)), Int64(1))
        while distance > 0 {
            let (end, overflow) = low.addingReportingOverflow(distance)
            if overflow { return nil }
            guard try isReadable("\(insert) WHERE rowid >= \(end) \(rest)") else {
                (low, distance) = (end, distance &* 2)
                continue
            }
            var high = end
            while high - low > 1 {
                let middle = low + (high - low) / 2
                if try isReadable("\(insert) WHERE rowid >= \(middle) \(rest)") {
                    high = middle
                } else {
                    low = middle
                }
            }
            return high
        }
        return nil
    }

    /// Copies rows without numbers, by key from both ends until unreadable. Most of them follow
    /// from the tasks and are recomputed later.
    private func copyByKey(
        _ table: String, _ insert: String, _ keys: [String]
    ) throws(QueueError) -> [String] {
        for direction in ["", " DESC"] {
            let order = keys.map { $0 + direction }.joined(separator: ", ")
            var (done, step) = (Int64(0), Self.rowsAtOnce)
            while step > 0 {
                let page = "ORDER BY \(order) LIMIT \(step) OFFSET \(done)"
                let rows = "SELECT count(*) FROM (SELECT 1 FROM old.\(table) \(page))"
                guard try isReadable("\(insert) \(page)"), let count = try number(rows)?.first
                else {
                    step /= 8
                    continue
                }
                if count < step { return direction.isEmpty ? [] : [Self.middleLost(table)] }
                done += step
            }
        }
        return [Self.middleLost(table)]
    }

    private static func middleLost(_ table: String) -> String {
        isDerived(table)
            ? "\(words[table] ?? table) could not all be read; they are made again from the tasks"
            : "\(words[table] ?? table) could not all be read"
    }

    /// Whether the tables' rows follow from the tasks.
    private static func isDerived(_ table: String) -> Bool {
        [
            "sluice_role", "sluice_group", "sluice_tally", "sluice_failure", "sluice_ended",
        ].contains(table)
    }

    private static let words = [
        "sluice_task": "tasks", "sluice_payload": "payloads of tasks",
        "sluice_result": "results of tasks", "sluice_event": "lines of the journal",
        "sluice_attempt": "executions", "sluice_queue": "queues",
        "sluice_role": "members of groups",
        "sluice_group": "groups", "sluice_tally": "counts",
        "sluice_failure": "counts of errors", "sluice_ended": "counts of ends",
        "sluice_waited": "counts of waits",
        "sluice_process": "processes",
        "sluice_origin": "origins of imported tasks",
        "sluice_known": "origins of removed imported tasks",
    ]

    /// Without its payload a task may not run.
    private func dropTasksWithoutPayload() throws(QueueError) -> [String] {
        let bare =
            """
            payload IS NULL
            AND NOT EXISTS (SELECT 1 FROM sluice_payload p WHERE p.task = sluice_task.id)
            """
        let lost = try connection.rows(
            once: "SELECT id, type FROM main.sluice_task WHERE \(bare)"
        ) { "#\($0.integer(0)) \($0.text(1)): its payload could not be read, so it was removed" }
        try connection.execute("DELETE FROM main.sluice_task WHERE \(bare)")
        return lost
    }

    /// Prevents reuse of numbers, even if the counters were unreadable.
    private func raiseCounters() throws(QueueError) {
        let numbers: [(place: Int, columns: [(String, String)])] = [
            (0, [("id", "task"), ("task", "attempt")]),
            (1, [("id", "process"), ("id", "permit"), ("token", "task"), ("runner", "attempt")]),
            (2, [("sequence", "event"), ("end_sequence", "attempt")]),
            (3, [("id", "queue")]),
        ]
        for (place, columns) in numbers {
            let values = columns.map { "(SELECT coalesce(max(\($0)), 0) FROM sluice_\($1))" }
            try connection.execute(
                """
                INSERT INTO main.sluice_tally (queue, state, lane, n)
                VALUES (0, 0, \(place), max(0, \(values.joined(separator: ", "))))
                ON CONFLICT (queue, state, lane) DO UPDATE SET n = max(n, excluded.n)
                """)
        }
    }

    /// Runs a statement; returns false if its rows are unreadable or conflict with existing ones.
    private func isReadable(_ sql: String) throws(QueueError) -> Bool {
        do {
            try connection.execute(sql)
            return true
        } catch {
            guard [.damagedStore, .notLegal].contains(error.code) else { throw error }
            return false
        }
    }

    /// The numbers that a statement returns, or `nil` if unreadable.
    private func number(_ sql: String) throws(QueueError) -> [Int64]? {
        do {
            return try connection.rows(once: sql) { $0.integer(0) }
        } catch {
            guard error.code == .damagedStore else { throw error }
            return nil
        }
    }
}
