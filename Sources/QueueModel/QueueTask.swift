/// The number of a task: unique in its store, never reused, shown as `#1042` (T1).
public typealias TaskID = Int64

/// The number of a process that is attached to a store.
public typealias ProcessID = Int64

/// What decides the place of a task in a queue with the order `key` (Q1).
public enum SortKey: Hashable, Sendable {
    case integer(Int64)
    case text(String)
}

/// What a task needs before it may start (B6).
public enum Requirement: String, Hashable, Sendable, CaseIterable {
    case network, unmetered
}

/// What an enqueue does when a task with its unique key already waits (T5).
public enum UniquePolicy: String, Hashable, Sendable, CaseIterable {
    case keep, replace, reject
}

/// A unit of work in a queue: which handler runs it, where it stands, and what became of it (T1).
///
/// The payload is not part of the value: it is read apart, so that a list stays small. What few
/// tasks have stands behind a reference: tasks are copied more often than anything else.
public struct QueueTask: Hashable, Sendable {
    /// The number of the task, unique in the store.
    public var id: TaskID
    /// The name of its queue.
    public var queue: String
    /// Which handler runs it.
    public var type: String
    /// Its place in the order of arrival; `move` changes it, and no two tasks of a queue share one.
    public var position: Int64
    /// Larger runs first; only the order `priority` reads it.
    public var priority: Int64 = 0
    /// Counted executions so far; back to 0 by `retry` of a given-up task.
    public var attempts = 0
    /// Every execution so far; numbers the attempt log and never goes back.
    public var executions = 0
    /// When it was enqueued.
    public var createdAt: Timestamp
    /// When it last changed.
    public var updatedAt: Timestamp
    /// Grows with fields, state and attempts; not with index columns or progress.
    public var version: Int64 = 1
    /// Where it is in its life (T2).
    public var state: TaskState
    /// An index column: a start of one of its groups holds it (B5). Kept by the operations, equal
    /// to the pure rule, and not part of the version.
    public var isHeld = false
    /// An index column: when the task became, or becomes, fresh for a batched run; 0 when it is a
    /// left-over (Q4).
    public var freshAt = Timestamp(milliseconds: 0)
    var rare = Shared<RareFields>.plain

    /// A task that waits.
    public init(
        id: TaskID, queue: String, type: String, position: Int64, createdAt: Timestamp,
        state: TaskState = .waiting(Waiting())
    ) {
        self.id = id
        self.queue = queue
        self.type = type
        self.position = position
        self.createdAt = createdAt
        self.updatedAt = createdAt
        self.state = state
    }
}

extension QueueTask {
    /// Whether the task starts or belongs to a group.
    public var hasGroupRole: Bool { groupStart != nil || !groupMembers.isEmpty }

    /// What it waits with, when it waits.
    public var waiting: Waiting? {
        if case .waiting(let waiting) = state { return waiting }
        return nil
    }

    /// Who runs it, when it runs.
    public var running: Running? {
        if case .running(let running) = state { return running }
        return nil
    }

    /// The policy that applied when a start ended without success, if it did (Q10).
    public var endedStartPolicy: StartFailurePolicy? {
        switch state {
        case .failed(let failure): failure.startPolicy
        case .deleted(let trash): trash.startPolicy
        case .waiting, .running, .succeeded: nil
        }
    }

    /// Whether the task, as the start of its group, holds members that come after it (B5, N2).
    public var holdsMembers: Bool {
        guard groupStart != nil else { return false }
        switch state {
        case .waiting, .running: return true
        case .succeeded: return false
        case .failed, .deleted: return endedStartPolicy == .hold
        }
    }

    /// Whether the task has ended and its client has collected the result (S4).
    public var isAcknowledged: Bool {
        switch state {
        case .succeeded(let success): success.isAcknowledged
        case .failed(let failure): failure.isAcknowledged
        case .deleted(let trash): trash.isAcknowledged
        case .waiting, .running: false
        }
    }

    /// Whether a session still has to hear of it, so that nothing forgets it (S4).
    public var isAwaited: Bool { session != nil && !isAcknowledged }

    /// Whether the expiry of a waiting task has passed, so that it counts as failed (Q8).
    public func isExpired(at now: Timestamp, settings: QueueSettings) -> Bool {
        guard case .waiting = state, let expiresAt, expiresAt <= now else { return false }
        return groupStart == nil || settings.startsExpire
    }
    /// Whether the task, as the start of its group, has expired in a queue that lets members go
    /// then; where they are given up with it, nothing runs until the sweep has done that (Q8, Q10).
    public func isReleased(at now: Timestamp, in queue: QueueRecord) -> Bool {
        queue.settings.whenStartFails == .release && isExpired(at: now, settings: queue.settings)
    }

    /// Whether the task is fresh for a batched run: it came, or became due, since then, and was not
    /// attempted since (Q4).
    public func isFresh(since: Timestamp?, now: Timestamp) -> Bool {
        freshAt > Timestamp(milliseconds: 0) && freshAt <= now
            && (since.map { freshAt >= $0 } ?? true)
    }
}
