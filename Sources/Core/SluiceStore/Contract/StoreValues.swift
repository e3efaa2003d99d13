public import SluiceModel

/// What holds for a store as a whole.
public struct StoreRecord: Hashable, Sendable {
    /// How much a commit survives (P1).
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// A power cut.
        case full
        /// A kill of any process, not a power cut.
        case normal
    }
    /// A name of the store that never changes, part of idempotency keys (A8).
    public var identity: String
    /// How much a commit survives.
    public var durability = Durability.full
    /// The store's own pause (D1); cause `store`.
    public var pauses: [Pause] = []
    /// The network as a person forced it: on, off, or nil for measured (B6).
    public var forcedNetwork: Bool?
    /// Where queues stop for a person (G1).
    public var breakpoints = Breakpoints()
    /// What is to go wrong with attempts (G2).
    public var faults = Faults()
    /// The clock that somebody set; nil for the real time (G3).
    public var clock: ClockSetting?
    /// To which former states the store can be put back (G5).
    public var checkpoints = Checkpoints()
    /// The filters that are saved for everybody, by their names (F1).
    public var filters: [String: String] = [:]
    /// Whether a person has marked it as one in which faults and the like are refused (G8).
    public var isProtected = false
    /// The recurring tasks (R2).
    public var schedules = Schedules()
    /// The recording that stands (G6).
    public var recording: Recording?
    /// How many bytes of the journal's images are kept where nobody said otherwise (D9).
    public static let journalBytes: Int64 = 256 << 20
    /// Payloads of at most so many bytes are read for what is only shown in a line.
    public static let shortPayloadBytes = 64 << 10
    /// Grows with every change of this record.
    public var version: Int64 = 1

    /// A new store.
    public init(identity: String) { self.identity = identity }

    /// How its time follows the real one (G3).
    public var time: StoreTime { clock?.time ?? .real }
}

/// How many tasks of a type wait and run in a queue.
public struct TypeCount: Hashable, Sendable {
    /// The queue.
    public var queue: String
    /// The type.
    public var type: String
    /// How many wait, for whatever reason.
    public var waiting: Int
    /// How many run.
    public var running: Int

    /// So many of a type.
    public init(queue: String, type: String, waiting: Int = 0, running: Int = 0) {
        (self.queue, self.type) = (queue, type)
        (self.waiting, self.running) = (waiting, running)
    }
}

/// What a running task runs by.
public struct Lease: Hashable, Sendable {
    /// The task.
    public var task: TaskID
    /// The token of its execution (A1).
    public var token: Int64
    /// Why it is to stop, where somebody wants that.
    public var stop: StopCause?

    /// A lease of a task.
    public init(task: TaskID, token: Int64, stop: StopCause? = nil) {
        self.task = task
        self.token = token
        self.stop = stop
    }
}

/// A task that comes in, with its payload.
public struct NewTask: Hashable, Sendable {
    /// The task; its number is taken from `takeTaskIDs`.
    public var task: QueueTask
    /// The payload as handed over.
    public var payload: [UInt8]

    /// A task with its payload.
    public init(task: QueueTask, payload: [UInt8]) {
        self.task = task
        self.payload = payload
    }
}

/// Which tasks of a queue are wanted, and from where in their order.
public struct TaskQuery: Hashable, Sendable {
    /// The queue.
    public var queue: String
    /// The state.
    public var state: TaskState.Name
    /// Only waiting tasks of exactly this lane; nil for every lane.
    public var lane: Lane?
    /// Only these types; nil for every type.
    public var types: [String]?
    /// Leaves out tasks that need the network.
    public var isOffline = false
    /// Only tasks that start or belong to this group.
    public var group: String?
    /// Begins behind this key (before it, when `isBackwards`).
    public var after: OrderKey?
    /// Goes against the order.
    public var isBackwards = false
    /// At most this many.
    public var limit: Int

    /// The first `limit` tasks of a queue in a state.
    public init(queue: String, state: TaskState.Name, limit: Int) {
        self.queue = queue
        self.state = state
        self.limit = limit
    }

    /// The first `limit` waiting tasks of a lane.
    public init(queue: String, lane: Lane, after: OrderKey? = nil, limit: Int) {
        self.init(queue: queue, state: .waiting, limit: limit)
        self.lane = lane
        self.after = after
    }

