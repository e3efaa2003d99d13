/// The stored states of a task by name, as commands and files spell them (T2).
public enum StateName: String, Hashable, Sendable, CaseIterable {
    case waiting, running, succeeded, failed, deleted

    /// The state in a sentence about a task: `#22 has failed`.
    package var phrase: String {
        switch self {
        case .waiting: "waits"
        case .running: "runs"
        case .succeeded: "has succeeded"
        case .failed: "has failed"
        case .deleted: "is in the trash"
        }
    }
}

/// The state of a task. All finer states derive from it (T2).
@usableFromInline
package enum TaskState: Hashable, Sendable {
    case waiting(Waiting)
    case running(Running)
    case succeeded(Success)
    case failed(Failure)
    indirect case deleted(Trash)

    package typealias Name = StateName

    package var name: Name {
        switch self {
        case .waiting: .waiting
        case .running: .running
        case .succeeded: .succeeded
        case .failed: .failed
        case .deleted: .deleted
        }
    }
}

extension TaskState {
    /// An earlier execution that is still running. The task waits, or may wait again after a retry
    /// or an undelete (B12).
    package var lingering: Lingering? {
        get {
            switch self {
            case .waiting(let waiting): waiting.lingering
            case .failed(let failure): failure.lingering
            case .deleted(let trash): trash.former.lingering
            case .running, .succeeded: nil
            }
        }
        set {
            switch self {
            case .waiting(var waiting):
                waiting.lingering = newValue
                self = .waiting(waiting)
            case .failed(var failure):
                failure.lingering = newValue
                self = .failed(failure)
            case .deleted(var trash):
                trash.former.lingering = newValue
                self = .deleted(trash)
            case .running, .succeeded: break
            }
        }
    }
}

/// The details of a waiting task; without any, it is due.
@usableFromInline
package struct Waiting: Hashable, Sendable {
    /// Not before this moment, and why (B3).
    package var timer: WaitTimer?
    /// A person told the queue to skip it (B4).
    package var skip: Skip? {
        get { skipped?.value }
        set { skipped = newValue.map(Shared.init) }
    }
    /// It waits for a person's `retry` (B11).
    package var parking: Parking? {
        get { parked?.value }
        set { parked = newValue.map(Shared.init) }
    }
    /// The open run attempted it (B10).
    package var attemptedInRun = false
    /// An earlier execution is still running (B12).
    package var lingering: Lingering?
    /// Few tasks have these, and each copy of a task would copy their fields.
    private var skipped: Shared<Skip>?
    private var parked: Shared<Parking>?

    /// A task that is due.
    package init(timer: WaitTimer? = nil) { self.timer = timer }

    /// Whether it has a running execution without a runner.
    package var isOrphaned: Bool { lingering?.kind == .orphan }
}

/// A not-before time and its cause; a retry holds a `block` queue, an own time does not (B7).
package struct WaitTimer: Hashable, Sendable {
    /// Why the task waits for the moment.
    package enum Cause: String, Hashable, Sendable {
        case notBefore, retry
    }
    /// The first moment when it is due.
    package var until: Timestamp
    /// Its own not-before, or a retry.
    package var cause: Cause
    /// When the wait began, for the countdown's bar.
    package var since: Timestamp

    /// A wait from `since` until `until`.
    package init(until: Timestamp, cause: Cause, since: Timestamp) {
        self.until = until
        self.cause = cause
        self.since = since
    }

    /// Whether a retry waits for a moment that its rule cannot give by now: the clock was ahead
    /// when it failed, by more than a minute.
    package func isBeyondRule(at now: Timestamp) -> Bool {
        cause == .retry && isAhead(at: now)
    }

    /// Whether it was set by a clock that was ahead, by more than a minute, and lasts.
    package func isAhead(at now: Timestamp) -> Bool { until > now && since - now > 60_000 }
}

/// Who skipped a task, when, and until when (D5).
package struct Skip: Hashable, Sendable {
    package var by: String
    package var since: Timestamp
    /// Its end; nil until `unskip`, or in a batched queue until the run ends.
    package var until: Timestamp?
    /// Whether it ends with the open or next run (batched queues).
    package var endsWithRun: Bool

    package init(by: String, since: Timestamp, until: Timestamp?, endsWithRun: Bool) {
        self.by = by
        self.since = since
        self.until = until
        self.endsWithRun = endsWithRun
    }
}

