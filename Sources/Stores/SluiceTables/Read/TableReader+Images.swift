package import SluiceModel
package import SluiceStore

/// The images for checkpoints (G5).
extension TableReader {
    private enum SQL {
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
            (query: SQL.one, bind: { bind(subject, to: $0) })
        }
        if subjects.count > 1, let rows = try connection.together(questions) {
            for (subject, row) in zip(subjects, rows) where try row.next() { found.insert(subject) }
            return found
        }
        for subject in subjects {
            let row = try connection.prepare(SQL.one)
            defer { row.reset() }
            bind(subject, to: row)
            if try row.next() { found.insert(subject) }
        }
        return found
    }

    package func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage] {
        let row = try connection.prepare(SQL.all)
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
        let row = try connection.prepare(SQL.steps)
        defer { row.reset() }
        var found: [StepImage] = []
        while try row.next() {
            found.append(try StepImage(stored: StoredFields.parse(row.text(0))))
        }
        return found
    }

    func stepTokens() throws(QueueError) -> [Int64] {
        let row = try connection.prepare(SQL.tokens)
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
            subjects: Int(try number(SQL.subjects)), bytes: try number(SQL.bytes))
    }
}
