package import SluiceModel

/// A task that comes from elsewhere, with all of its past: what an import brings in.
package struct IncomingTask: Hashable, Sendable {
    /// The task as it was there. Its number, position, parent and whether it is held are another
    /// store's.
    package var task: QueueTask
    package var payload: [UInt8]
    /// The result, if it has one.
    package var result: [UInt8]?
    /// Its executions there, oldest first.
    package var attempts: [AttemptRecord] = []
    /// Its origin (`TaskOrigin`).
    package var origin: String
    /// The origin of the task whose handler enqueued this one.
    package var parentOrigin: String?
    /// Whether it takes the queue's expiry if it has none: it was in no store before.
    package var takesExpiry = false
    /// Whether it keeps its number: where all tasks of a new store come from one other.
    package var keepsNumber = false

    package init(task: QueueTask, payload: [UInt8], origin: String) {
        self.task = task
        self.payload = payload
        self.origin = origin
    }
}

/// The result of adding tasks from elsewhere.
package struct IncomingResult: Hashable, Sendable {
    package var added: [TaskID] = []
    /// How many were here already.
    package var known = 0
    /// The errors of tasks that were not added, by index.
    package var refused: [Int: QueueError] = [:]

    /// Nothing yet.
    package init() {}
}
