package import SluiceModel
package import SluiceStore

/// Changes of the rows that an application inserted (T4).
extension TableWriter: InboxWriter {
    private enum SQL {
        static let remove = [
            InboxEntry.Table.inbox: Query(.delete(from: "sluice_inbox", where: ["id"])),
            .removed: Query(.delete(from: "sluice_removed", where: ["id"])),
        ]
        static let refuse = [
            InboxEntry.Table.inbox: Query(.update("sluice_inbox", ["error"], where: ["id"])),
            .removed: Query(.update("sluice_removed", ["error"], where: ["id"])),
        ]
        static let removeRefused = Query(
            removal(of: { $0 }), other: removal(of: InboxRow.plain))
        static let reopen = [
            "UPDATE sluice_inbox SET error = NULL WHERE error IS NOT NULL",
            "UPDATE sluice_removed SET error = NULL WHERE error IS NOT NULL",
        ].map { Query($0) }

        private static func removal(of column: (String) -> String) -> String {
            """
            DELETE FROM sluice_inbox
            WHERE error IS NOT NULL AND \(column("queue")) = ? AND \(column("type")) = ?
                AND \(column("unique_key")) = ?
            """
        }
    }

    /// The maximum number of rows taken in by one commit.
    package static let inboxSlice = 1000

    /// Takes in rows at a time. `writeCounts` is left to the end of the commit.
    package func takeIn(_ entries: [InboxEntry], at now: Timestamp) throws {
        try changeInbox(at: now) { try $0.takeIn(entries, from: self) }
    }

    /// Marks a row with the reason for its refusal.
    package func refuse(_ entry: InboxEntry, _ error: QueueError, at now: Timestamp) throws {
        try changeInbox(at: now) { try $0.refuse(entry, error, in: self) }
    }

    private func changeInbox(at now: Timestamp, _ body: (Mutation) throws -> Void) throws {
        try transact(at: now, body)
        try finish()
    }

    package func inboxEntries(limit: Int) throws -> [InboxEntry] {
        guard connection.hasInbox else { return [] }
        return try connection.isRemote ? entriesOfBoth(limit) : entriesOfEach(limit)
    }

    /// The query of both tables, also to be sent ahead.
    func rowsQuestion(limit: Int) -> TableConnection.Question {
        (
            InboxRow.selectBoth,
            { row in
                row.bind(limit)
                row.bind(InboxRow.byteLimit)
            }
        )
    }

    /// Reads both tables in one query: with concurrent commits, two queries would see two
    /// snapshots.
    private func entriesOfBoth(_ limit: Int) throws(QueueError) -> [InboxEntry] {
        let question = rowsQuestion(limit: limit)
        let row = try connection.prepare(question.query)
        defer { row.reset() }
        question.bind(row)
        var found: [InboxEntry] = []
        while try row.next() { found.append(InboxRow.either(row)) }
        return found
    }

    private func entriesOfEach(_ limit: Int) throws(QueueError) -> [InboxEntry] {
        var (tasks, isCut) = try arrivals(limit)
        var removals = try departures(limit)
        // Rows after the end of one list wait until that list continues.
        if isCut, let last = tasks.last { removals.removeAll { $0.after >= last.row } }
        if removals.count == limit, let last = removals.last {
            tasks.removeAll { $0.row > last.after }
        }
        var entries: [InboxEntry] = []
        var rest = removals[...]
        for task in tasks {
            while let first = rest.first, first.after < task.row {
                entries.append(first.entry)
                rest.removeFirst()
            }
            entries.append(task)
        }
        return entries + rest.map(\.entry)
    }

    /// The first tasks that came, and whether there are more.
    private func arrivals(_ limit: Int) throws(QueueError) -> ([InboxEntry], isCut: Bool) {
        let row = try connection.prepare(InboxRow.select)
        defer { row.reset() }
        row.bind(limit)
        var found: [InboxEntry] = []
        var bytes = 0
        while bytes < InboxRow.byteLimit, try row.next() {
            let entry = InboxRow.task(row)
            if case .task(_, let request) = entry.content { bytes += request.payload.count }
            found.append(entry)
        }
        return (found, found.count == limit || bytes >= InboxRow.byteLimit)
    }

    private func departures(
        _ limit: Int
    ) throws(QueueError) -> [(entry: InboxEntry, after: Int64)] {
        let row = try connection.prepare(InboxRow.selectRemovals)
        defer { row.reset() }
        row.bind(limit)
        var found: [(entry: InboxEntry, after: Int64)] = []
        while try row.next() { found.append(InboxRow.removal(row)) }
        return found
    }

    package func removeInboxRow(_ entry: InboxEntry) throws {
        guard let query = SQL.remove[entry.table] else { return }
        try change(query, entry.row)
    }

