package import SluiceModel
package import SluiceStore

/// Journal lines and executions, by their numbers.
extension TableReader {
    private enum SQL {
        static let attempts = Query(
            "SELECT \(AttemptRow.columns) FROM sluice_attempt WHERE task = ?"
                + " ORDER BY number LIMIT ?")
        static let last = Query(last("kind <> 'undo'"))
        static let lastUndo = Query(last("kind = 'undo'"))

        private static func last(_ kind: String) -> String {
            """
            SELECT sequence FROM sluice_event
            WHERE by = ? AND undo IS NOT NULL AND undone_by IS NULL AND \(kind)
            ORDER BY sequence DESC LIMIT 1
            """
        }
        /// Separate columns tell whether each can be undone, because images are large.
        static let slices = [
            Query(
                """
                SELECT sequence, kind FROM sluice_event
                WHERE bulk = ? AND undo IS NOT NULL AND undone_by IS NULL
                ORDER BY sequence DESC
                """),
            Query(
                """
                SELECT sequence, kind FROM sluice_event
                WHERE sequence = ? AND undo IS NOT NULL AND undone_by IS NULL
                """),
        ]
        static let events = lines(withUndo: true, withDetail: false)
        static let plainEvents = lines(withUndo: false, withDetail: false)
        static let allEvents = lines(withUndo: true, withDetail: true)
        static let plainAllEvents = lines(withUndo: false, withDetail: true)

        private static func lines(withUndo: Bool, withDetail: Bool) -> JournalQueries {
            let details = JournalEvent.Detail.allCases.map { "'\($0.rawValue)'" }
            let kinds = withDetail ? "" : "kind NOT IN (\(details.joined(separator: ", "))) AND"
            return JournalQueries { place, order in
                """
                SELECT \(EventRow.columns(withUndo: withUndo)) FROM sluice_event
                WHERE \(place) \(kinds) sequence > ? AND sequence < ?
                ORDER BY sequence \(order) LIMIT ?
                """
            }
        }
        static let ends = JournalQueries { place, order in
            """
            SELECT \(AttemptRow.columns) FROM sluice_attempt
            WHERE \(place) end_sequence > 0 AND end_sequence > ? AND end_sequence < ?
            ORDER BY end_sequence \(order) LIMIT ?
            """
        }
    }

    /// A query of the journal for all, one queue or one task, in both directions.
    private struct JournalQueries {
        let all: [Query]
        let ofQueue: [Query]
        let ofTask: [Query]

        init(_ sql: @escaping @Sendable (_ place: String, _ order: String) -> String) {
            all = ["ASC", "DESC"].map { Query(sql("", $0)) }
            ofQueue = ["ASC", "DESC"].map { Query(sql("queue = ? AND", $0)) }
            ofTask = ["ASC", "DESC"].map { Query(sql("task = ? AND", $0)) }
        }
    }

    package func writtenAttempts(of id: TaskID, limit: Int) throws -> [AttemptRecord] {
        let row = try connection.prepare(SQL.attempts)
        defer { row.reset() }
        row.bind(id)
        row.bind(limit)
        var found: [AttemptRecord] = []
        while try row.next() { found.append(try AttemptRow.read(row)) }
        return found
    }

    package func undoable(_ selection: UndoSelection) throws -> [Int64] {
        switch selection {
        case .last(let person, let isUndo): try last(by: person, isUndo: isUndo)
        case .slices(let first): try slices(ofBulk: first)
        }
    }

    private func last(by person: String, isUndo: Bool) throws(QueueError) -> [Int64] {
        let row = try connection.prepare(isUndo ? SQL.lastUndo : SQL.last)
        defer { row.reset() }
        row.bind(person)
        return try row.integers()
    }

    private func slices(ofBulk first: Int64) throws(QueueError) -> [Int64] {
        var (found, followed): ([Int64], [Int64]) = ([], [])
        for query in SQL.slices {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(first)
            while try row.next() {
                if row.text(1) == JournalEvent.followed {
                    followed.append(row.integer(0))
                } else {
                    found.append(row.integer(0))
                }
            }
        }
        return found + followed
    }

    package func journal(_ query: JournalQuery) throws -> [JournalEntry] {
        let isOldestFirst = query.after != nil
        let entries = try lines(query) + ends(query)
        let sorted = entries.sorted { $0.sequence < $1.sequence }
        return Array(isOldestFirst ? sorted.prefix(query.limit) : sorted.suffix(query.limit))
    }

    private func lines(_ query: JournalQuery) throws(QueueError) -> [JournalEntry] {
        let queries =
            query.withDetail
            ? query.withUndo ? SQL.allEvents : SQL.plainAllEvents
            : query.withUndo ? SQL.events : SQL.plainEvents
        let row = try prepared(queries, query)
        defer { row.reset() }
        var found: [JournalEntry] = []
        while try row.next() {
            let event = try EventRow.read(row)
            if query.queue == nil || event.queue == query.queue { found.append(.event(event)) }
        }
        return found
    }

    /// A task has few attempts, so read all and filter.
    private func ends(_ query: JournalQuery) throws -> [JournalEntry] {
        if let id = query.task {
            return try writtenAttempts(of: id).filter { attempt in
                attempt.endSequence > query.after ?? 0
                    && attempt.endSequence < query.before ?? .max
                    && query.queue.map { $0 == attempt.queue } ?? true
            }.map(JournalEntry.attempt)
        }
        let row = try prepared(SQL.ends, query)
        defer { row.reset() }
        var found: [JournalEntry] = []
        while try row.next() { found.append(.attempt(try AttemptRow.read(row))) }
        return found
    }

    private func prepared(
        _ queries: JournalQueries, _ query: JournalQuery
    ) throws(QueueError) -> any BoundStatement {
        let direction = query.after == nil ? 1 : 0
        let place =
            query.task != nil ? queries.ofTask : query.queue != nil ? queries.ofQueue : queries.all
        let row = try connection.prepare(place[direction])
        if let task = query.task {
            row.bind(task)
        } else if let queue = query.queue {
            row.bind(queue)
        }
        row.bind(query.after ?? 0)
        row.bind(query.before ?? .max)
        row.bind(query.limit)
        return row
    }
}
