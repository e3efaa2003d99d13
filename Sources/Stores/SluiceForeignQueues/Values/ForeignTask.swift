package import SluiceModel

/// A task of another system, as a list shows it, in this program's words.
package struct ForeignTask: Hashable, Sendable {
    /// The display of a task: its state in more detail.
    package enum Display: String, Hashable, Sendable, CaseIterable {
        /// It comes next, or may come.
        case next, due
        /// It waits for a time, the second one after a failure.
        case delayed, retrying
        /// Sluice holds its queue.
        case held
        /// Held since a hold that has ended; `ForeignTask.shown(in:)` alone decides this.
        case left
        /// Set aside from here.
        case skipped
        /// It waits for another condition of its system.
        case blocked
        /// A worker has it, and runs it or keeps it for later: its system does not say which.
        case taken
        case running, succeeded, failed
        /// Taken out by its own system's cancelling.
        case cancelled

        /// The word on the screen. A held task reads as due, since the queue already shows the
        /// hold.
        package var word: String {
            switch self {
            case .held: Self.due.rawValue
            case .left: Self.held.rawValue
            case .cancelled: "deleted"
            default: rawValue
            }
        }

        package var phrase: String { self == .taken ? "taken by a worker" : word }

        package var state: TaskState.Name {
            switch self {
            case .next, .due, .delayed, .retrying, .held, .left, .skipped, .blocked: .waiting
            case .taken, .running: .running
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .deleted
            }
        }
    }

    /// Its own system's id.
    package var reference: String
    package var queue: String
    /// The name of the code that a worker calls.
    package var type: String
    package var display: Display
    /// How many executions its system counted; nil where it keeps none.
    package var attempts: Int?
    /// The maximum; nil without one, or if the system does not keep it.
    package var attemptLimit: Int?
    /// When it may begin.
    package var notBefore: Timestamp?
    /// How a scheduler repeats it; nil for a task of one time, and where a list does not say.
    package var recurrence: String?
    /// When it came; nil where its system does not say.
    package var createdAt: Timestamp?
    /// When its worker began; nil where its system does not say.
    package var startedAt: Timestamp?
    /// When it failed, succeeded or was deleted; nil where a list does not say.
    package var endedAt: Timestamp?
    /// Its priority; nil where its system keeps none.
    package var priority: Int64?
    /// The last error.
    package var error: String?
    /// A short summary of the arguments.
    package var label: String?

    /// A task with what every system knows of it.
    package init(reference: String, queue: String, type: String, display: Display) {
        self.reference = reference
        self.queue = queue
        self.type = type
        self.display = display
    }
}

extension ForeignTask {
    /// The task as its queue explains it: a held task of a queue that nothing stops is left from a
    /// hold that has ended.
    package func shown(in queue: ForeignQueue?) -> ForeignTask {
        guard display == .held, let queue, !queue.isStopped else { return self }
        var task = self
        task.display = .left
        return task
    }
}

/// A task's payload, decoded without importing or calling anything.
package struct ForeignPayload: Hashable, Sendable {
    /// The bytes as they lie.
    package var bytes: [UInt8]
    /// The encoding, such as `json` or `pickle in zlib`.
    package var format: String
    /// The decoded value; `nil` if it cannot be decoded.
    package var value: JSONValue?
    /// The reason the payload cannot be edited without loss; `nil` if it can.
    package var whyFixed: String?

    package init(
        bytes: [UInt8], format: String, value: JSONValue?, whyFixed: String? = nil
    ) {
        self.bytes = bytes
        self.format = format
        self.value = value
        self.whyFixed = whyFixed
    }
}

/// One execution of a task, as its system keeps it.
package struct ForeignAttempt: Hashable, Sendable {
    /// Its number, from 1.
    package var number: Int
    package var startedAt: Timestamp?
    /// When it ended; nil while it has not, or if that is not kept.
    package var endedAt: Timestamp?
    /// `success`, `retry`, `giveUp`; nil while it is open or not kept.
    package var outcome: String?
    package var error: String?
    package var runner: String?

    /// An attempt without known facts.
    package init(number: Int) { self.number = number }
}

/// Everything about a task of another system.
package struct ForeignDetail: Hashable, Sendable {
    package var task: ForeignTask
    package var payload: ForeignPayload
    /// Its executions, oldest first.
    package var attempts: [ForeignAttempt] = []
    /// Additional fields, by the system's names.
    package var fields = JSONObject()

    package init(task: ForeignTask, payload: ForeignPayload) {
        self.task = task
        self.payload = payload
    }
}

/// The worker with a running task, as reported by the system.
package struct ForeignHolder: Hashable, Sendable {
    /// The worker; nil where none is recorded.
    package var worker: String?
    /// Since when it has the task.
    package var since: Timestamp?
    /// When it was last heard of.
    package var heardAt: Timestamp?
    /// A sentence: how its system gives the task back if the worker is dead.
    package var advice: String
    /// Whether its system no longer has the worker.
    package var isGone = false
}
