import SluiceModel
import SluiceSystem

extension HueyFile {
    /// The name of the trigger of a queue's hold.
    private static func trigger(_ queue: String) -> String {
        let digits = queue.utf8.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "sluice_hold_" + digits.joined()
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
            + "'"
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try file.write {
            try file.rows(
                """
                CREATE TABLE IF NOT EXISTS \(Self.holds)
                (queue TEXT PRIMARY KEY, person TEXT NOT NULL, since INTEGER NOT NULL, reason TEXT)
                """)
            guard try heldNow()[queue] == nil else {
                throw QueueError.heldAlready(queue)
            }
            try file.rows(
                "INSERT INTO \(Self.holds) VALUES (?, ?, ?, ?)",
                [
                    .text(queue), .text(note.by), .integer(note.since.milliseconds),
                    note.reason.map { .text($0) } ?? .null,
                ])
            let (own, held) = (Self.quoted(queue), Self.quoted(Self.heldPrefix + queue))
            try file.rows(
                """
                CREATE TRIGGER \(Self.trigger(queue)) AFTER INSERT ON task
                WHEN NEW.queue = \(own)
                BEGIN UPDATE task SET queue = \(held) WHERE id = NEW.id; END
                """)
            try file.rows(
                "UPDATE task SET queue = ? WHERE queue = ?",
                [.text(Self.heldPrefix + queue), .text(queue)])
        }
        return ForeignAnswer(consequences: [
            "waiting tasks are in the queue \(Self.heldPrefix)\(queue)",
            "running tasks finish; a held task whose expires passes is given up",
        ])
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        let moved = try file.write { () -> Int in
            guard try heldNow()[queue] != nil else {
                throw QueueError.notHeld(queue)
            }
            try file.rows("DROP TRIGGER IF EXISTS \(Self.trigger(queue))")
            try file.rows("DELETE FROM \(Self.holds) WHERE queue = ?", [.text(queue)])
            try file.rows(
                "UPDATE task SET queue = ? WHERE queue = ?",
                [.text(queue), .text(Self.heldPrefix + queue)])
            return file.changes
        }
        return ForeignAnswer(consequences: ["\(moved) given back to \(queue)"])
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard try heldNow()[queue] != nil else {
            throw QueueError.notHeldYet(queue)
        }
        guard let found = try steppable(queue, task) else { return nil }
        let (row, task) = found
        let shown = try shown([task], isFirst: false)[0]
        let began = SystemClock.monotonicMilliseconds()
        let data = try file.rows("SELECT data FROM task WHERE id = ?", [.integer(row)])
        try rename(row, from: Self.heldPrefix + queue, to: queue)
        while try isWaiting(row, queue) {
            if SystemClock.monotonicMilliseconds() - began >= limits.takeMilliseconds {
                do {
                    try rename(row, from: queue, to: Self.heldPrefix + queue)
                } catch let error as QueueError where error.code == .changed {
                    break
                }
                throw QueueError.notLegal(
                    "no consumer of \(queue) took \(task.reference); it waits in its place",
                    fix: "start huey_consumer")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
        }
        let had = data.first?.first?.bytes.flatMap { HueyMessage($0) }?.retries ?? 0
        var step = try followed(task, had, began: began, limits)
        let isTimed = try scheduled(queue, limit: 1000).contains {
            $0.1.reference.isSame(as: task.reference)
        }
        if let fate = HueyMessage.fate(of: shown, isInSchedule: isTimed) {
            (step.outcome, step.error, step.note) = (nil, nil, fate)
        }
        return step
    }

    private func steppable(
        _ queue: String, _ reference: String?
    ) throws -> (Int64, ForeignTask)? {
        if let reference {
            guard let place = try place(of: reference, in: queue),
                let found = try rows(of: queue, from: place.order, limit: 1).first
            else { return nil }
            guard found.task.display == .held else {
                throw QueueError.notLegal("task \(reference) is not held")
            }
            return (found.row, found.task)
        }
        guard let first = try rows(of: queue, from: 0, limit: 1).first,
            first.task.display == .held
        else { return nil }
        return (first.row, first.task)
    }

    private func isWaiting(_ row: Int64, _ queue: String) throws -> Bool {
        try !file.rows(
            "SELECT 1 FROM task WHERE id = ? AND queue = ?", [.integer(row), .text(queue)]
        ).isEmpty
    }

    private func rename(_ row: Int64, from old: String, to new: String) throws {
        let count = try file.write { () -> Int in
            try file.rows(
                "UPDATE task SET queue = ? WHERE id = ? AND queue = ?",
                [.text(new), .integer(row), .text(old)])
            return file.changes
        }
        guard count == 1 else {
            throw QueueError(
                .changed, "the task has changed: it is not where it was",
                fix: "look at it again and repeat the verb")
        }
    }

    /// Waits for a result or a retry, the only traces that huey leaves. A successful task without a
    /// result leaves no trace.
    private func followed(
        _ task: ForeignTask, _ retries: Int64, began: Int64, _ limits: StepLimits
    ) throws -> ForeignStep {
        let deadline = SystemClock.monotonicMilliseconds() + min(limits.endMilliseconds, 1_000)
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        step.note = "a consumer took it; huey keeps nothing of a task that gives no result"
        while SystemClock.monotonicMilliseconds() < deadline {
            let result = try file.rows(
                "SELECT value FROM kv WHERE queue = ? AND key = ?",
                [.text(task.queue), .text(task.reference)])
            if let bytes = result.first?.first?.bytes {
                (step.outcome, step.error) = HueyMessage.outcome(bytes)
                step.note = nil
                break
            }
            if retries > 0, let again = try detail(task.reference) {
                let left = again.fields["retries"]?.integer ?? 0
                if left < retries {
                    (step.outcome, step.note) = ("retry", nil)
                    break
                }
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
        }
        step.milliseconds = SystemClock.monotonicMilliseconds() - began
        return step
    }
}

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
            let consequences = try apply(change, to: row, detail.task)
            guard file.changes == 1 else {
                throw QueueError(
                    .changed, "task \(reference) has changed: a consumer took it",
                    fix: "look at it again and repeat the verb")
            }
            return ForeignAnswer(changed: [reference], consequences: consequences)
        }
    }

    private func apply(
        _ change: ForeignChange, to row: Int64, _ task: ForeignTask
    ) throws -> [String] {
        switch change {
        case .skip: try set(row, "queue", .text(Self.skippedPrefix + task.queue))
        case .unskip:
            let isHeld = try heldNow()[task.queue] != nil
            try set(row, "queue", .text(isHeld ? Self.heldPrefix + task.queue : task.queue))
        case .delete: try file.rows("DELETE FROM task WHERE id = ?", [.integer(row)])
        case .priority(let number):
            try set(row, "priority", .number(Double(number)))
            return ["its message keeps its own priority: huey's retry and schedule use that one"]
        case .edit(let value):
            guard let message = HueyMessage(try data(row)) else {
                throw QueueError.notLegal("it is no message that could be read")
            }
            try set(row, "data", .bytes(try message.edited(value)))
        case .postpone(let moment):
            let bytes = try data(row)
            let message = HueyMessage(bytes)
            try file.rows(
                "INSERT INTO schedule (queue, data, timestamp) VALUES (?, ?, ?)",
                [
                    .text(task.queue),
                    .bytes(try message?.postponed(to: moment) ?? bytes),
                    .number(Double(moment.milliseconds) / 1000),
                ])
            try file.rows("DELETE FROM task WHERE id = ?", [.integer(row)])
            let own = message?.priority ?? 0
            guard own != task.priority ?? 0 else { return [] }
            return ["huey's schedule keeps no priority: it returns with its message's own, \(own)"]
        case .move(let place):
            let priority = try move(row, place).number.map { Int64($0) } ?? 0
            guard priority != task.priority ?? 0 else { return [] }
            return ["its place is made by its priority, which is \(priority) now"]
        case .retry: break
        }
        return []
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

    /// Moves a task to the start or the end of the queue: below the lowest row number with the
    /// highest priority, or above the highest with the lowest one. Gives that priority.
    private func move(_ row: Int64, _ place: ForeignPlace) throws -> SQLiteValue {
        let isFirst: Bool
        switch place {
        case .first: isFirst = true
        case .last: isFirst = false
        case .before, .after:
            throw QueueError.notLegal(
                "huey orders by row numbers, and two of them have no room between",
                fix: "sluice move TASK --first, or sluice priority")
        }
        let priority = try file.rows(
            """
            SELECT \(isFirst ? "max" : "min")(priority) FROM task
            WHERE queue = (SELECT queue FROM task WHERE id = ?)
            """, [.integer(row)]
        ).first?.first
        try file.rows(
            """
            UPDATE task SET id = (SELECT \(isFirst ? "min(id) - 1" : "max(id) + 1") FROM task),
            priority = ? WHERE id = ?
            """, [priority ?? .null, .integer(row)])
        return priority ?? .null
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
