/// One execution of one task, as the attempt log keeps it.
public struct AttemptRecord: Hashable, Sendable {
    /// How an execution ended, as JSON spells it.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case success, retry, park, giveUp, pauseQueue, offline
        case lost, timedOut, cancelled, stopped, abandoned
    }
    /// The task.
    public var task: TaskID
    /// Its queue, kept here because a finished task may be gone.
    public var queue: String
    /// Its type, kept here for the same reason.
    public var type: String
    /// The number of the execution, from 1.
    public var number: Int
    package var runner: ProcessID
    /// When it started.
    public var startedAt: Timestamp
    /// When it ended; nil while it runs.
    public var endedAt: Timestamp?
    /// How it ended; nil while it runs.
    public var outcome: Outcome?
    /// Whether it counts against the attempt limit.
    package var isCounted = false
    /// The error, if it gave one.
    public var error: String?
    /// The last progress that its handler reported, 0...1 (A7).
    public var fraction: Double?
    /// The progress text.
    public var progressText: String?
    /// Its log lines, bounded (A7).
    public var log: [String] = []
    /// The operating system's process of a `command`, with its start time, for A2.
    package var childPID: Int64?
    /// When that process started, in the kernel's ticks.
    package var childStartTime: UInt64?
    /// The place of its end in the journal; 0 while it runs, -1 where it ended in another store.
    package var endSequence: Int64 = 0
    /// The consequence for the task, as in the journal: `retry in 24s`, `given up`.
    public var consequence: String?
    /// The injected fault (G2).
    package var injection: Injection?

    /// An execution of `task` that starts.
    package init(task: QueueTask, number: Int, runner: ProcessID, startedAt: Timestamp) {
        self.task = task.id
        self.queue = task.queue
        self.type = task.type
        self.number = number
        self.runner = runner
        self.startedAt = startedAt
    }

    package init(task: QueueTask, _ lease: Running) {
        self.init(
            task: task, number: lease.attempt, runner: lease.owner, startedAt: lease.since)
        injection = lease.injection
    }
}

package struct ProcessRecord: Hashable, Sendable {
    /// Its number in the store.
    package var id: ProcessID
    /// The role of a process in the store.
    package enum Role: String, Hashable, Sendable {
        case runner, console, command, program

        /// The word that people read: the record of a worker is named `runner` in tables and JSON.
        package var word: String { self == .runner ? "worker" : rawValue }
    }
    /// Its role; only a runner has handlers.
    package var role: Role
    /// The machine's name.
    package var host: String
    /// The machine's boot, and in a container the space of its process numbers: a pid of another
    /// one is never mistaken.
    package var bootID: String
    /// The operating system's number.
    package var pid: Int64
    /// The start time in the kernel's ticks since boot. With `pid` it identifies the process. `nil`
    /// if the program that wrote the row did not record it.
    package var startTime: UInt64?
    /// Its lock file's name in the store's run folder.
    package var lockName: String
    package var attachedAt: Timestamp
    /// The maximum number of running tasks; 0 without handlers.
    package var slots = 0
    /// The types it handles; nil for every type.
    package var types: [String]?
    /// Further types that it handles in some queues only.
    package var brokers: [QueueBroker] = []
    /// The queues that two of its handlers want: it takes nothing from them.
    package var contested: [ContestedQueue] = []
    /// The queues it serves; nil for every queue.
    package var queues: [String]?
    /// The measured network state (B6). `nil` without a measurement, which counts as online.
    package var network: NetworkState?
    /// Until when it counts as offline because a handler found no network (A3).
    package var offlineUntil: Timestamp?
    /// Whether it is stopping: it takes no further tasks.
    package var isStopping = false
    /// Whether it only takes tasks with a permit, as a console or command that executes its own
    /// steps (D3).
    package var takesOnlyPermits = false
    /// The queues that it paused for its own life (D1).
    package var pausedQueues: [String] = []
    /// Whether it paused the whole store for its own life.
    package var pausesStore = false
    /// The task under edit in it, which runners cannot claim (B11).
    package var editing: EditLease?
    /// Whether its program stops at breakpoints; one of before them would go past (G1).
    package var stopsAtBreakpoints = true
    /// Whether its program takes faults; one of before them would go past (G2).
    package var takesFaults = true
    /// Whether its program reads the clock of the store; one of before that would go by the real
    /// time (G3).
    package var readsClock = true
    /// Whether its program writes changes for recordings; older versions do not (G6).
    package var isRecorded = true
    /// Whether a fault may kill it (G2).
    package var allowsCrash = false
    /// Whether its program keeps images for checkpoints; one of before them would not (G5).
    package var keepsImages = true

    package init(
        id: ProcessID, role: Role, host: String, bootID: String, pid: Int64, lockName: String,
        attachedAt: Timestamp
    ) {
        self.id = id
        self.role = role
        self.host = host
        self.bootID = bootID
        self.pid = pid
        self.lockName = lockName
        self.attachedAt = attachedAt
    }

    package func serves(_ queue: String) -> Bool {
        (queues?.contains(queue) ?? true) && !contested.contains { $0.queue == queue }
    }

    /// Whether it would take a task of this type from this queue.
    package func handles(type: String, queue: String) -> Bool {
        role == .runner && !isStopping && (types(in: queue)?.contains(type) ?? true)
            && serves(queue)
    }

    /// Whether it takes work without permits: a runner that is not stopping.
    package var isWorking: Bool { role == .runner && !isStopping && !takesOnlyPermits }

    /// Whether it takes work of a queue without permits.
    package func works(in queue: String) -> Bool { isWorking && serves(queue) }
}

