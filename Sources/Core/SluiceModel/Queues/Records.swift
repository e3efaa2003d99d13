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
    /// The process that ran it.
    public var runner: ProcessID
    /// When it started.
    public var startedAt: Timestamp
    /// When it ended; nil while it runs.
    public var endedAt: Timestamp?
    /// How it ended; nil while it runs.
    public var outcome: Outcome?
    /// Whether it counts against the attempt limit.
    public var isCounted = false
    /// The error, if it gave one.
    public var error: String?
    /// The last progress that its handler reported, 0...1 (A7).
    public var fraction: Double?
    /// The words beside the progress.
    public var progressText: String?
    /// Its log lines, bounded (A7).
    public var log: [String] = []
    /// The operating system's process of a `command`, with its start time, for A2.
    public var childPID: Int64?
    /// When that process started, in the kernel's ticks.
    public var childStartTime: UInt64?
    /// The place of its end in the journal; 0 while it runs, -1 where it ended in another store.
    public var endSequence: Int64 = 0
    /// What became of the task, as the journal's line says it: `retry in 24s`, `given up`.
    public var consequence: String?
    /// What was injected into it (G2).
    public var injection: Injection?

    /// An execution of `task` that starts.
    public init(task: QueueTask, number: Int, runner: ProcessID, startedAt: Timestamp) {
        self.task = task.id
        self.queue = task.queue
        self.type = task.type
        self.number = number
        self.runner = runner
        self.startedAt = startedAt
    }

    /// The execution that a lease is about.
    public init(task: QueueTask, _ lease: Running) {
        self.init(
            task: task, number: lease.attempt, runner: lease.owner, startedAt: lease.since)
        injection = lease.injection
    }
}

/// A process that is attached to a store (A2).
public struct ProcessRecord: Hashable, Sendable {
    /// Its number in the store.
    public var id: ProcessID
    /// What the process is to the store.
    public enum Role: String, Hashable, Sendable {
        case runner, console, command, program
    }
    /// Its role; only a runner has handlers.
    public var role: Role
    /// The machine's name.
    public var host: String
    /// The machine's boot, so that a pid of another boot is never mistaken.
    public var bootID: String
    /// The operating system's number.
    public var pid: Int64
    /// When it started, in the kernel's ticks since boot: with `pid` it names a process that no
    /// other can be taken for. Nil where a program wrote the row that did not say.
    public var startTime: UInt64?
    /// Its lock file's name in the store's run folder.
    public var lockName: String
    /// When it attached.
    public var attachedAt: Timestamp
    /// How many tasks it runs at once; 0 for one without handlers.
    public var slots = 0
    /// The types it handles; nil for every type.
    public var types: [String]?
    /// What it handles beside them in some queues.
    public var brokers: [QueueBroker] = []
    /// The queues that two of its handlers want: it takes nothing from them.
    public var contested: [ContestedQueue] = []
    /// The queues it serves; nil for every queue.
    public var queues: [String]?
    /// What it measured its network as (B6); nil where it measures none, which counts as online.
    public var network: NetworkState?
    /// Until when it counts as offline because a handler found no network (A3).
    public var offlineUntil: Timestamp?
    /// Whether it was asked to stop and takes nothing more.
    public var isStopping = false
    /// Whether it only takes what a permit names: a console or command that steps by itself (D3).
    public var takesOnlyPermits = false
    /// The queues that it paused for its own life (D1).
    public var pausedQueues: [String] = []
    /// Whether it paused the whole store for its own life.
    public var pausesStore = false
    /// The task that is edited in it, which no runner takes meanwhile (B11).
    public var editing: EditLease?
    /// Whether its program stops at breakpoints; one of before them would go past (G1).
    public var stopsAtBreakpoints = true
    /// Whether its program takes faults; one of before them would go past (G2).
    public var takesFaults = true
    /// Whether its program reads the clock of the store; one of before that would go by the real
    /// time (G3).
    public var readsClock = true
    /// Whether its program leaves what it does for a recording; one of before would not (G6).
    public var isRecorded = true
    /// Whether a fault may kill it (G2).
    public var allowsCrash = false
    /// Whether its program keeps images for checkpoints; one of before them would not (G5).
    public var keepsImages = true

