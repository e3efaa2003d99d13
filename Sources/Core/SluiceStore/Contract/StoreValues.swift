package import SluiceModel

/// How much a commit survives (P1).
public enum Durability: String, Hashable, Sendable, CaseIterable {
    /// A power cut.
    case full
    /// A kill of any process, not a power cut.
    case normal
}

/// The values that apply to a store as a whole.
package struct StoreRecord: Hashable, Sendable {
    package typealias Durability = SluiceStore.Durability

    /// A name of the store that never changes, part of idempotency keys (A8).
    package var identity: String
    /// How much a commit survives.
    package var durability = Durability.full
    /// The store's own pause (D1); cause `store`.
    package var pauses: [Pause] = []
    /// The network as a person forced it: on, off, or nil for measured (B6).
    package var forcedNetwork: Bool?
    package var breakpoints = Breakpoints()
    /// The faults injected into attempts (G2).
    package var faults = Faults()
    /// The simulated clock, or `nil` for real time (G3).
    package var clock: ClockSetting?
    /// The checkpoints that the store can restore (G5).
    package var checkpoints = Checkpoints()
    /// The filters saved for all users, by name (F1).
    package var filters: [String: String] = [:]
    /// Whether a person has protected the store, so that it refuses faults and similar changes
    /// (G8).
    package var isProtected = false
    /// The recurring tasks (R2).
    package var schedules = Schedules()
    package var recording: Recording?
    /// How many bytes of what `undo` needs the journal keeps; beyond them the oldest goes (D9).
    package var journalBytes = usualJournalBytes
    /// The default of `journalBytes`.
    package static let usualJournalBytes: Int64 = 256 << 20
    /// The maximum size, in bytes, of payloads read for a single line on the screen.
    package static let shortPayloadBytes = 64 << 10
    /// Grows with every change of this record.
    package var version: Int64 = 1

    package init(identity: String) { self.identity = identity }

    /// How its time follows the real one (G3).
    package var time: StoreTime { clock?.time ?? .real }
}

/// How many tasks of a type wait and run in a queue.
package struct TypeCount: Hashable, Sendable {
    package var queue: String
    package var type: String
    /// The number of waiting tasks, for any reason.
    package var waiting: Int
    package var running: Int

    package init(queue: String, type: String, waiting: Int = 0, running: Int = 0) {
        (self.queue, self.type) = (queue, type)
        (self.waiting, self.running) = (waiting, running)
    }
}

/// The lease of a running task.
package struct Lease: Hashable, Sendable {
    package var task: TaskID
    /// The token of its execution (A1).
    package var token: Int64
    /// The cause of a requested stop, if any.
    package var stop: StopCause?

    package init(task: TaskID, token: Int64, stop: StopCause? = nil) {
        self.task = task
        self.token = token
        self.stop = stop
    }
}

/// A task that comes in, with its payload.
package struct NewTask: Hashable, Sendable {
    /// The task; its number comes from `reserveTaskIDs`.
    package var task: QueueTask
    /// The payload as handed over.
    package var payload: [UInt8]

    package init(task: QueueTask, payload: [UInt8]) {
        self.task = task
        self.payload = payload
    }
}

/// A query for tasks of one queue, from a cursor in their order.
package struct TaskQuery: Hashable, Sendable {
    package var queue: String
    package var state: TaskState.Name
    /// Only waiting tasks with exactly these flags; nil for all.
    package var waitFlags: WaitFlags?
    /// Only these types; nil for every type.
    package var types: [String]?
    /// Not these types: of waiting tasks with certain flags.
    package var withoutTypes: [String] = []
    /// Leaves out tasks that need the network.
    package var isOffline = false
    /// Only tasks that start or belong to this group.
    package var group: String?
    /// Starts after this key (before it if `isBackwards`).
    package var after: OrderKey?
    /// Goes against the order.
    package var isBackwards = false
    /// At most this many.
    package var limit: Int

    /// The first `limit` tasks of a queue in a state.
    package init(queue: String, state: TaskState.Name, limit: Int) {
        self.queue = queue
        self.state = state
        self.limit = limit
    }

    /// The first `limit` waiting tasks with such flags.
    package init(queue: String, waitFlags: WaitFlags, after: OrderKey? = nil, limit: Int) {
        self.init(queue: queue, state: .waiting, limit: limit)
        self.waitFlags = waitFlags
        self.after = after
    }

    /// Whether a task is wanted, its place in the order apart: what an engine's statement must
    /// equal.
    package func matches(_ task: QueueTask) -> Bool {
        task.queue == queue && task.state.name == state
            && (waitFlags.map { $0 == task.waitFlags } ?? true)
            && (types?.contains(task.type) ?? true) && !withoutTypes.contains(task.type)
            && !(isOffline && !task.requires.isEmpty)
            && (group.map { task.groupStart == $0 || task.groupMembers.contains($0) } ?? true)
    }
}