/// The right to execute one task despite its queue's pause (D3).
package struct Permit: Hashable, Sendable {
    /// Its number in the store.
    package var id: Int64
    /// The task that may start.
    package var task: TaskID
    /// The task's required version.
    package var version: Int64
    package var queue: String
    /// The process that issued it; it dies with its issuer.
    package var issuer: ProcessID
    package var runner: ProcessID

    package init(
        id: Int64, task: TaskID, version: Int64, queue: String, issuer: ProcessID,
        runner: ProcessID
    ) {
        self.id = id
        self.task = task
        self.version = version
        self.queue = queue
        self.issuer = issuer
        self.runner = runner
    }
}

/// One line of the journal: what happened, when, by whom, to what (section 1).
package struct JournalEvent: Hashable, Sendable {
    /// Its number, growing.
    package var sequence: Int64
    package var at: Timestamp
    /// The kind of event: a verb, or an outcome of an execution.
    package var kind: String
    package var queue: String?
    /// The task it concerns, when it is one.
    package var task: TaskID?
    package var by: String
    /// The sentence that the screen shows.
    package var text: String
    /// The record for `undo`; `nil` if the event cannot be undone (D9).
    package var undo: UndoRecord?
    /// Whether there was that, and it went since, as the oldest of too much.
    package var hasLostImages = false
    /// The event that took this one back.
    package var undoneBy: Int64?
    /// The first event of the bulk, for its later slices; `nil` for others (D10).
    package var bulk: Int64?
    /// The lines of a shell that do it again; nil where no person did it, or no line says it (G7).
    package var script: String?

    /// An event; the store numbers it.
    package init(
        sequence: Int64 = 0, at: Timestamp, kind: String, queue: String?, task: TaskID?,
        by: String, text: String, undo: UndoRecord? = nil, bulk: Int64? = nil,
        script: String? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.kind = kind
        self.queue = queue
        self.task = task
        self.by = by
        self.text = text
        self.undo = undo
        self.bulk = bulk
        self.script = script
    }
}

extension JournalEvent {
    /// The kind of the lines about members that followed their start in later commits (T2).
    package static let followed = "followed"

    /// The kind of the lines about who stepped a task (D3).
    package static let step = "step"

    /// The kinds of the lines about runs and their timers, which only a close look shows (D9).
    package enum Detail: String, Hashable, Sendable, CaseIterable {
        /// New tasks set the time of the next run.
        case runTimer
        /// New tasks reached the threshold of the next run.
        case runDue
        /// A run began, and why.
        case runBegan
        /// The tasks that a run passed over, and the group that caused it.
        case runSkipped
        /// The remaining tasks of a run.
        case runLeft
    }

    /// Whether only a close look shows it.
    package var isDetail: Bool { Detail(rawValue: kind) != nil }
}
