public import SluiceModel

/// What is to be executed although the queue is paused (D3).
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
    /// What the handler gave; the state says what became of the task.
    public var outcome: AttemptRecord.Outcome?
    /// The error, if it gave one.
    public var error: String?
    /// How long it took.
    public var milliseconds: Int64
    /// What became of the task, in words.
    public var consequence: String?
    /// What was injected into it (G2).
    package var injection: Injection?
    /// What another system says of an execution of which it keeps no outcome.
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
    /// Whether it is known not to have succeeded.
    package var isFailure: Bool { outcome.map { $0 != .success } ?? (remark == nil) }
}

/// How the run of a batched or manual queue stands.
public struct RunReport: Hashable, Sendable {
    /// Whether it goes on.
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

/// What a step did, and what comes next.
public struct StepAnswer: Hashable, Sendable {
    /// The executions, in order.
    public var stepped: [Stepped] = []
    /// How many were asked for.
    package var asked = 1
    /// The next task, where one is eligible.
    public var next: TaskID?
    /// Where nothing was eligible: the blockers of the first task.
    package var blockers: [Blocker] = []
    /// The run, in a batched or manual queue.
    public var run: RunReport?
    /// Where a breakpoint has stopped the queue since.
    package var stop: BreakpointHit?
    /// Why the rest of several was not done, where some were.
    public var refusal: QueueError?

    /// Nothing done yet.
    package init() {}
}