/// How many tasks a queue holds.
package struct QueueCounts: Hashable, Sendable {
    package var states: [TaskState.Name: Int] = [:]
    package var waitingByFlags: [WaitFlags: Int] = [:]

    package init() {}

    package subscript(state: TaskState.Name) -> Int { states[state] ?? 0 }

    /// The waiting tasks whose wait flags have all of `bits`.
    package func waiting(in bits: WaitFlags) -> Int {
        waitingByFlags.reduce(0) { $0 + ($1.key.isSuperset(of: bits) ? $1.value : 0) }
    }

    /// How many waiting ones show that they wait for a retry.
    package var retrying: Int {
        waitingByFlags.reduce(0) { sum, waitFlags in
            let isSetAside = waitFlags.key.contains(.parked) || waitFlags.key.contains(.skipped)
            return sum + (waitFlags.key.contains(.retrying) && !isSetAside ? waitFlags.value : 0)
        }
    }

    /// Whether it counts a task whose wait flags change by time alone.
    package var mayWake: Bool { waitingByFlags.contains { $0.value > 0 && $0.key.mayWake } }

    /// Counts waiting tasks by what holds them at a moment: their timers have passed by then, which
    /// a stored count learns with the next write alone.
    package mutating func wake(_ tasks: [QueueTask], at now: Timestamp) {
        for task in tasks {
            waitingByFlags[task.waitFlags, default: 0] -= 1
            waitingByFlags[task.awake(at: now).waitFlags, default: 0] += 1
        }
    }
}

/// A place in the list of timers.
package struct TimerCursor: Hashable, Sendable {
    /// The time of the last one seen.
    package var at: Timestamp
    package var id: TaskID

    /// A cursor after that timer.
    package init(at: Timestamp, id: TaskID) {
        self.at = at
        self.id = id
    }
}

/// The fresh tasks of a batched queue (Q4).
package struct FreshTasks: Hashable, Sendable {
    /// The count, up to the requested limit.
    package var count: Int
    /// When the first of them became fresh.
    package var first: Timestamp?

    package init(count: Int, first: Timestamp?) {
        self.count = count
        self.first = first
    }
}

package struct GroupSummary: Hashable, Sendable {
    package var name: String
    /// Its starts that wait, run, or ended and hold, by position.
    package var starts: [TaskID]
    /// How many waiting or running tasks are members.
    package var members: Int

    package init(name: String, starts: [TaskID], members: Int) {
        self.name = name
        self.starts = starts
        self.members = members
    }
}

/// A query for a part of the journal.
package struct JournalQuery: Hashable, Sendable {
    package var queue: String?
    /// Only what concerns this task.
    package var task: TaskID?
    package var after: Int64?
    /// Only entries before this number.
    package var before: Int64?
    /// The maximum number of entries: the newest, unless `after` is set.
    package var limit: Int
    /// Whether lines include the data for `undo`: images of up to 1,000 tasks each, which readers
    /// of the journal do not need (K6).
    package var withUndo: Bool
    /// Whether the lines that only a close look shows come too (`JournalEvent.Detail`).
    package var withDetail: Bool

    /// The newest `limit` entries.
    package init(limit: Int, withUndo: Bool = true, withDetail: Bool = false) {
        self.limit = limit
        self.withUndo = withUndo
        self.withDetail = withDetail
    }
}

/// An entry of the journal: a line, or the end of an execution.
package enum JournalEntry: Hashable, Sendable {
    case event(JournalEvent)
    case attempt(AttemptRecord)

    package var sequence: Int64 {
        switch self {
        case .event(let event): event.sequence
        case .attempt(let attempt): attempt.endSequence
        }
    }
}
