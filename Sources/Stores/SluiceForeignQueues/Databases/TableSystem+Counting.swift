import SluiceModel
import SluicePlatform

/// How many tasks show what, by queue. A small table is counted; of a large one that is which takes
/// a moment, and of the rest the server's own estimate is taken.
extension TableSystem {
    /// So many tasks of a queue show something.
    struct Counted {
        var queue: String
        var display: ForeignTask.Display
        var count: Int
        var isEstimate = false
    }

    /// A count of one condition, and what the server thinks of it.
    private struct Tally {
        var condition: String
        var display: ForeignTask.Display
        var cost: Double
    }

    /// So much of what a plan calls its cost is done in a millisecond, roughly.
    private static let costOfMillisecond = 250.0
    /// So few are counted wherever that takes no longer than this.
    private static let few: Int64 = 1000
    private static let fewMilliseconds: Int64 = 10
    private static let nameMilliseconds: Int64 = 100

    func counted(within milliseconds: Int64) throws -> [Counted] {
        let whole = """
            SELECT j.\(table.queue), \(row(table.display)) AS display, count(*) AS n
            FROM \(table.table) j GROUP BY 1, 2
            """
        var patience = milliseconds
        let cost = try desk.plan(whole).cost
        if let rows = try answer(shown(whole), cost, &patience) {
            return rows.compactMap { row in
                row["display"]?.string.flatMap(ForeignTask.Display.init).flatMap {
                    Self.one(row, $0)
                }
            }
        }
        var found: [Counted] = []
        var dear: [Tally] = []
        for tally in try tallies() {
            let groups = """
                SELECT j.\(table.queue), count(*) AS n FROM \(table.table) j
                WHERE \(tally.condition) GROUP BY 1
                """
            if let rows = try answer(shown(groups), tally.cost, &patience) {
                found += rows.compactMap { Self.one($0, tally.display) }
            } else {
                dear.append(tally)
            }
        }
        guard !dear.isEmpty else { return found }
        let names = try names(dear.map(\.condition)).union(found.map(\.queue))
        for tally in dear {
            for name in names.sorted() {
                found.append(
                    try one(tally, name, isPatient: milliseconds > 0, &patience))
            }
        }
        return found
    }

    /// The counts of all queues, with the names that are shown.
    private func shown(_ groups: String) -> String {
        "SELECT \(shownQueue) AS queue, j.* FROM (\(groups)) j"
    }

    private static func one(_ row: JSONValue, _ display: ForeignTask.Display) -> Counted? {
        guard let name = row["queue"]?.string, let count = row["n"]?.integer else { return nil }
        return Counted(queue: name, display: display, count: Int(clamping: count))
    }

    /// The conditions, those first that are counted soonest.
    private func tallies() throws -> [Tally] {
        try table.tallies.map { tally in
            let condition = row("(\(tally.condition))\(table.shows(tally.displays))")
            let plan = try desk.plan("SELECT 1 FROM \(table.table) j WHERE \(condition)")
            return Tally(condition: condition, display: tally.displays[0], cost: plan.cost)
        }.sorted { $0.cost < $1.cost }
    }

    /// The answer to a question that does not take longer than is left of a person's patience.
    private func answer(
        _ sql: String, _ cost: Double, _ patience: inout Int64
    ) throws -> [JSONValue]? {
        guard patience > 0, cost / Self.costOfMillisecond <= Double(patience) else { return nil }
        let began = SystemClock.monotonicMilliseconds()
        let rows = try desk.rows(sql, within: patience)
        patience -= SystemClock.monotonicMilliseconds() - began
        return rows
    }

    /// What one queue has of a condition.
    private func one(
        _ tally: Tally, _ name: String, isPatient: Bool, _ patience: inout Int64
    ) throws -> Counted {
        let condition = "\(row(try table.isIn(name, desk))) AND \(tally.condition)"
        let plan = try desk.plan("SELECT 1 FROM \(table.table) j WHERE \(condition)")
        let count = "SELECT count(*) AS n FROM \(table.table) j WHERE \(condition)"
        if let n = try answer(count, plan.cost, &patience)?.first?["n"]?.integer {
            return Counted(queue: name, display: tally.display, count: Int(clamping: n))
        }
        // The statistics may be those of before a hold: an index finds soon that there are few.
        let few = """
            SELECT count(*) AS n FROM (
                SELECT 1 FROM \(table.table) j WHERE \(condition) LIMIT \(Self.few + 1)) part
            """
        var short = Self.fewMilliseconds
        if isPatient, let n = try answer(few, 0, &short)?.first?["n"]?.integer, n <= Self.few {
            return Counted(queue: name, display: tally.display, count: Int(clamping: n))
        }
        return Counted(queue: name, display: tally.display, count: plan.rows, isEstimate: true)
    }

    /// The names of queues, as far as an index has them one by one, and those that the statistics
    /// call frequent.
    private func names(_ conditions: [String]) throws -> Set<String> {
        // A queue that is not counted is still to be seen.
        var patience = Self.nameMilliseconds
        let column = table.queue
        let frequent = try desk.rows(
            """
            SELECT unnest(s.most_common_vals::text::text[]) AS key FROM pg_stats s
            WHERE s.schemaname = current_schema() AND s.tablename = '\(table.table)'
            AND s.attname = '\(column)'
            """)
        var keys = Set(frequent.compactMap { $0["key"]?.string })
        for condition in conditions {
            let first = "SELECT j.\(column) FROM \(table.table) j WHERE \(condition)"
            let next = "ORDER BY j.\(column) LIMIT 1"
            let each = """
                WITH RECURSIVE each AS ((\(first) AND j.\(column) IS NOT NULL \(next)) UNION ALL
                SELECT (\(first) AND j.\(column) > each.\(column) \(next)) FROM each
                WHERE each.\(column) IS NOT NULL)
                SELECT each.\(column)::text AS key FROM each WHERE each.\(column) IS NOT NULL
                """
            let cost = try desk.plan(each).cost
            let found = try answer(each, cost, &patience) ?? []
            keys.formUnion(found.compactMap { $0["key"]?.string })
        }
        guard table.shownQueue != nil else { return keys }
        return Set(
            try keys.compactMap { key in
                try desk.rows(
                    """
                    SELECT \(shownQueue) AS queue FROM \(table.table) j
                    WHERE j.\(column) = \(try SQLDesk.literal(key)) LIMIT 1
                    """
                ).first?["queue"]?.string
            })
    }
}
