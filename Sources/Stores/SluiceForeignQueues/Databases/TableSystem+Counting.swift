import SluiceModel
import SluiceSystem

/// Counts tasks by queue and display. A small table is counted exactly; on a large table, slow
/// counts come from the planner's estimate. Counts of running and failed tasks become lower bounds,
/// because people act on them.
extension TableSystem {
    /// The count of a queue's tasks with one display.
    struct Counted {
        var queue: String
        var display: ForeignTask.Display
        var count: Int
        var isEstimate = false
        var isBound = false
        /// The creation time of the task that waits longest, and the last start of a task.
        var oldest: Timestamp?
        var startedAt: Timestamp?
    }

    /// A count of one condition, of all queues or of one, and what the server thinks of it.
    private struct Tally {
        var condition: String
        var display: ForeignTask.Display
        var queue: String?
        var cost = 0.0
        var rows = 0
        /// The planner estimates no fewer than one row, also where there are none.
        var estimate: Int { rows > 1 ? rows : 0 }
    }

    /// The cost units of a query plan that take about a millisecond.
    private static let costOfMillisecond = 250.0
    /// Up to this many rows are counted exactly, within a limit for each count and for all.
    private static let few: Int64 = 1000
    private static let fewMilliseconds: Int64 = 20
    private static let allFewMilliseconds: Int64 = 60
    /// A caller with at least `patientFrom` milliseconds waits up to `patientMilliseconds` for the
    /// counts of running and failed tasks.
    private static let patientFrom: Int64 = 250
    private static let patientMilliseconds: Int64 = 1000
    /// If that is not enough, each count stops at `bound` rows or after this time.
    private static let boundMilliseconds: Int64 = 250
    /// Queries with an estimate below `smallMilliseconds` may take up to `busyMilliseconds`; they
    /// only take longer on a busy server.
    private static let smallMilliseconds = 10.0
    private static let busyMilliseconds: Int64 = 1000
    private static let nameMilliseconds: Int64 = 100

    func counted(within milliseconds: Int64) throws -> [Counted] {
        try tally(within: milliseconds).counts
    }

    /// The counts, and whether the table is small enough for cheap counts.
    func tally(within milliseconds: Int64) throws -> (counts: [Counted], isSmall: Bool) {
        func moment(_ time: String) -> String { "(extract(epoch FROM \(time)) * 1000)::bigint" }
        let oldest = moment("min(coalesce(\(row("(\(table.hold.due))")), \(created)))")
        let started = table.started.map { moment("max(\(row($0)))") } ?? "NULL::bigint"
        let whole = """
            SELECT j.\(table.queue), \(row(table.display)) AS display, count(*) AS n,
            \(oldest) AS oldest, \(started) AS started
            FROM \(table.table) j GROUP BY 1, 2
            """
        let took = Self.takes(try session.plans([whole])[0].cost)
        // The rest of the caller's time limit, which excludes planning.
        var left = milliseconds
        if milliseconds > 0, took <= Double(milliseconds) {
            let isSmall = took <= Self.smallMilliseconds
            let limit = isSmall ? Self.busyMilliseconds : milliseconds
            if let rows = try session.rows([shown(whole)], within: limit)[0] {
                let counts = rows.compactMap { row in
                    row["display"]?.string.flatMap(ForeignTask.Display.init).flatMap {
                        Self.one(row, $0)
                    }
                }
                return (counts, isSmall)
            }
            left = 0
        }
        let tallies = try tallies()
        let began = SystemClock.monotonicMilliseconds()
        let quick = try answers(tallies, left, ofAll)
        left -= SystemClock.monotonicMilliseconds() - began
        let counts = try patient(tallies, quick, milliseconds)
        let found = zip(tallies, counts).flatMap { tally, rows in
            (rows ?? []).compactMap { Self.one($0, tally.display) }
        }
        let dear = zip(tallies, counts).filter { $1 == nil }.map(\.0)
        guard !dear.isEmpty else { return (found, false) }
        let names = try names(dear.map(\.condition)).union(found.map { ExactText($0.queue) })
        let each = try names.texts.flatMap { name in
            let isIn = row(try table.isIn(name, session))
            return dear.map { tally in
                Tally(
                    condition: "\(isIn) AND \(tally.condition)", display: tally.display,
                    queue: name)
            }
        }
        return (try found + counted(each, left, fewWithin: milliseconds), false)
    }

    /// Adds exact counts of running and failed tasks if the caller allows the time, because people
    /// act on them.
    private func patient(
        _ tallies: [Tally], _ known: [[JSONValue]?], _ milliseconds: Int64
    ) throws -> [[JSONValue]?] {
        guard milliseconds >= Self.patientFrom else { return known }
        let places = tallies.indices.filter {
            known[$0] == nil && Self.isBounded(tallies[$0].display)
        }
        let found = try session.rows(
            places.map { ofAll(tallies[$0]) }, within: Self.patientMilliseconds)
        var counts = known
        for (place, rows) in zip(places, found) { counts[place] = rows }
        return counts
    }

    /// A question for the counts of a condition in all queues.
    private func ofAll(_ tally: Tally) -> String {
        shown(
            """
            SELECT j.\(table.queue), count(*) AS n FROM \(table.table) j
            WHERE \(tally.condition) GROUP BY 1
            """)
    }

    /// Adds the shown queue names to a query of counts.
    private func shown(_ groups: String) -> String {
        "SELECT \(shownQueue) AS queue, j.* FROM (\(groups)) j"
    }

    private static func one(_ row: JSONValue, _ display: ForeignTask.Display) -> Counted? {
        guard let name = row["queue"]?.string, let count = row["n"]?.integer else { return nil }
        var counted = Counted(queue: name, display: display, count: Int(clamping: count))
        counted.oldest = row["oldest"]?.integer.map { Timestamp(milliseconds: $0) }
        counted.startedAt = row["started"]?.integer.map { Timestamp(milliseconds: $0) }
        return counted
    }

