import SluiceModel
package import SluiceStore

/// The commits that bodies leave for a recording (G6). Without one this costs only a look at the
/// store's record.
extension TableWriter {
    private enum SQL {
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
        try change(SQL.forget, number)
        try change(SQL.empty, number)
    }

    func clearRecords() throws(QueueError) { try connection.prepare(SQL.clear).run() }

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
        let row = try connection.prepare(SQL.insert)
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
        let row = try connection.prepare(SQL.span)
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
