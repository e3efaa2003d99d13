/// Where a task is in its life; everything finer is derived (T2).
public enum TaskState: Hashable, Sendable {
    case waiting(Waiting)
    case running(Running)
    case succeeded(Success)
    case failed(Failure)
    indirect case deleted(Trash)

    /// The stored states by name, as commands and files spell them.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case waiting, running, succeeded, failed, deleted

        /// The state in a sentence about a task: `#22 has failed`.
        public var phrase: String {
            switch self {
            case .waiting: "waits"
            case .running: "runs"
            case .succeeded: "has succeeded"
            case .failed: "has failed"
            case .deleted: "is in the trash"
            }
        }
    }

    /// The name of the state.
    public var name: Name {
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
    /// An earlier execution that still goes on: of a task that waits, or that may wait again when a
    /// person retries it or brings it back (B12).
    public var lingering: Lingering? {
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

/// What a waiting task waits with; with nothing set it is due.
public struct Waiting: Hashable, Sendable {
    /// Not before this moment, and why (B3).
    public var timer: WaitTimer?
    /// Somebody told the queue to go on without it (B4).
    public var skip: Skip?
    /// It waits for a person's `retry` (B11).
    public var parking: Parking?
    /// It was attempted in the run that is open (B10).
    public var attemptedInRun = false
    /// An earlier execution still goes on somewhere (B12).
    public var lingering: Lingering?

    /// A task that is due.
    public init(timer: WaitTimer? = nil) { self.timer = timer }

    /// Whether an execution of it goes on in no runner's hand.
    public var isOrphaned: Bool { lingering?.kind == .orphan }
}

/// A not-before time and its cause; a retry holds a `block` queue, an own time does not (B7).
public struct WaitTimer: Hashable, Sendable {
    /// Why the task waits for the moment.
    public enum Cause: String, Hashable, Sendable {
        case notBefore, retry
    }
    /// The first moment at which it is due.
    public var until: Timestamp
    /// Its own not-before, or a retry.
    public var cause: Cause
    /// When the wait began, for the countdown's bar.
    public var since: Timestamp

    /// A wait from `since` until `until`.
    public init(until: Timestamp, cause: Cause, since: Timestamp) {
        self.until = until
        self.cause = cause
        self.since = since
    }

    /// Whether a retry waits for a moment that its rule cannot give by now: the clock was ahead
    /// when it failed, by more than a minute.
    public func isBeyondRule(at now: Timestamp) -> Bool {
        cause == .retry && until > now && since - now > 60_000
    }
}

/// Who skipped a task, when, and until when (D5).
public struct Skip: Hashable, Sendable {
    /// Who did it.
    public var by: String
    /// When.
    public var since: Timestamp
    /// Its end; nil until `unskip`, or in a batched queue until the run ends.
    public var until: Timestamp?
    /// Whether it ends with the open or next run (batched queues).
    public var endsWithRun: Bool

    /// A skip with all its parts.
    public init(by: String, since: Timestamp, until: Timestamp?, endsWithRun: Bool) {
        self.by = by
        self.since = since
        self.until = until
        self.endsWithRun = endsWithRun
    }
}

/// Why a task is parked (B11).
public struct Parking: Hashable, Sendable {
    /// The causes of parking.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        case handler, cancelled, lost, missing, editing, breakpoint
    }
    /// The cause.
    public var cause: Cause
    /// What there is to say beyond the cause: an error, a name.
    public var detail: String
    /// When it was parked.
    public var since: Timestamp
    /// Who holds it (edits), as a process.
    public var owner: ProcessID?

    /// A parking with its cause and detail.
    public init(cause: Cause, detail: String, since: Timestamp, owner: ProcessID? = nil) {
        self.cause = cause
        self.detail = detail
        self.since = since
        self.owner = owner
    }
}

/// An execution that was given up on but has not ended (A2 orphan, A6 abandoned).
public struct Lingering: Hashable, Sendable {
    /// What kind of remainder it is.
    public enum Kind: String, Hashable, Sendable {
        case abandoned, orphan
    }
    /// Abandoned by its runner; or left behind, by a dead runner or by its own command.
    public var kind: Kind
    /// The runner it belongs, or belonged, to.
    public var owner: ProcessID
    /// The number of the execution.
    public var attempt: Int
    /// The operating system's process, for an orphan.
    public var pid: Int64?

    /// A remainder with its owner and number.
    public init(kind: Kind, owner: ProcessID, attempt: Int, pid: Int64? = nil) {
        self.kind = kind
        self.owner = owner
        self.attempt = attempt
        self.pid = pid
    }
}

/// The lease of a running task (A1).
public struct Running: Hashable, Sendable {
    /// The attached process that runs it.
    public var owner: ProcessID
    /// The fencing token; a completion with another one changes nothing.
    public var token: Int64
    /// The number of the execution.
    public var attempt: Int
    /// When it started.
    public var since: Timestamp
    /// Somebody asked it to stop, and why (A6).
    public var stop: StopCause?
    /// The earliest begin of its next execution, should this one not be its last (S1).
    public var notBefore: Timestamp?
    /// Who deletes it once it has stopped, where `stop` is `deleted` (D6).
    public var deletion: Deletion?
    /// Whether a permit started it: it was stepped (D3).
    public var isStep: Bool
    /// What was injected into it (G2).
    public var injection: Injection? {
        get { injected?.value }
        set { injected = newValue.map { Shared($0) } }
    }
    /// Rare, and each task has room for it.
    private var injected: Shared<Injection>?

    /// A lease with its owner and token.
    public init(
        owner: ProcessID, token: Int64, attempt: Int, since: Timestamp, isStep: Bool = false
    ) {
        self.owner = owner
        self.token = token
        self.attempt = attempt
        self.since = since
        self.isStep = isStep
    }
}

/// Why a running task is asked to stop (A6).
public enum StopCause: String, Hashable, Sendable {
    /// Its time was up: counted, retry rule.
    case timedOut
    /// A person cancelled it: not counted, parked.
    case cancelled
    /// A person deletes it while it runs: not counted, to the trash.
    case deleted
    /// Its queue was paused `--now`, or its runner stops: not counted, waits.
    case stopped
}

/// A task that succeeded and is kept.
public struct Success: Hashable, Sendable {
    /// When it ended.
    public var at: Timestamp
    /// Whether its client has collected the result.
    public var isAcknowledged: Bool

    /// A success at a moment.
    public init(at: Timestamp, isAcknowledged: Bool = false) {
        self.at = at
        self.isAcknowledged = isAcknowledged
    }
}

/// A task that was given up.
public struct Failure: Hashable, Sendable {
    /// When it ended.
    public var at: Timestamp
    /// Why: the error, `expired`, `superseded`, or what a cascade says.
    public var reason: String
    /// For a start: what happens to its members (Q10).
    public var startPolicy: StartFailurePolicy?
    /// Whether its client has collected the result.
    public var isAcknowledged: Bool
    /// Its last execution, where that was abandoned and still goes on: a retry waits for it (B12).
    public var lingering: Lingering?

    /// A failure with its reason.
    public init(
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
public struct Trash: Hashable, Sendable {
    /// When it was deleted.
    public var at: Timestamp
    /// Who did it.
    public var by: String
    /// The state it had; a running one comes back waiting.
    public var former: TaskState
    /// For a start: what happens to its members (Q10).
    public var startPolicy: StartFailurePolicy?
    /// Whether its client knows.
    public var isAcknowledged: Bool

    /// A task in the trash.
    public init(
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