    /// A process that attaches.
    public init(
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

    /// Whether a queue is among those that it serves.
    public func serves(_ queue: String) -> Bool {
        (queues?.contains(queue) ?? true) && !contested.contains { $0.queue == queue }
    }

    /// Whether it would take a task of this type from this queue.
    public func handles(type: String, queue: String) -> Bool {
        role == .runner && !isStopping && (types(in: queue)?.contains(type) ?? true)
            && serves(queue)
    }

    /// Whether it takes work by itself: a runner that is not about to go, and not one that only a
    /// step makes execute something.
    public var isWorking: Bool { role == .runner && !isStopping && !takesOnlyPermits }

    /// Whether it takes work of a queue by itself.
    public func works(in queue: String) -> Bool { isWorking && serves(queue) }
}

/// The right to execute one named task although its queue is paused (D3).
public struct Permit: Hashable, Sendable {
    /// Its number in the store.
    public var id: Int64
    /// The task that may start, at the version that was shown.
    public var task: TaskID
    /// The version at which it may start.
    public var version: Int64
    /// Its queue.
    public var queue: String
    /// The process that issued it; it dies with its issuer.
    public var issuer: ProcessID
    /// The runner that it is for.
    public var runner: ProcessID

    /// A permit with all its parts.
    public init(
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
public struct JournalEvent: Hashable, Sendable {
    /// Its number, growing.
    public var sequence: Int64
    /// When it happened.
    public var at: Timestamp
    /// What happened: a verb, or an outcome of an execution.
    public var kind: String
    /// The queue it concerns.
    public var queue: String?
    /// The task it concerns, when it is one.
    public var task: TaskID?
    /// Who did it.
    public var by: String
    /// The sentence that the screen shows.
    public var text: String
    /// What `undo` needs to take it back; nil for what cannot be undone (D9).
    public var undo: UndoRecord?
    /// Whether there was that, and it went since, as the oldest of too much.
    public var hasLostImages = false
    /// The event that took this one back.
    public var undoneBy: Int64?
    /// The first event of the bulk that this is a later slice of; nil for the first slice and for
    /// what is no bulk (D10).
    public var bulk: Int64?
    /// The lines of a shell that do it again; nil where no person did it, or no line says it (G7).
    public var script: String?

    /// An event; the store numbers it.
    public init(
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
    public static let followed = "followed"

    /// The kind of the lines about who stepped a task (D3).
    public static let step = "step"

    /// The kinds of the lines about runs and their timers, which only a close look shows (D9).
    public enum Detail: String, Hashable, Sendable, CaseIterable {
        /// What came set the moment of the next run.
        case runTimer
        /// What came reached the threshold of the next run.
        case runDue
        /// A run began, and why.
        case runBegan
        /// What a run passed over for which group.
        case runSkipped
        /// What a run left.
        case runLeft
    }

    /// Whether only a close look shows it.
    public var isDetail: Bool { Detail(rawValue: kind) != nil }
}

/// The images from before a verb, and the versions it left (D9).
public struct UndoRecord: Hashable, Sendable {
    /// One task before the verb, with the version that the verb left; nil for one that the verb
    /// made.
    public struct TaskImage: Hashable, Sendable {
        /// The task's number.
        public var id: TaskID
        /// Its former self; nil where the verb made it.
        public var before: QueueTask? {
            get { former.first }
            set { former = newValue.map { [$0] } ?? [] }
        }
        /// None or one: beside each of the many tasks that a verb made there is no room for one.
        private var former: [QueueTask]
        /// Its payload before, where the verb changed it.
        public var payloadBefore: [UInt8]?
        /// The version that the verb left.
        public var versionAfter: Int64

        /// An image of a task.
        public init(
            id: TaskID, before: QueueTask?, payloadBefore: [UInt8]? = nil, versionAfter: Int64
        ) {
            self.id = id
            former = before.map { [$0] } ?? []
            self.payloadBefore = payloadBefore
            self.versionAfter = versionAfter
        }
    }
    /// The tasks that the verb changed.
    public var tasks: [TaskImage] = []
    /// A queue before the verb, with the version that the verb left.
    public var queue: QueueRecord?
    /// The version of the queue that the verb left.
    public var queueVersionAfter: Int64?
    /// The number of the run that the verb opened.
    public var run: Int64?
    /// The store's own pause before the verb, where the verb changed it.
    public var storePausesBefore: [Pause]?
    /// One breakpoint before the verb; nil for one that the verb set.
    public struct BreakpointImage: Hashable, Sendable {
        /// The breakpoint's number.
        public var number: Int64
        /// Its former self; nil where the verb set it.
        public var before: Breakpoint?

        /// An image of a breakpoint.
        public init(number: Int64, before: Breakpoint?) {
            (self.number, self.before) = (number, before)
        }
    }
    /// The breakpoints that the verb set or removed.
    public var breakpoints: [BreakpointImage] = []
    /// One fault before the verb; nil for one that the verb set.
    public struct FaultImage: Hashable, Sendable {
        /// The fault's number.
        public var number: Int64
        /// Its former self; nil where the verb set it.
        public var before: Fault?

        /// An image of a fault.
        public init(number: Int64, before: Fault?) { (self.number, self.before) = (number, before) }
    }
    /// The faults that the verb set or removed.
    public var faults: [FaultImage] = []
    /// The clock of the store before the verb and after it; nil for the real time.
    public struct ClockImage: Hashable, Sendable {
        /// As it was.
        public var before: ClockSetting?
        /// As the verb left it.
        public var after: ClockSetting?

        /// A change of the clock.
        public init(before: ClockSetting?, after: ClockSetting?) {
            (self.before, self.after) = (before, after)
        }
    }
    /// What the verb made of the clock of the store; nil where it left it alone.
    public var clock: ClockImage?
    /// One result before the verb.
    public struct ResultImage: Hashable, Sendable {
        /// The task's number.
        public var id: TaskID
        /// Its result; nil where it had none.
        public var before: [UInt8]?

        /// An image of a result.
        public init(id: TaskID, before: [UInt8]?) { (self.id, self.before) = (id, before) }
    }
    /// The results that the verb set or cleared.
    public var results: [ResultImage] = []
    /// One queue before a verb that put several back, with the version that the verb left.
    public struct QueueImage: Hashable, Sendable {
        /// The queue before.
        public var before: QueueRecord
        /// The version that the verb left.
        public var versionAfter: Int64

        /// An image of a queue.
        public init(before: QueueRecord, versionAfter: Int64) {
            (self.before, self.versionAfter) = (before, versionAfter)
        }
    }
    /// The queues that the verb put back.
    public var queues: [QueueImage] = []
    /// The network as it was forced before, where the verb put the store's own values back.
    public var network: NetworkImage?
    /// How a person had forced the network.
    public struct NetworkImage: Hashable, Sendable {
        /// On, off, or nil for measured.
        public var forced: Bool?

        /// An image of it.
        public init(forced: Bool?) { self.forced = forced }
    }
    /// The schedules that the verb changed.
    public var schedules: [ScheduleImage] = []
    /// Whether what an undo or a redo took back, at the end of all such, is a restore (G8).
    public var isOfRestore = false

    /// A record with nothing in it yet.
    public init() {}

    /// Whether there is nothing to take back.
    public var isEmpty: Bool {
        tasks.isEmpty && queue == nil && storePausesBefore == nil && breakpoints.isEmpty
            && faults.isEmpty && clock == nil && run == nil && results.isEmpty && queues.isEmpty
            && network == nil && schedules.isEmpty
    }
}
