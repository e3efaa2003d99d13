public import SluiceModel

/// The tasks to execute despite the pause (D3).
package enum StepRequest: Hashable, Sendable {
    /// The next tasks of a queue, one after the other.
    case queue(String, count: Int)
    /// Exactly this task, out of its order.
    case task(TaskTarget)
}

/// An execution that a step or a run made.
public struct Stepped: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// Its type.
    public var type: String
    /// The handler's outcome. The task's state has the consequence.
    public var outcome: AttemptRecord.Outcome?
    /// The error, if it gave one.
    public var error: String?
    /// How long it took.
    public var milliseconds: Int64
    /// The consequence for the task in words.
    public var consequence: String?
    /// The injected fault (G2).
    package var injection: Injection?
    /// Another system's remark on an execution without a stored outcome.
    package var remark: String?

    /// An execution from its line in the attempt log.
    package init(_ attempt: AttemptRecord) {
        id = attempt.task
        type = attempt.type
        outcome = attempt.outcome
        error = attempt.error
        milliseconds = max(0, (attempt.endedAt ?? attempt.startedAt) - attempt.startedAt)
        consequence = attempt.consequence
        injection = attempt.injection
    }

    /// Whether the execution succeeded.
    public var isSuccess: Bool { outcome == .success }
    /// Whether it is known to have failed.
    package var isFailure: Bool { outcome.map { $0 != .success } ?? (remark == nil) }
}

/// The progress of a batched or manual queue's run.
public struct RunReport: Hashable, Sendable {
    /// Whether the run is open.
    public var isOpen: Bool
    /// How many executions it made.
    public var attempted: Int
    /// How many tasks wait in the queue.
    public var left: Int

    /// A run's standing.
    package init(isOpen: Bool, attempted: Int, left: Int) {
        self.isOpen = isOpen
        self.attempted = attempted
        self.left = left
    }
}

/// The result of a step.
public struct StepAnswer: Hashable, Sendable {
    /// The executions, in order.
    public var stepped: [Stepped] = []
    /// The number of requested executions.
    package var asked = 1
    /// The next eligible task, if any.
    public var next: TaskID?
    /// The blockers of the first task, if no task was eligible.
    package var blockers: [Blocker] = []
    /// The run, in a batched or manual queue.
    public var run: RunReport?
    /// The breakpoint hit that stopped the queue since, if any.
    package var stop: BreakpointHit?
    /// The tasks of a run, and for whom each waited; nil for steps.
    package var table: RunTable?
    /// Why the rest of several was not done, where some were.
    public var refusal: QueueError?

    /// Nothing done yet.
    package init() {}
}