    /// Whether a task is wanted, its place in the order apart: what an engine's statement must
    /// equal.
    public func matches(_ task: QueueTask) -> Bool {
        task.queue == queue && task.state.name == state && (lane.map { $0 == task.lane } ?? true)
            && (types?.contains(task.type) ?? true) && !(isOffline && !task.requires.isEmpty)
            && (group.map { task.groupStart == $0 || task.groupMembers.contains($0) } ?? true)
    }
}

/// How many tasks a queue holds.
public struct QueueCounts: Hashable, Sendable {
    /// By stored state.
    public var states: [TaskState.Name: Int] = [:]
    /// The waiting ones by lane.
    public var lanes: [Lane: Int] = [:]

    /// Nothing.
    public init() {}

    /// The tasks in a state.
    public subscript(state: TaskState.Name) -> Int { states[state] ?? 0 }

    /// The waiting tasks whose lane has all of `bits`.
    public func waiting(in bits: Lane) -> Int {
        lanes.reduce(0) { $0 + ($1.key.isSuperset(of: bits) ? $1.value : 0) }
    }

    /// Whether it counts a task whose lane changes by time alone.
    public var mayWake: Bool { lanes.contains { $0.value > 0 && $0.key.mayWake } }

    /// Counts waiting tasks by what holds them at a moment: their timers have passed by then, which
    /// a stored count learns with the next write alone.
    public mutating func wake(_ tasks: [QueueTask], at now: Timestamp) {
        for task in tasks {
            lanes[task.lane, default: 0] -= 1
            lanes[task.awake(at: now).lane, default: 0] += 1
        }
    }
}

/// How a payload begins.
public struct PayloadHead: Hashable, Sendable {
    /// Its first bytes; none of one that is not short (`StoreRecord.shortPayloadBytes`).
    public var bytes: [UInt8]
    /// How many bytes the whole has.
    public var size: Int

    /// The first bytes of a payload of `size` bytes.
    public init(_ bytes: [UInt8], size: Int) {
        (self.bytes, self.size) = (bytes, size)
    }

    /// Whether that is all of it.
    public var isWhole: Bool { bytes.count == size }
}

/// A place in the list of timers.
public struct TimerCursor: Hashable, Sendable {
    /// The time of the last one seen.
    public var at: Timestamp
    /// Its number.
    public var id: TaskID

    /// A place behind that timer.
    public init(at: Timestamp, id: TaskID) {
        self.at = at
        self.id = id
    }
}

/// The fresh tasks of a batched queue (Q4).
public struct FreshTasks: Hashable, Sendable {
    /// How many, counted to the limit asked for.
    public var count: Int
    /// When the first of them became fresh.
    public var first: Timestamp?

    /// A count and its beginning.
    public init(count: Int, first: Timestamp?) {
        self.count = count
        self.first = first
    }
}

/// A group at a glance.
public struct GroupSummary: Hashable, Sendable {
    /// The name.
    public var name: String
    /// Its starts that wait, run, or ended and hold, by position.
    public var starts: [TaskID]
    /// How many waiting or running tasks are members.
    public var members: Int

    /// A group with its starts and members.
    public init(name: String, starts: [TaskID], members: Int) {
        self.name = name
        self.starts = starts
        self.members = members
    }
}

/// Which part of the journal is wanted.
public struct JournalQuery: Hashable, Sendable {
    /// Only what concerns this queue.
    public var queue: String?
    /// Only what concerns this task.
    public var task: TaskID?
    /// Only what comes after this number.
    public var after: Int64?
    /// Only what comes before this number.
    public var before: Int64?
    /// At most this many: the newest, unless `after` is given.
    public var limit: Int
    /// Whether the lines bring what `undo` needs: images of up to 1,000 tasks each, which whoever
    /// only looks has no use for (K6).
    public var withUndo: Bool
    /// Whether the lines that only a close look shows come too (`JournalEvent.Detail`).
    public var withDetail: Bool

    /// The newest `limit` entries.
    public init(limit: Int, withUndo: Bool = true, withDetail: Bool = false) {
        self.limit = limit
        self.withUndo = withUndo
        self.withDetail = withDetail
    }
}

/// An entry of the journal: a line, or the end of an execution.
public enum JournalEntry: Hashable, Sendable {
    case event(JournalEvent)
    case attempt(AttemptRecord)

    /// Its number.
    public var sequence: Int64 {
        switch self {
        case .event(let event): event.sequence
        case .attempt(let attempt): attempt.endSequence
        }
    }
}
