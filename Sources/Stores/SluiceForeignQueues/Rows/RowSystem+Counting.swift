import SluiceModel
import SluicePlatform

extension RowSystem {
    /// The maximum duration of a first count that is followed by a larger one.
    private static var quickMilliseconds: Int64 { 12 }

    func counted() throws -> [ForeignQueue] {
        var found: [ExactText: ForeignQueue] = [:]
        func with(_ name: String, _ change: (inout ForeignQueue) -> Void) {
            var queue = found[name] ?? ForeignQueue(name: name, system: self.name)
            change(&queue)
            found[name] = queue
        }
        let (rows, limit) = try counts {
            counting(table.table, table.queue, display, table.created, limit: $0)
        }
        let isAll = Self.total(rows) <= limit
        for row in rows {
            guard let display = Self.display(row) else { continue }
            let count = min(Int(clamping: row["n"]?.integer ?? 0), limit)
            with(shown(row["queue"])) {
                $0.add(count, display, isBound: !isAll)
                guard [.due, .next, .held].contains(display),
                    let moment = table.clock.moment(row["oldest"])
                else { return }
                $0.oldest = min($0.oldest ?? moment, moment)
            }
        }
        if !isAll {
            for row in try session.rows(
                "SELECT DISTINCT j.\(table.queue) AS queue FROM \(table.table) j")
            { with(shown(row["queue"])) { _ in } }
            // The rows that were not counted may be in any state.
            for name in Array(found.keys) { found[name]?.bounds = Set(ForeignCount.allCases) }
        }
        for other in table.others { try count(other) { with($0, $1) } }
        for (key, hold) in try holds() { with(key.text) { $0.hold = hold } }
        for (key, reason) in try ownPauses() { with(key.text) { $0.ownPause = reason } }
        return found.values.sorted { $0.name.precedes($1.name) }
    }

    private func count(
        _ other: OtherRows, _ with: (String, (inout ForeignQueue) -> Void) -> Void
    ) throws {
        let (rows, limit) = try counts {
            counting(
                other.table, other.queue, "'\(other.display.rawValue)'", nil,
                RowTable.of("j", other.condition), limit: $0)
        }
        let isAll = Self.total(rows) <= limit
        for row in rows {
            let count = min(Int(clamping: row["n"]?.integer ?? 0), limit)
            with(shown(row["queue"])) { $0.add(count, other.display, isBound: !isAll) }
        }
    }

    /// The rows of a question for counts, and the limit that they keep to.
    private func counts(_ question: (Int) -> String) throws -> (rows: [JSONValue], limit: Int) {
        let began = SystemClock.monotonicMilliseconds()
        let rows = try session.rows(question(countLimits.first))
        let took = SystemClock.monotonicMilliseconds() - began
        guard Self.total(rows) > countLimits.first, took <= Self.quickMilliseconds else {
            return (rows, countLimits.first)
        }
        return (try session.rows(question(countLimits.most)), countLimits.most)
    }

    private static func total(_ rows: [JSONValue]) -> Int {
        rows.reduce(0) { $0 + Int(clamping: $1["n"]?.integer ?? 0) }
    }

    private func counting(
        _ table: String, _ queue: String, _ display: String, _ created: String?,
        _ condition: String = "1 = 1", limit: Int
    ) -> String {
        """
        SELECT queue, display, count(*) AS n, min(created) AS oldest FROM (
        SELECT j.\(queue) AS queue, \(display) AS display,
        \(created.map { "j.\($0)" } ?? "NULL") AS created FROM \(table) j WHERE \(condition)
        LIMIT \(limit + 1)) c GROUP BY queue, display
        """
    }
}
