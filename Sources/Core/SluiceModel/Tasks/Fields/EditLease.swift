/// The lock of a person who edits a waiting task. It ends when their process ends (B11, A2).
///
/// It keeps the task's version. Any other change increases the version, which ends the lock, and a
/// later save throws `changed` (D8).
package struct EditLease: Hashable, Sendable {
    /// The lifetime of a lock without renewal.
    package static let milliseconds: Int64 = 600_000

    package var task: TaskID
    package var version: Int64
    package var by: String
    /// When it runs out by the store's clock, for people to read; no rule reads it.
    package var until: Timestamp
    /// When it runs out, in milliseconds of the machine's monotonic clock.
    package var untilInstant: Int64

    /// A hold with all its parts.
    package init(
        task: TaskID, version: Int64, by: String, until: Timestamp, untilInstant: Int64
    ) {
        self.task = task
        self.version = version
        self.by = by
        self.until = until
        self.untilInstant = untilInstant
    }

    /// Whether the task still waits with the version of the edit.
    package func holds(_ task: QueueTask) -> Bool {
        self.task == task.id && version == task.version && task.waiting != nil
    }
}

extension QueueTask {
    /// The task without an edit lock.
    package var withoutEdit: QueueTask {
        guard var waiting, waiting.parking?.cause == .editing else { return self }
        waiting.parking = nil
        var task = self
        task.state = .waiting(waiting)
        return task
    }
}
