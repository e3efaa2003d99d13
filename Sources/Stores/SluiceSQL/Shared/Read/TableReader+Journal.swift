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

/// The images for checkpoints (G5).
extension TableReader {
    private enum ImageSQL {
        static let one = Query(
            "SELECT 1 FROM sluice_image WHERE mark = ? AND kind = ? AND task = ? AND queue = ?")
        static let all = Query(
            """
            SELECT mark, kind, task, queue, record, bytes FROM sluice_image
            WHERE mark >= ? AND mark < ? ORDER BY mark
            """)
        static let subjects = Query(
            """
            SELECT count(*) FROM (
                SELECT DISTINCT kind, task, queue FROM sluice_image
                WHERE mark >= ? AND kind IN (\(kinds))) AS found
            """)
        static let bytes = Query(
            "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM sluice_image WHERE mark >= ?")

        static let steps = Query("SELECT record FROM sluice_step ORDER BY token")
        static let tokens = Query("SELECT token FROM sluice_step ORDER BY token")

        private static let kinds = ImagePlace.counted.map { "\($0)" }.joined(separator: ", ")
    }

    package func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) throws -> Set<CheckpointImage.Subject> {
        func bind(_ subject: CheckpointImage.Subject, to row: any BoundStatement) {
            let place = ImagePlace(subject)
            row.bind(mark)
            row.bind(place.kind)
            row.bind(place.task)
            row.bind(place.queue)
        }
        var found: Set<CheckpointImage.Subject> = []
        let questions = subjects.map { subject in
            (query: ImageSQL.one, bind: { bind(subject, to: $0) })
        }
        if subjects.count > 1, let rows = try connection.together(questions) {
            for (subject, row) in zip(subjects, rows) where try row.next() { found.insert(subject) }
            return found
        }
        for subject in subjects {
            let row = try connection.prepare(ImageSQL.one)
            defer { row.reset() }
            bind(subject, to: row)
            if try row.next() { found.insert(subject) }
        }
        return found
    }

    package func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage] {
        let row = try connection.prepare(ImageSQL.all)
        defer { row.reset() }
        row.bind(mark)
        row.bind(end)
        var (found, seen): ([CheckpointImage], Set<CheckpointImage.Subject>) = ([], [])
        while try row.next() {
            let image = try ImageRow.read(row)
            if seen.insert(image.subject).inserted { found.append(image) }
        }
        return found
    }

    package func steps() throws -> [StepImage] {
        let row = try connection.prepare(ImageSQL.steps)
        defer { row.reset() }
        var found: [StepImage] = []
        while try row.next() {
            found.append(try StepImage(stored: StoredFields.parse(row.text(0))))
        }
        return found
    }

    func stepTokens() throws(QueueError) -> [Int64] {
        let row = try connection.prepare(ImageSQL.tokens)
        defer { row.reset() }
        return try row.integers()
    }

    package func imageCounts(from mark: Int64) throws -> ImageCounts {
        func number(_ query: Query) throws(QueueError) -> Int64 {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(mark)
            return try row.next() ? row.integer(0) : 0
        }
        return ImageCounts(
            subjects: Int(try number(ImageSQL.subjects)), bytes: try number(ImageSQL.bytes))
    }
}

/// Ends per minute and per kind of error, and waiting and running tasks per type.
extension TableReader {
    private enum EndSQL {
        /// Waiting tasks of the types that are not the main one, which an index holds by type.
        static let readyOthers = Query(
            """
            SELECT type, 0, count(*) FROM sluice_task INDEXED BY sluice_task_type
            WHERE queue = ? AND lane = \(IndexBucket.otherType) GROUP BY type
            """)
        static let heldOthers = Query(
            """
            SELECT type, 0, count(*) FROM sluice_task
            WHERE queue = ? AND lane > \(IndexBucket.otherType) GROUP BY type
            """)
        static let running = Query(
            """
            SELECT type, 1, count(*) FROM sluice_task
            WHERE queue = ? AND lane = \(IndexBucket.number(of: .running)) GROUP BY type
            """)
    }

    package func typeCounts() throws -> [TypeCount] {
        try queues(.holding([.waiting, .running])).flatMap { queue in
            try typeCounts(of: try requireEntry(queue.record.name))
        }
    }

    /// One type is counted with its queue. Of several the main one, which most tasks have, is what
    /// the queue has more than the others.
    private func typeCounts(of queue: QueueEntry) throws -> [TypeCount] {
        let name = queue.record.name
        if let type = queue.types.main, !queue.types.isMixed {
            let counts = try counts(of: name)
            let count = TypeCount(
                queue: name, type: type, waiting: counts[.waiting], running: counts[.running])
            return count.waiting + count.running > 0 ? [count] : []
        }
        var found: [String: TypeCount] = [:]
        for query in [EndSQL.readyOthers, EndSQL.heldOthers, EndSQL.running] {
            let row = try connection.prepare(query)
            defer { row.reset() }
            row.bind(queue.id)
            while try row.next() {
                let type = row.text(0)
                let isWaiting = try TaskState.Name(code: row.integer(1)) == .waiting
                found[type, default: TypeCount(queue: name, type: type)]
                    .add(row.int(2), isWaiting: isWaiting)
            }
        }
        // The main type has the rest of the tallies.
        if let main = queue.types.main {
            let rest = try counts(of: name)[.waiting] - found.values.reduce(0) { $0 + $1.waiting }
            if rest > 0 {
                found[main, default: TypeCount(queue: name, type: main)]
                    .add(rest, isWaiting: true)
            }
        }
        return Array(found.values)
    }

    package func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts] {
        guard let id = try queueID(queue) else { return [] }
        try writeTallies()
        let codes = EndedRow.codes(what)
        let row = try connection.prepare(EndedRow.select(what))
        defer { row.reset() }
        row.bind(id)
        row.bind(codes.first)
        row.bind(codes.end)
        row.bind(EndedCounts.minute(of: since))
        var found: [EndedCounts] = []
        while try row.next() {
            let counts = try EndedRow.read(row, what)
            if counts.total > 0 { found.append(counts) }
        }
        return found
    }

    package func waitingStarts(queue: String, since: Timestamp?) throws -> [Int64: Int] {
        guard let id = try queueID(queue) else { return [:] }
        try writeTallies()
        let row = try connection.prepare(WaitingMinutes.select)
        defer { row.reset() }
        row.bind(id)
        row.bind(since.map(EndedCounts.minute(of:)) ?? .min)
        var found: [Int64: Int] = [:]
        while try row.next() { found[row.integer(0)] = row.int(1) }
        return found
    }

    package func failureCounts(queue: String?) throws -> [FailureCount] {
        guard let id = try queueID(queue) else { return [] }
        try writeTallies()
        let row = try connection.prepare(queue == nil ? FailureRow.ofAll : FailureRow.ofQueue)
        defer { row.reset() }
        if queue != nil { row.bind(id) }
        var found: [FailureCount] = []
        while try row.next() { found.append(FailureRow.read(row)) }
        return found
    }

    /// 0 for all together; nil if there is no such queue.
    private func queueID(_ name: String?) throws -> Int64? {
        guard let name else { return 0 }
        return try entry(name)?.id
    }
}

extension TypeCount {
    fileprivate mutating func add(_ count: Int, isWaiting: Bool) {
        if isWaiting { waiting += count } else { running += count }
    }
}
