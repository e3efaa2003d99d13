package import SluiceModel

/// A task of another system, as a list shows it, in this program's words.
package struct ForeignTask: Hashable, Sendable {
    /// The words for what it shows.
    package enum Display: String, Hashable, Sendable, CaseIterable {
        /// It comes next, or may come.
        case next, due
        /// It waits for a time, the second one after a failure.
        case delayed, retrying
        /// Its queue is held from here.
        case held
        /// Set aside from here.
        case skipped
        /// It waits for something else of its own system.
        case blocked
        /// A worker has it, and runs it or keeps it for later: its system does not say which.
        case taken
        case running, succeeded, failed
        /// Taken out by its own system's cancelling.
        case cancelled

        /// The word that people read: that a queue is held is said of the queue.
        package var word: String {
            switch self {
            case .held: Self.due.rawValue
            case .cancelled: "deleted"
            default: rawValue
            }
        }

        /// The same in a sentence.
        package var phrase: String { self == .taken ? "taken by a worker" : word }

        /// The state that it belongs to.
        package var state: TaskState.Name {
            switch self {
            case .next, .due, .delayed, .retrying, .held, .skipped, .blocked: .waiting
            case .taken, .running: .running
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .deleted
            }
        }
    }

    /// Its own system's id.
    package var reference: String
    /// Its queue.
    package var queue: String
    /// What its worker calls.
    package var type: String
    /// What it shows.
    package var display: Display
    /// How many executions its system counted; nil where it keeps none.
    package var attempts: Int?
    /// How many are enough; nil where there is no bound or it is not kept.
    package var attemptLimit: Int?
    /// When it may begin.
    package var notBefore: Timestamp?
    /// When it came; nil where its system does not say.
    package var createdAt: Timestamp?
    /// Its priority; nil where its system keeps none.
    package var priority: Int64?
    /// The last error.
    package var error: String?
    /// A short text of what it is called with.
    package var label: String?

    /// A task with what every system knows of it.
    package init(reference: String, queue: String, type: String, display: Display) {
        self.reference = reference
        self.queue = queue
        self.type = type
        self.display = display
    }
}

/// What a task carries, read without importing or calling anything.
package struct ForeignPayload: Hashable, Sendable {
    /// The bytes as they lie.
    package var bytes: [UInt8]
    /// How they are packed: `json`, `pickle in zlib`.
    package var format: String
    /// What they say; nil where they could not be read.
    package var value: JSONValue?
    /// Why they cannot be written anew without loss; nil where they can.
    package var whyFixed: String?

    /// A payload.
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
    /// When it began.
    package var startedAt: Timestamp?
    /// When it ended; nil while it has not, or where that is not kept.
    package var endedAt: Timestamp?
    /// `success`, `retry`, `giveUp`; nil while it is open or not kept.
    package var outcome: String?
    /// Its error.
    package var error: String?
    /// Who ran it.
    package var runner: String?

    /// An execution of which nothing is known yet.
    package init(number: Int) { self.number = number }
}

/// Everything about a task of another system.
package struct ForeignDetail: Hashable, Sendable {
    /// The task.
    package var task: ForeignTask
    /// What it carries.
    package var payload: ForeignPayload
    /// Its executions, oldest first.
    package var attempts: [ForeignAttempt] = []
    /// What else its system keeps of it, by its own names.
    package var fields = JSONObject()

    /// A task and what it carries.
    package init(task: ForeignTask, payload: ForeignPayload) {
        self.task = task
        self.payload = payload
    }
}

/// Who has a running task in hand, as far as its system says it.
package struct ForeignHolder: Hashable, Sendable {
    /// The worker.
    package var worker: String
    /// Since when it has the task.
    package var since: Timestamp?
    /// When it was last heard of.
    package var heardAt: Timestamp?
    /// How its system gives the task back where the worker is dead.
    package var advice: String
}
