import SluiceModel

/// Maps an attempt to its columns.
enum AttemptRow {
    static let columns = names.joined(separator: ", ")

    private static let names = ["task", "number"] + changing
    private static let changing = [
        "queue", "type", "runner", "started_at", "ended_at", "outcome", "is_counted", "error",
        "fraction", "progress", "log", "child_pid", "child_start", "end_sequence",
        "consequence", "injection",
    ]

    /// In a file one row may be in the way by either of its keys.
    static let put = Query(
        "\(RowChange.insert(into: "sluice_attempt", names).sql) ON CONFLICT \(update)",
        other: written.sql, change: written)
    private static let written = RowChange.insert(
        into: "sluice_attempt", names, replacing: ["task", "number"])

    /// The shared and the individual columns of attempts that have only an end.
    private static let alike = ["queue", "type", "runner", "ended_at", "outcome", "is_counted"]
    private static let own = ["task", "number", "started_at", "end_sequence"]

    /// The statement for `rows` of them.
    static func put(rows: Int) -> Query { Query(putText(rows: rows)) }

    private static func putText(rows: Int) -> String {
        let shared = (1...alike.count).map { "?\($0)" }
        let lines = (0..<rows).map { row in
            let values = (1...own.count).map { "?\(alike.count + row * own.count + $0)" }
            return "(\((shared + values).joined(separator: ", ")))"
        }
        return """
            INSERT INTO sluice_attempt (\((alike + own).joined(separator: ", ")))
            VALUES \(lines.joined(separator: ", ")) ON CONFLICT \(update)
            """
    }

    private static let update =
        "DO UPDATE SET \(changing.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))"

    /// `end_sequence` is the row's key. A running attempt, or an attempt of another store that the
    /// journal lacks, has a unique negative key.
    private static func rowNumber(_ attempt: AttemptRecord) -> Int64 {
        if attempt.endSequence > 0 { return attempt.endSequence }
        return -(attempt.task << 20 | Int64(attempt.number) & 0xFFFFF)
    }

    static func bind(_ attempt: AttemptRecord, to statement: any BoundStatement) {
        statement.bind(attempt.task)
        statement.bind(attempt.number)
        statement.bind(attempt.queue)
        statement.bind(attempt.type)
        statement.bind(attempt.runner)
        statement.bind(attempt.startedAt)
        statement.bind(attempt.endedAt)
        statement.bind(attempt.outcome?.rawValue)
        statement.bind(attempt.isCounted)
        statement.bind(attempt.error)
        statement.bind(attempt.fraction)
        statement.bind(attempt.progressText)
        statement.bind(attempt.log.isEmpty ? nil : JSONValue(attempt.log).text)
        statement.bind(attempt.childPID)
        statement.bind(attempt.childStartTime.map { Int64(bitPattern: $0) })
        statement.bind(rowNumber(attempt))
        statement.bind(attempt.consequence)
        statement.bind(attempt.injection?.stored.text)
    }

    static func read(_ row: any BoundStatement) throws(QueueError) -> AttemptRecord {
        let place = QueueTask(
            id: row.integer(0), queue: row.text(2), type: row.text(3), position: 0,
            createdAt: row.moment(5))
        var attempt = AttemptRecord(
            task: place, number: row.int(1), runner: row.integer(4), startedAt: row.moment(5))
        attempt.endedAt = row.optionalMoment(6)
        if let word = row.optionalText(7) {
            guard let outcome = AttemptRecord.Outcome(rawValue: word) else {
                throw StoredFields.damage("outcome \(word)")
            }
            attempt.outcome = outcome
        }
        attempt.isCounted = row.integer(8) != 0
        attempt.error = row.optionalText(9)
        attempt.fraction = row.optionalDouble(10)
        attempt.progressText = row.optionalText(11)
        if let log = row.optionalText(12) {
            attempt.log = try [String].read(StoredFields.parse(log), at: "log")
        }
        attempt.childPID = row.optionalInteger(13)
        attempt.childStartTime = row.optionalInteger(14).map { UInt64(bitPattern: $0) }
        let number = row.integer(15)
        attempt.endSequence = number > 0 ? number : attempt.outcome == nil ? 0 : -1
        attempt.consequence = row.optionalText(16)
        if let injection = row.optionalText(17) {
            attempt.injection = try Injection(stored: StoredFields.parse(injection))
        }
        return attempt
    }
}

/// Maps a journal line to its columns.
enum EventRow {
    static func columns(withUndo: Bool) -> String {
        let undo = withUndo ? "undo" : "NULL"
        return "sequence, at, kind, queue, task, by, text, \(undo), undone_by, bulk, script"
    }

    static let insert = Query(
        .insert(
            into: "sluice_event",
            [
                "sequence", "at", "kind", "queue", "task", "by", "text", "undo", "undone_by",
                "bulk", "script",
            ]))

    static func bind(
        _ event: JournalEvent, sequence: Int64, images: String?, to statement: any BoundStatement
    ) {
        statement.bind(sequence)
        statement.bind(event.at)
        statement.bind(event.kind)
        statement.bind(event.queue)
        statement.bind(event.task)
        statement.bind(event.by)
        statement.bind(event.text)
        statement.bind(images)
        statement.bind(event.undoneBy)
        statement.bind(event.bulk)
        statement.bind(event.script)
    }

    static func read(_ row: any BoundStatement) throws(QueueError) -> JournalEvent {
        var event = JournalEvent(
            sequence: row.integer(0), at: row.moment(1), kind: row.text(2),
            queue: row.optionalText(3), task: row.optionalInteger(4), by: row.text(5),
            text: row.text(6))
        if let undo = row.optionalText(7), undo == JournalImages.gone {
            event.hasLostImages = true
        } else if let undo = row.optionalText(7) {
            event.undo = try UndoRecord(stored: StoredFields.parse(undo))
        }
        event.undoneBy = row.optionalInteger(8)
        event.bulk = row.optionalInteger(9)
        event.script = row.optionalText(10)
        return event
    }
}