/// The reason and time of a task's parking (B11).
package struct Parking: Hashable, Sendable {
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        case handler, cancelled, lost, missing, editing, breakpoint
    }
    package var cause: Cause
    /// Details beyond the cause: an error, a name.
    package var detail: String
    package var since: Timestamp
    /// Who holds it (edits), as a process.
    package var owner: ProcessID?
    /// The other system that blocked the task when it was copied. Older programs ignore it.
    package var system: String?

    package init(cause: Cause, detail: String, since: Timestamp, owner: ProcessID? = nil) {
        self.cause = cause
        self.detail = detail
        self.since = since
        self.owner = owner
    }

    /// A copy of a task that its own system blocks, for the reason `detail`.
    package init(blockedBy system: String, detail: String, since: Timestamp) {
        self.init(cause: .missing, detail: detail, since: since)
        self.system = system
    }
}

/// An execution that was given up on but has not ended (A2 orphan, A6 abandoned).
package struct Lingering: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case abandoned, orphan
    }
    /// Abandoned by its runner, or orphaned by a dead runner or its own command.
    package var kind: Kind
    /// The runner it belongs, or belonged, to.
    package var owner: ProcessID
    /// The number of the execution.
    package var attempt: Int
    /// The operating system's process, for an orphan.
    package var pid: Int64?

    /// A remainder with its owner and number.
    package init(kind: Kind, owner: ProcessID, attempt: Int, pid: Int64? = nil) {
        self.kind = kind
        self.owner = owner
        self.attempt = attempt
        self.pid = pid
    }
}

/// The lease of a running task (A1).
@usableFromInline
package struct Running: Hashable, Sendable {
    /// The attached process that runs it.
    package var owner: ProcessID
    /// The fencing token; a completion with another one changes nothing.
    package var token: Int64
    /// The number of the execution.
    package var attempt: Int
    package var since: Timestamp
    /// The reason of a request to stop, if any (A6).
    package var stop: StopCause?
    /// The earliest begin of its next execution, should this one not be its last (S1).
    package var notBefore: Timestamp?
    /// The deletion to apply after the stop, if `stop` is `deleted` (D6).
    package var deletion: Deletion?
    /// Whether a permit started it, as a step (D3).
    package var isStep: Bool
    /// The injected fault (G2).
    package var injection: Injection? {
        get { injected?.value }
        set { injected = newValue.map { Shared($0) } }
    }
    /// Rare, and each task has room for it.
    private var injected: Shared<Injection>?

    package init(
        owner: ProcessID, token: Int64, attempt: Int, since: Timestamp, isStep: Bool = false
    ) {
        self.owner = owner
        self.token = token
        self.attempt = attempt
        self.since = since
        self.isStep = isStep
    }
}

/// The reason to stop a running task (A6).
package enum StopCause: String, Hashable, Sendable {
    /// Its time was up: counted, retry rule.
    case timedOut
    /// A person cancelled it: not counted, parked.
    case cancelled
    /// A person deletes it while it runs: not counted, to the trash.
    case deleted
    /// Its queue was paused with `--now`, or its runner is stopping: not counted, waits.
    case stopped
}

/// The details of a task that succeeded and remains stored.
@usableFromInline
package struct Success: Hashable, Sendable {
    package var at: Timestamp
    /// Whether its client has collected the result.
    package var isAcknowledged: Bool

    package init(at: Timestamp, isAcknowledged: Bool = false) {
        self.at = at
        self.isAcknowledged = isAcknowledged
    }
}

/// The details of a permanently failed task.
@usableFromInline
package struct Failure: Hashable, Sendable {
    package var at: Timestamp
    /// The error, `expired`, `superseded`, or the text of a cascade.
    package var reason: String
    /// For a start: what happens to its members (Q10).
    package var startPolicy: StartFailurePolicy?
    /// Whether its client has collected the result.
    package var isAcknowledged: Bool
    /// Its last execution, if abandoned and still running. A retry waits for it (B12).
    package var lingering: Lingering?

    package init(
        at: Timestamp, reason: String, startPolicy: StartFailurePolicy?,
        isAcknowledged: Bool = false, lingering: Lingering? = nil
    ) {
        self.at = at
        self.reason = reason
        self.startPolicy = startPolicy
        self.isAcknowledged = isAcknowledged
        self.lingering = lingering
    }
}

/// A task in the trash, with the state that `undelete` brings back (D6).
@usableFromInline
package struct Trash: Hashable, Sendable {
    /// The time of the deletion.
    package var at: Timestamp
    package var by: String
    /// The state it had; a running one comes back waiting.
    package var former: TaskState
    /// For a start: what happens to its members (Q10).
    package var startPolicy: StartFailurePolicy?
    /// Whether its client knows.
    package var isAcknowledged: Bool

    package init(
        at: Timestamp, by: String, former: TaskState, startPolicy: StartFailurePolicy?,
        isAcknowledged: Bool = false
    ) {
        self.at = at
        self.by = by
        self.former = former
        self.startPolicy = startPolicy
        self.isAcknowledged = isAcknowledged
    }
}