    /// When a row came, as far as its own columns say it.
    private var created: String {
        table.created.flatMap { $0.contains("SELECT") ? nil : row($0) } ?? "NULL"
    }

    /// The milliseconds of a query by its estimated cost.
    private static func takes(_ cost: Double) -> Double { cost / costOfMillisecond }

    /// The conditions to count, cheapest first.
    private func tallies() throws -> [Tally] {
        let tallies = table.tallies.map { tally in
            Tally(
                condition: row("(\(tally.condition))\(table.shows(tally.displays))"),
                display: tally.displays[0])
        }
        return Self.planned(tallies, try session.plans(tallies.map(rows)))
    }

    private static func planned(
        _ tallies: [Tally], _ plans: [(rows: Int, cost: Double)]
    ) -> [Tally] {
        zip(tallies, plans).map { tally, plan in
            var tally = tally
            (tally.rows, tally.cost) = plan
            return tally
        }.sorted { $0.cost < $1.cost }
    }

    private func rows(_ tally: Tally) -> String {
        "SELECT 1 FROM \(table.table) j WHERE \(tally.condition)"
    }

    /// Runs the queries of the cheapest conditions within the caller's time limit. A query that
    /// exceeds it gives `nil`.
    private func answers(
        _ tallies: [Tally], _ patience: Int64, _ question: (Tally) -> String
    ) throws -> [[JSONValue]?] {
        let soon = tallies.prefix { Self.takes($0.cost) <= Double(patience) }
        let found = patience > 0 ? try session.rows(soon.map(question), within: patience) : []
        return found + Array(repeating: nil, count: tallies.count - found.count)
    }

    /// Counts each condition separately, exactly or by the planner's estimate.
    private func counted(
        _ all: [Tally], _ patience: Int64, fewWithin milliseconds: Int64
    ) throws -> [Counted] {
        let tallies = Self.planned(all, try session.plans(all.map(rows)))
        let exact = try answers(tallies, patience) { tally in
            "SELECT count(*) AS n FROM \(table.table) j WHERE \(tally.condition)"
        }
        func counted(_ tally: Tally, _ rows: [JSONValue]?, atMost limit: Int64) -> Counted {
            let count = rows?.first?["n"]?.integer
            let isExact = count.map { $0 <= limit } ?? false
            let isBound = !isExact && Self.isBounded(tally.display)
            // A count that the server did not finish is a bound of 0.
            let known = Int(clamping: min(count ?? 0, limit))
            return Counted(
                queue: tally.queue ?? "", display: tally.display,
                count: isExact || isBound ? known : tally.estimate,
                isEstimate: !isExact && !isBound, isBound: isBound)
        }
        // The statistics may predate a hold. A bounded count quickly detects that there are few
        // rows.
        let rest = zip(tallies, exact).filter { $1 == nil }.map(\.0)
        let known = zip(tallies, exact).filter { $1 != nil }
        return try known.map { counted($0, $1, atMost: .max) }
            + [true, false].flatMap { isBounded in
                let part = rest.filter { Self.isBounded($0.display) == isBounded }
                let limit = isBounded ? bound : Self.few
                let few = try session.rows(
                    part.map { tally in
                        "SELECT count(*) AS n FROM (\(rows(tally)) LIMIT \(limit + 1)) part"
                    },
                    within: isBounded
                        ? 2 * milliseconds
                        : milliseconds > 0 ? max(milliseconds, Self.allFewMilliseconds) : 0,
                    each: isBounded ? Self.boundMilliseconds : Self.fewMilliseconds)
                return zip(part, few).map { counted($0, $1, atMost: limit) }
            }
    }

    /// Whether a count gets more time and a bound: true for running and failed tasks.
    private static func isBounded(_ display: ForeignTask.Display) -> Bool {
        display == .running || display == .failed
    }

    /// The queue names that an index lists one by one, and the frequent ones of the statistics.
    private func names(_ conditions: [String]) throws -> Set<ExactText> {
        let column = table.queue
        let frequent = """
            SELECT unnest(s.most_common_vals::text::text[]) AS key FROM pg_stats s
            WHERE s.schemaname = current_schema() AND s.tablename = '\(table.table)'
            AND s.attname = '\(column)'
            """
        let questions = conditions.map { condition in
            let first = "SELECT j.\(column) FROM \(table.table) j WHERE \(condition)"
            let next = "ORDER BY j.\(column) LIMIT 1"
            return """
                WITH RECURSIVE each AS ((\(first) AND j.\(column) IS NOT NULL \(next)) UNION ALL
                SELECT (\(first) AND j.\(column) > each.\(column) \(next)) FROM each
                WHERE each.\(column) IS NOT NULL)
                SELECT each.\(column)::text AS key FROM each WHERE each.\(column) IS NOT NULL
                """
        }
        let tallies = Self.planned(
            questions.map { Tally(condition: $0, display: .due) }, try session.plans(questions))
        // List queues even without a count.
        let found = try answers(tallies, Self.nameMilliseconds) { $0.condition }
        let all = try session.rows(frequent) + found.flatMap { $0 ?? [] }
        let keys = Set(texts: all.compactMap { $0["key"]?.string })
        guard table.shownQueue != nil else { return keys }
        let shown = try session.rows(
            of: keys.texts.map { key in
                """
                SELECT \(shownQueue) AS queue FROM \(table.table) j
                WHERE j.\(column) = \(try SQLSession.literal(key)) LIMIT 1
                """
            })
        return Set(texts: shown.compactMap { $0.first?["queue"]?.string })
    }
}
