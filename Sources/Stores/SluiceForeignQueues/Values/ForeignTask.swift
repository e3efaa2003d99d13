public import SluiceModel

/// A task of another system, as a list shows it, in this program's words.
public struct ForeignTask: Hashable, Sendable {
    /// The words for what it shows.
    public enum Display: String, Hashable, Sendable, CaseIterable {
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
        case running, succeeded, failed
        /// Taken out by its own system's cancelling.
        case cancelled

        /// The word that people read: that a queue is held is said of the queue.
        public var word: String {
            switch self {
            case .held: Self.due.rawValue
            case .cancelled: "deleted"
            default: rawValue
            }
        }

        /// The state that it belongs to.
        public var state: TaskState.Name {
            switch self {
            case .next, .due, .delayed, .retrying, .held, .skipped, .blocked: .waiting
            case .running: .running
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .deleted
            }
        }
    }

    /// Its own system's id.
    public var reference: String
    /// Its queue.
    public var queue: String
    /// What its worker calls.
    public var type: String
    /// What it shows.
    public var display: Display
    /// How many executions its system counted; nil where it keeps none.
    public var attempts: Int?
    /// How many are enough; nil where there is no bound or it is not kept.
    public var attemptLimit: Int?
    /// When it may begin.
    public var notBefore: Timestamp?
    /// When it came; nil where its system does not say.
    public var createdAt: Timestamp?
    /// Its priority; nil where its system keeps none.
    public var priority: Int64?
    /// The last error.
    public var error: String?
    /// A short text of what it is called with.
    public var label: String?

    /// A task with what every system knows of it.
    public init(reference: String, queue: String, type: String, display: Display) {
        self.reference = reference
        self.queue = queue
        self.type = type
        self.display = display
    }
}

/// What a task carries, read without importing or calling anything.
public struct ForeignPayload: Hashable, Sendable {
    /// The bytes as they lie.
    public var bytes: [UInt8]
    /// How they are packed: `json`, `pickle in zlib`.
    public var format: String
    /// What they say; nil where they could not be read.
    public var value: JSONValue?
    /// Why they cannot be written anew without loss; nil where they can.
    public var whyFixed: String?

    /// A payload.
    public init(
        bytes: [UInt8], format: String, value: JSONValue?, whyFixed: String? = nil
    ) {
        self.bytes = bytes
        self.format = format
        self.value = value
        self.whyFixed = whyFixed
    }
}

/// One execution of a task, as its system keeps it.
public struct ForeignAttempt: Hashable, Sendable {
    /// Its number, from 1.
    public var number: Int
    /// When it began.
    public var startedAt: Timestamp?
    /// When it ended; nil while it has not, or where that is not kept.
    public var endedAt: Timestamp?
    /// `success`, `retry`, `giveUp`; nil while it is open or not kept.
    public var outcome: String?
    /// Its error.
    public var error: String?
    /// Who ran it.
    public var runner: String?

    /// An execution of which nothing is known yet.
    public init(number: Int) { self.number = number }
}

/// Everything about a task of another system.
public struct ForeignDetail: Hashable, Sendable {
    /// The task.
    public var task: ForeignTask
    /// What it carries.
    public var payload: ForeignPayload
    /// Its executions, oldest first.
    public var attempts: [ForeignAttempt] = []
    /// What else its system keeps of it, by its own names.
    public var fields = JSONObject()

    /// A task and what it carries.
    public init(task: ForeignTask, payload: ForeignPayload) {
        self.task = task
        self.payload = payload
    }
}
