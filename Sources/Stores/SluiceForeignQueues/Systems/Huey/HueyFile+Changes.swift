import SluiceModel
import SluiceSQLiteClient

extension HueyFile {
    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let detail = try require(reference)
        try check(change.verb, on: detail.task)
        let queue = detail.task.queue
        let found = try place(of: reference, in: queue)
        guard let row = found?.row else {
            throw QueueError(
                .changed, "task \(reference) has changed: a consumer took it",
                fix: "look at it again and repeat the verb")
        }
        return try file.write {
            try keep(row, reference, change.verb, author)
            try apply(change, to: row, detail.task)
            guard file.changes == 1 else {
                throw QueueError(
                    .changed, "task \(reference) has changed: a consumer took it",
                    fix: "look at it again and repeat the verb")
            }
            guard case .priority = change else { return ForeignAnswer(changed: [reference]) }
            return ForeignAnswer(
                changed: [reference],
                consequences: [
                    "its message keeps its own priority: huey's retry of the task has that one"
                ])
        }
    }

    private func apply(
        _ change: ForeignChange, to row: Int64, _ task: ForeignTask
    ) throws {
        switch change {
        case .skip: try set(row, "queue", .text(Self.skippedPrefix + task.queue))
        case .unskip:
            let isHeld = try heldNow()[task.queue] != nil
            try set(row, "queue", .text(isHeld ? Self.heldPrefix + task.queue : task.queue))
        case .delete: try file.rows("DELETE FROM task WHERE id = ?", [.integer(row)])
        case .priority(let number): try set(row, "priority", .number(Double(number)))
        case .edit(let value):
            guard let message = HueyMessage(try data(row)) else {
                throw QueueError.notLegal("it is no message that could be read")
            }
            try set(row, "data", .bytes(try message.edited(value)))
        case .postpone(let moment):
            let bytes = try data(row)
            try file.rows(
                "INSERT INTO schedule (queue, data, timestamp) VALUES (?, ?, ?)",
                [
                    .text(task.queue),
                    .bytes(try HueyMessage(bytes)?.postponed(to: moment) ?? bytes),
                    .number(Double(moment.milliseconds) / 1000),
                ])
            try file.rows("DELETE FROM task WHERE id = ?", [.integer(row)])
        case .move(let place): try move(row, place, in: task.queue)
        case .retry: break
        }
    }

    private func data(_ row: Int64) throws -> [UInt8] {
        let found = try file.rows("SELECT data FROM task WHERE id = ?", [.integer(row)])
        return found.first?.first?.bytes ?? []
    }

    private func set(_ row: Int64, _ column: String, _ value: SQLiteValue) throws {
        try file.rows("UPDATE task SET \(column) = ? WHERE id = ?", [value, .integer(row)])
    }

    private func keep(
        _ row: Int64, _ reference: String, _ verb: ForeignVerb,
        _ author: ForeignAuthor
    ) throws {
        try file.rows(
            """
            CREATE TABLE IF NOT EXISTS \(Self.undo) (number INTEGER PRIMARY KEY, person TEXT,
            verb TEXT, task TEXT, row INTEGER, queue TEXT, data BLOB, priority REAL,
            deed TEXT)
            """)
        if try !hasDeeds() { try file.rows("ALTER TABLE \(Self.undo) ADD COLUMN deed TEXT") }
        try file.rows(
            """
            INSERT INTO \(Self.undo) (person, verb, task, row, queue, data, priority, deed)
            SELECT ?, ?, ?, id, queue, data, priority, ? FROM task WHERE id = ?
            """,
            [
                .text(author.person), .text(verb.rawValue), .text(reference),
                .text(author.deed ?? ""), .integer(row),
            ])
    }

    /// Whether the undo table has the column of deeds, which an older program did not make.
    private func hasDeeds() throws -> Bool {
        try !file.rows(
            "SELECT 1 FROM pragma_table_info(?) WHERE name = 'deed'", [.text(Self.undo)]
        ).isEmpty
    }

    /// Moves a task to the start or the end of a priority: below the lowest row number, or above
    /// the highest.
    private func move(_ row: Int64, _ place: ForeignPlace, in queue: String) throws {
        switch place {
        case .first:
            try file.rows(
                """
                UPDATE task SET id = (SELECT min(id) - 1 FROM task),
                priority = (SELECT max(t.priority) FROM task t WHERE t.queue = task.queue)
                WHERE id = ?
                """, [.integer(row)])
        case .last:
            try file.rows(
                """
                UPDATE task SET id = (SELECT max(id) + 1 FROM task),
                priority = (SELECT min(t.priority) FROM task t WHERE t.queue = task.queue)
                WHERE id = ?
                """, [.integer(row)])
        case .before, .after:
            throw QueueError.notLegal(
                "huey orders by row numbers, and two of them have no room between",
                fix: "sluice move TASK --first, or sluice priority")
        }
    }

    func lastRecord(by person: String) throws -> ForeignRecord? {
        guard try hasTable(Self.undo) else { return nil }
        let number = try file.rows(
            "SELECT max(number) FROM \(Self.undo) WHERE person = ?", [.text(person)]
        ).first?[0].integer
        return number.map { ForeignRecord(journal: Self.undo, number: $0) }
    }

    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        guard try hasTable(Self.undo) else { return nil }
        let kept = try file.rows(
            """
            SELECT number, verb, task, row, queue, data, priority,
            \(try hasDeeds() ? "deed" : "NULL") FROM \(Self.undo)
            WHERE person = ? ORDER BY number DESC LIMIT 1
            """, [.text(author.person)])
        guard let row = kept.first, let reference = row[2].text, let verb = row[1].text,
            author.deed == nil || author.deed == row[7].text
        else { return nil }
        let undone = ForeignUndone(reference, verb, deed: row[7].text)
        do {
            try revert(row, reference, verb)
            return undone
        } catch let error as QueueError where error.code == .changed {
            try file.rows(
                """
                UPDATE \(Self.undo)
                SET number = (SELECT min(number, 0) - 1 FROM \(Self.undo) ORDER BY number LIMIT 1)
                WHERE number = ?
                """, [row[0]])
            return undone.tooLate
        }
    }

    private func revert(
        _ row: [SQLiteValue], _ reference: String, _ verb: String
    ) throws {
        let name = Self.plain(row[4].text ?? "").name
        try file.write {
            try file.rows("DELETE FROM \(Self.undo) WHERE number = ?", [row[0]])
            guard file.changes == 1 else { throw QueueError.undoneTooLate(verb, reference) }
            if verb != ForeignVerb.delete.rawValue { try removeRow(reference, name, verb) }
            // Restore the task as held or free, depending on its queue's current hold.
            var queue = row[4].text ?? name
            if Self.plain(queue).display != .skipped {
                queue = try heldNow()[name] == nil ? name : Self.heldPrefix + name
            }
            try file.rows(
                """
                INSERT INTO task (id, queue, data, priority) SELECT
                CASE WHEN ?1 IN (SELECT id FROM task) THEN NULL ELSE ?1 END, ?2, ?3, ?4
                """, [row[3], .text(queue), row[5], row[6]])
        }
    }

    /// The row as the change left it goes.
    private func removeRow(_ reference: String, _ queue: String, _ verb: String) throws {
        if verb == ForeignVerb.postpone.rawValue {
            let timed = try file.rows(
                "SELECT id, data FROM schedule WHERE queue = ?", [.text(queue)])
            let found = timed.first {
                $0[1].bytes.flatMap { HueyMessage($0) }?.id.isSame(as: reference) == true
            }
            if let found {
                try file.rows("DELETE FROM schedule WHERE id = ?", [found[0]])
                return
            }
        } else if let place = try place(of: reference, in: queue) {
            try file.rows("DELETE FROM task WHERE id = ?", [.integer(place.row)])
            return
        }
        throw QueueError(
            .changed, "task \(reference) has changed: a consumer took it",
            fix: "look at it again and repeat the verb")
    }
}
