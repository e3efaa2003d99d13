import SluiceModel
import SluiceStore

/// Maps counts of ends to their columns. Each queue, class and minute has a row in a ring of
/// `EndedCounts.keptMinutes`, with a column for every ten seconds. Queue 0 has the totals.
enum EndedRow {
    private static let sixths = (0..<6).map { "s\($0)" }
    private static let columns = ["minute"] + sixths

    /// Adds to the counts of the row's minute. A newer minute replaces an older one; an older one
    /// changes nothing.
    static let put = Query(put(in: "sluice_ended"))
    /// The same for how long tasks had been due when they began; of each queue alone.
    static let putWaits = Query(put(in: "sluice_waited"))

    private static func put(in table: String) -> RowChange {
        .insert(
            into: table, ["queue", "class", "slot"] + columns,
            replacing: ["queue", "class", "slot"], by: merged(table))
    }

    private static func merged(_ table: String) -> String {
        func newer(_ old: String, _ new: String) -> String {
            "CASE WHEN excluded.minute > \(table).minute THEN \(new) ELSE \(old) END"
        }
        let minute = "minute = \(newer("\(table).minute", "excluded.minute"))"
        let counts = sixths.map { column in
            let (old, new) = ("\(table).\(column)", "excluded.\(column)")
            return """
                \(column) = CASE WHEN excluded.minute = \(table).minute THEN \(old) + \(new)
                    ELSE \(newer(old, new)) END
                """
        }
        return ([minute] + counts).joined(separator: ", ")
    }

    /// The queue's rows from a minute on, of classes from one to another.
    static func select(_ what: EndedSelection) -> Query { what == .waits ? waits : ends }

    private static let ends = select(from: "sluice_ended")
    private static let waits = select(from: "sluice_waited")

    private static func select(from table: String) -> Query {
        Query(
            """
            SELECT class, \(columns.joined(separator: ", ")) FROM \(table)
            WHERE queue = ? AND class >= ? AND class < ? AND minute >= ?
            """)
    }

    /// Subtracts the failures of a removed queue from the totals.
    static let takeFromAll = Query(
        """
        INSERT INTO sluice_ended (queue, class, slot, \(columns.joined(separator: ", ")))
        SELECT 0, class, slot, minute, \(sixths.map { "-\($0)" }.joined(separator: ", "))
        FROM sluice_ended WHERE queue = ? AND class < 0
        ON CONFLICT (queue, class, slot) DO UPDATE SET \(merged("sluice_ended"))
        """)

    /// Attempt classes are 0 or more, failure classes negative. Waits are in another table.
    static func code(_ what: EndedCounts.Class) -> Int64 {
        switch what {
        case .attempts(let outcome, let duration): outcome.rawValue * 256 + duration.number
        case .failures(let key): -key
        case .waits(let wait): wait.number
        }
    }

    static func codes(_ what: EndedSelection) -> (first: Int64, end: Int64) {
        switch what {
        case .attempts, .waits: (0, .max)
        case .failures: (.min, 0)
        }
    }

    static func read(
        _ row: any BoundStatement, _ selection: EndedSelection
    ) throws(QueueError) -> EndedCounts {
        let code = row.integer(0)
        let what: EndedCounts.Class
        if selection == .waits {
            what = .waits(DurationBucket(number: code))
        } else if code < 0 {
            what = .failures(-code)
        } else if let outcome = EndedOutcome(rawValue: code / 256) {
            what = .attempts(outcome, DurationBucket(number: code % 256))
        } else {
            throw StoredFields.damage("the class \(code) of what ended")
        }
        return EndedCounts(
            what,
            minute: Timestamp(milliseconds: row.integer(1) * EndedCounts.minuteMilliseconds),
            sixths: (2..<8).map { max(0, row.int($0)) })
    }
}

/// Maps counts of failed tasks to their columns.
enum FailureRow {
    static let put = Query(
        .insert(
            into: "sluice_failure",
            ["queue", "kind", "type", "error", "n", "attempts", "first_at", "last_at"],
            replacing: ["queue", "kind", "type"],
            by: """
                n = sluice_failure.n + excluded.n,
                attempts = sluice_failure.attempts + excluded.attempts,
                first_at = CASE WHEN excluded.first_at < sluice_failure.first_at
                    THEN excluded.first_at ELSE sluice_failure.first_at END,
                last_at = CASE WHEN excluded.last_at > sluice_failure.last_at
                    THEN excluded.last_at ELSE sluice_failure.last_at END
                """))

    /// A count that came down to none.
    static let removeEmpty = Query(
        .delete(from: "sluice_failure", where: ["queue", "kind", "type"], numbers: ["n": 0]))

    static let ofAll = Query("\(select) WHERE n > 0")
    static let ofQueue = Query("\(select) WHERE f.queue = ? AND n > 0")
    private static let select =
        """
        SELECT q.name, f.error, f.type, f.n, f.attempts, f.first_at, f.last_at
        FROM sluice_failure f JOIN sluice_queue q ON q.id = f.queue
        """

    static func read(_ row: any BoundStatement) -> FailureCount {
        FailureCount(
            queue: row.text(0), kind: FailureKind(text: row.text(1)), type: row.text(2),
            count: row.int(3), attempts: row.int(4), first: row.moment(5), last: row.moment(6))
    }
}
