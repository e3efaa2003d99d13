package import SluiceModel
package import SluiceStore

/// Searches of payloads. If no other condition narrows a page, it reads a task's row only if the
/// payload matches.
extension TableReader {
    private enum SQL {
        static let forwards = made(isBackwards: false)
        static let backwards = made(isBackwards: true)

        private static func made(isBackwards: Bool) -> Query {
            Query(
                """
                SELECT t.id, t.rank, coalesce(
                    t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id))
                FROM sluice_task t
                WHERE t.queue = ?1 AND t.lane = ?2 AND t.rank \(isBackwards ? "<" : ">") ?3
                ORDER BY t.rank\(isBackwards ? " DESC" : "") LIMIT ?4
                """)
        }
    }

    private enum RowSQL {
        static let numbers = Query(
            "SELECT (SELECT min(id) FROM sluice_task), (SELECT max(id) FROM sluice_task)")
        static let share = Query(
            """
            SELECT coalesce(sum(n), 0), coalesce(sum(CASE WHEN queue = ?1 THEN n ELSE 0 END), 0)
            FROM \(Tallies.rows)
            """)
    }

    /// The maximum number of other queues' tasks, per task of this queue, for a scan in row order
    /// to be faster than the queue's index.
    private static let otherTasks: Int64 = 2

    package func rowNumbers(ofSearchIn queue: String?) throws -> ClosedRange<TaskID>? {
        if let queue {
            guard let entry = try entry(queue), try isLarge(entry.id) else { return nil }
        }
        let row = try connection.prepare(RowSQL.numbers)
        defer { row.reset() }
        guard try row.next(), let first = row.optionalInteger(0), let last = row.optionalInteger(1)
        else { return nil }
        return first...last
    }

    /// Whether the queue's share of all tasks is large enough for a scan in row order.
    private func isLarge(_ queue: Int64) throws -> Bool {
        let share = try connection.prepare(RowSQL.share)
        defer { share.reset() }
        share.bind(queue)
        return try share.next()
            && share.integer(0) <= share.integer(1) * (1 + Self.otherTasks)
    }

    package func look(_ search: RowSearch) throws -> RowFinding {
        var queue: Int64?
        if let name = search.queue {
            guard let entry = try entry(name) else { return RowFinding() }
            queue = entry.id
        }
        let states = search.states.reduce(UInt32(0)) { $0 | 1 << UInt32($1.code) }
        let scan = RowScan(
            numbers: search.numbers, queue: queue, states: states, condition: search.condition,
            limit: search.limit, hitLimit: search.hitLimit)
        return try connection.look(scan) ?? RowFinding()
    }

    private struct Looked {
        var id: TaskID
        var rank: OrderKey
        var isFound: Bool
    }

    package func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        let isNarrowed =
            query.waitFlags != nil || query.types != nil || query.group != nil || query.isOffline
            || !query.withoutTypes.isEmpty
        guard let text, !isNarrowed, let queue = try entry(query.queue), query.limit > 0 else {
            return try wholePage(query, holding: text)
        }
        let places =
            query.state == .waiting
            ? try buckets(of: queue.id) : [IndexBucket.number(of: query.state)]
        var looked: [Looked] = []
        for place in places { looked += try look(query, queue.id, place, for: text) }
        if places.count > 1 {
            looked.sort { query.isBackwards ? $0.rank > $1.rank : $0.rank < $1.rank }
            looked = Array(looked.prefix(query.limit))
        }
        var page = SearchPage()
        page.looked = looked.count
        page.last = looked.last?.rank
        page.tasks = try tasks(looked.filter(\.isFound).map(\.id))
        return page
    }

    private func look(
        _ query: TaskQuery, _ queue: Int64, _ place: Int64, for text: [UInt8]
    ) throws(QueueError) -> [Looked] {
        let row = try connection.prepare(query.isBackwards ? SQL.backwards : SQL.forwards)
        defer { row.reset() }
        row.bind(queue)
        row.bind(place)
        row.bind(query.after?.bytes ?? PageQuery.start(isBackwards: query.isBackwards))
        row.bind(query.limit)
        var looked: [Looked] = []
        while try row.next() {
            looked.append(
                Looked(
                    id: row.integer(0), rank: OrderKey(bytes: row.bytes(1)),
                    isFound: row.holds(text, in: 2)))
        }
        return looked
    }
}
