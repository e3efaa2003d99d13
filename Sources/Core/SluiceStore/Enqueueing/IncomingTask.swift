public import SluiceModel

/// A task that comes from elsewhere, with all of its past: what an import brings in.
public struct IncomingTask: Hashable, Sendable {
    /// The task as it was there. Its number, position, parent and whether it is held are another
    /// store's.
    public var task: QueueTask
    /// The payload.
    public var payload: [UInt8]
    /// The result, where it has one.
    public var result: [UInt8]?
    /// Its executions there, oldest first.
    public var attempts: [AttemptRecord] = []
    /// By what it is known (`TaskOrigin`).
    public var origin: String
    /// By what the task is known whose handler enqueued it.
    public var parentOrigin: String?
    /// Whether it takes the queue's expiry where it has none: it was in no store before.
    public var takesExpiry = false

    /// A task with its payload.
    public init(task: QueueTask, payload: [UInt8], origin: String) {
        self.task = task
        self.payload = payload
        self.origin = origin
    }
}

/// What became of tasks that came from elsewhere.
public struct IncomingResult: Hashable, Sendable {
    /// The numbers of those that came in.
    public var added: [TaskID] = []
    /// How many were here already.
    public var known = 0
    /// Those that could not come in, by their places, and why.
    public var refused: [Int: QueueError] = [:]

    /// Nothing yet.
    public init() {}
}