    package func refuseInboxRow(_ entry: InboxEntry, _ error: String) throws {
        guard let query = SQL.refuse[entry.table] else { return }
        let row = try connection.prepare(query)
        row.bind(error)
        row.bind(entry.row)
        try row.run()
    }

    package func removeRefusedRows(queue: String, type: String, key: String) throws {
        guard connection.hasInbox else { return }
        let row = try connection.prepare(SQL.removeRefused)
        row.bind(queue)
        row.bind(type)
        row.bind(key)
        try row.run()
    }

    package func reopenInbox() throws {
        guard connection.hasInbox else { return }
        for query in SQL.reopen { try connection.prepare(query).run() }
        memory.isInboxEmpty = false
    }
}

/// The commits that bodies leave for a recording (G6). Without one this costs only a look at the
/// store's record.
extension TableWriter {
    private enum RecordingSQL {
        /// The time of the first unmoved commit, the bytes of unmoved commits, and the last number.
        /// The row of the last moved commit comes before them.
        static let span = Query(
            """
            SELECT
                (SELECT min(at) FROM
                    (SELECT at FROM sluice_tape ORDER BY number LIMIT 2) AS first),
                b.total - a.total, b.number, b.total FROM
                (SELECT total FROM sluice_tape ORDER BY number LIMIT 1) AS a
                CROSS JOIN
                (SELECT number, total FROM sluice_tape ORDER BY number DESC LIMIT 1) AS b
            """)
        static let insert = Query(
            .insert(into: "sluice_tape", ["number", "at", "total", "body"]))
        static let clear = Query("DELETE FROM sluice_tape")
        static let forget = Query("DELETE FROM sluice_tape WHERE number < ?")
        /// Keeps the count; the time does not count as the oldest.
        static let empty = Query(
            "UPDATE sluice_tape SET body = '', at = \(Int64.max) WHERE number = ?")
    }

    func isRecorded() throws -> Bool {
        if let known = knownRecording { return known }
        let found = try storeRecord().recording != nil
        knownRecording = found
        return found
    }

    func forgetRecording() {
        knownRecording = nil
        notes.clear()
    }

    package func tape() throws -> TapeNotes? { try isRecorded() ? notes : nil }

    func forgetRecords(through number: Int64) throws(QueueError) {
        try change(RecordingSQL.forget, number)
        try change(RecordingSQL.empty, number)
    }

    func clearRecords() throws(QueueError) { try connection.prepare(RecordingSQL.clear).run() }

    /// Leaves the changes of the body for the recorder. Ends a recording whose recorder has stopped
    /// moving commits.
    func leaveNotes() throws(QueueError) {
        defer { notes.clear() }
        guard knownRecording == true, !notes.commit.isEmpty else { return }
        let moment = notes.commit.at
        let body = notes.commit.stored.text
        var (number, total) = (Int64(0), Int64(0))
        if let span = try span() {
            let now = moment ?? span.oldest
            if Recording.isGivenUp(oldest: span.oldest, bytes: span.bytes, at: now) {
                return try giveUp(at: moment)
            }
            (number, total) = (span.last, span.total)
        }
        let row = try connection.prepare(RecordingSQL.insert)
        row.bind(number + 1)
        // No time begins with what names no moment.
        row.bind(moment?.milliseconds ?? .max)
        row.bind(total + Int64(body.utf8.count))
        row.bind(body)
        try row.run()
    }

    private func giveUp(at moment: Timestamp?) throws(QueueError) {
        do {
            var record = try storeRecord()
            let now = moment ?? record.recording?.since ?? .unknown
            record.recording = nil
            record.version += 1
            try put(record)
            try append([Recording.givenUp(at: now)])
        } catch {
            throw error as? QueueError ?? QueueError.damagedRow("\(error)")
        }
    }

    private struct Span {
        var oldest: Timestamp
        var bytes: Int64
        var last: Int64
        var total: Int64
    }

    /// `nil` without rows.
    private func span() throws(QueueError) -> Span? {
        let row = try connection.prepare(RecordingSQL.span)
        defer { row.reset() }
        guard try row.next() else { return nil }
        return Span(
            oldest: row.moment(0), bytes: row.integer(1), last: row.integer(2),
            total: row.integer(3))
    }
}

/// The commits left for a recorder.
extension TableReader {
    package func recorded(limit: Int) throws -> [RecordedCommit] {
        let row = try connection.prepare(Self.recordedRows)
        defer { row.reset() }
        row.bind(limit)
        var found: [RecordedCommit] = []
        while try row.next() {
            let commit = try TapeCommit(stored: StoredFields.parse(row.text(1)))
            found.append(RecordedCommit(number: row.integer(0), commit))
        }
        return found
    }

    private static let recordedRows = Query(
        "SELECT number, body FROM sluice_tape WHERE body <> '' ORDER BY number LIMIT ?")
}
