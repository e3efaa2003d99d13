/// One reason why a task is not running now, in the words that the screen shows (section 4).
package struct Blocker: Hashable, Sendable {
    /// The kinds, B1 to B13, as JSON spells them.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case queuePaused, noRun, notBefore, skipped, groupStart, requirement, headOfQueue, noSlot,
            rate
        case noRunner, attemptedInRun, parked, abandoned, orphan
    }
    package var kind: Kind
    /// The cause of a pause or of parking.
    package var cause: String?
    package var text: String
    /// The task that blocks, if any.
    package var task: TaskID?
    /// When it ends automatically, if known.
    package var until: Timestamp?
    package var fix: Fix?

    package init(
        _ kind: Kind, cause: String? = nil, text: String, task: TaskID? = nil,
        until: Timestamp? = nil, fix: Fix? = nil
    ) {
        self.kind = kind
        self.cause = cause
        self.text = text
        self.task = task
        self.until = until
        self.fix = fix
    }
}

extension Blocker {
    /// The fix of a blocker: a verb and its target.
    package enum Fix: Hashable, Sendable {
        /// The verbs on the task that is in the way.
        package enum TaskVerb: Hashable, Sendable {
            case retry, skip, unskip, undelete, reclaim
        }
        case task(TaskVerb, TaskID)
        /// The same at another system's task, by the name that it has there.
        case foreignTask(TaskVerb, String)
        case step(TaskID)
        /// Look up the reason of that task.
        case why(TaskID)
        case run(queue: String)
        case resume(queue: String)
        case resumeStore
        /// Past the breakpoint that stopped it.
        case goOn(queue: String)
        case network(forced: Bool?, queue: String? = nil)
        case work
        case doctor
    }
}

/// All that decides whether one waiting task may start, besides the task itself.
///
/// A snapshot finds it by looking at every task; an engine by its indexes; the rule that judges it
/// is one.
package struct EligibilityContext: Hashable, Sendable {
    package var queue: QueueRecord
    package var storePauses: [Pause] = []
    /// The network as a person forced it for the store, or nil.
    package var forcedNetwork: Bool?
    /// The attached processes that live.
    package var processes: [ProcessRecord] = []
    /// Dead processes that await cleanup (A2).
    package var gone: [ProcessRecord] = []
    /// Processes without any sign of life or death (A2).
    package var doubted: [ProcessRecord] = []
    /// The first start that holds it (B5).
    package var holder: QueueTask?
    /// The task that holds a `block` queue (B7); nil where none does or the queue is not one.
    package var head: QueueTask?
    /// The tasks of the queue with a running or lingering execution (B12 `orphan`), as far as they
    /// matter.
    package var running: [QueueTask] = []
    /// When a batched queue's next run begins, or runners continue a run opened by steps, if known
    /// (B2).
    package var nextRun: Timestamp?
    /// How many fresh tasks are missing to the threshold (B2).
    package var missingToThreshold: Int?
    /// Whether a permit names the task (D3).
    package var hasPermit = false
    /// The state that the task's own system shows; `nil` for a task of this program's stores.
    package var shown: Display?
    /// The key of the task for a rate that counts by keys (B13).
    package var rateKey: RateKey?
    /// The moment, by the clock of the store (G3).
    package var now: Timestamp
    /// The same moment in real time, for leases.
    package var real: Timestamp

    /// Creates a context for a task in a queue.
    package init(queue: QueueRecord, now: Timestamp) {
        self.queue = queue
        (self.now, real) = (now, now)
    }
}

extension EligibilityContext {
    /// The pauses of the queue and the store that stop work now.
    package var workPauses: [Pause] {
        (storePauses + queue.pauses).filter {
            $0.direction.stopsWork && $0.isActive(at: now, real: real)
        }
    }
}

extension Blocker {
    package enum Bearer: Hashable, Sendable, CaseIterable {
        case task, queue, runners
    }
}

extension Blocker.Kind {
    /// The blockers that a step of a task passes; all others still apply (D3).
    package static let passedByStep: Set<Blocker.Kind> = [
        .queuePaused, .noRun, .headOfQueue, .attemptedInRun, .rate,
    ]

    package var bearer: Blocker.Bearer {
        switch self {
        case .notBefore, .skipped, .groupStart, .parked, .abandoned, .orphan, .headOfQueue,
            .attemptedInRun:
            .task
        case .queuePaused, .noRun, .noSlot, .rate: .queue
        case .requirement, .noRunner: .runners
        }
    }
}
