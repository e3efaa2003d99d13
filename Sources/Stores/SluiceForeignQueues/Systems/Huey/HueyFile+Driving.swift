import SluiceModel
import SluicePlatform
import SluiceSQLiteClient

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
