/// A handler's result for an execution (A3).
public enum HandlerOutcome: Hashable, Sendable {
    /// Success; the store keeps `result` as long as the task.
    case success(result: [UInt8]?)
    /// Counted; waits for the given time, or by the queue's rule. 0 retries immediately (YTQ-11).
    case retry(afterMilliseconds: Int64?, error: String?)
    /// Not counted; waits for a person's `retry`.
    case park(error: String?)
    /// Permanent failure.
    case giveUp(error: String?)
    /// The queue pauses with the cause `handler`; the task waits for the pause's end and longer.
    case pauseQueue(milliseconds: Int64, isCounted: Bool, error: String?)
    /// No network: not counted.
    case offline(error: String?)

    /// The error it carries.
    public var error: String? {
        switch self {
        case .success: nil
        case .retry(_, let error), .park(let error), .giveUp(let error), .offline(let error),
            .pauseQueue(_, _, let error):
            error
        }
    }
}

/// How an execution came to its end.
package enum Ending: Hashable, Sendable {
    /// The handler said so. `restarts` is the answer of its `shouldRestart`, asked when the
    /// attempts are used up (A5).
    case handler(HandlerOutcome, restarts: Bool = false)
    case stopped(StopCause)
    /// Its time was up, it stopped, and its handler wants the task to begin again (A5).
    case timedOutToRestart
    /// The handler still ran 5 s after it was asked to stop (A6).
    case abandoned(StopCause)
    /// Its process died (A2), or a person knows it dead (`reclaim`, D7).
    case lost
}

/// Who deletes a task, and what that means for the members of the group it starts (D6).
package struct Deletion: Hashable, Sendable {
    package var by: String
    /// The verb's `--members`; nil takes the queue's policy.
    package var members: StartFailurePolicy?
    /// Whether the client that waits for the task does it itself, so that its session hears nothing
    /// more of the task (S7).
    package var isByClient = false

    /// Creates a deletion by a person.
    package init(by: String, members: StartFailurePolicy? = nil) {
        self.by = by
        self.members = members
    }
}

/// The fields that `edit` and `priority` may change (D7).
public enum FieldChange: Hashable, Sendable {
    case priority(PriorityWord)
    case sortKey(SortKey?)
    case label(String?)
    case attemptLimit(Int?)
    case expiresAt(Timestamp?)
    case requires(Set<Requirement>)
    case isRequired(Bool)
    case type(String)
    case payload
}

/// Everything that can happen to a task (D1 to D7, A1 to A6, T5, Q8).
package enum TaskEvent: Hashable, Sendable {
    case claim(Running)
    case end(token: Int64, Ending)
    case requestStop(StopCause, Deletion?)
    case skip(Skip)
    case unskip
    case retry
    case postpone(until: Timestamp)
    case park(Parking)
    /// A person begins to edit it, in an attached process (B11).
    case beginEdit(by: String, owner: ProcessID)
    case endEdit
    case expire
    case giveUp(reason: String)
    case delete(Deletion)
    case undelete
    case edit([FieldChange])
    case move(position: Int64)
    case acknowledge
    /// Another client string, or none (S1).
    case annotate(ClientString?)
    /// Another earliest begin; it never shortens the wait after a failure (S1).
    case begin(Timestamp)
    case endLingering
    case endStartHold(StartFailurePolicy)
}

extension TaskEvent {
    /// The past participle of its effect, for sentences: `postponed`.
    package var participle: String {
        switch self {
        case .claim: "claimed"
        case .end: "ended"
        case .requestStop(.deleted, _): "deleted"
        case .requestStop: "cancelled"
        case .skip: "skipped"
        case .unskip: "taken back in"
        case .retry: "retried"
        case .postpone: "postponed"
        case .park: "parked"
        case .beginEdit, .endEdit, .edit: "edited"
        case .expire: "expired"
        case .giveUp: "given up"
        case .delete: "deleted"
        case .undelete: "undeleted"
        case .move: "moved"
        case .acknowledge: "acknowledged"
        case .annotate: "given another client string"
        case .begin: "given another earliest begin"
        case .endLingering: "reclaimed"
        case .endStartHold: "released"
        }
    }
}

/// The result of an event: the new task, and the effects on others.
package struct Transition: Hashable, Sendable {
    /// A pause that an execution asks for its queue.
    package struct QueuePause: Hashable, Sendable {
        /// `handler` or `required`.
        package var cause: Pause.Cause
        /// How long; nil until `resume`.
        package var milliseconds: Int64?
        /// Why, in the task's words.
        package var reason: String
    }
    /// The end of the execution for the attempt log.
    package struct AttemptEnd: Hashable, Sendable {
        package var outcome: AttemptRecord.Outcome
        package var isCounted: Bool
        package var error: String?
    }
    /// The task after the event.
    package var task: QueueTask
    /// Whether the store removes the task after a success.
    package var isRemoved = false
    package var attemptEnd: AttemptEnd?
    package var pause: QueuePause?
    /// Whether the runner counts as offline from now on.
    package var isRunnerOffline = false
    /// Whether the task failed permanently in this event (Q6).
    package var wasGivenUp = false
}
