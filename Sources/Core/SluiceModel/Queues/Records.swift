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
    /// The words beside the progress.
    public var progressText: String?
    /// Its log lines, bounded (A7).
    public var log: [String] = []
    /// The operating system's process of a `command`, with its start time, for A2.
    package var childPID: Int64?
    /// When that process started, in the kernel's ticks.
    package var childStartTime: UInt64?
    /// The place of its end in the journal; 0 while it runs, -1 where it ended in another store.
    package var endSequence: Int64 = 0
    /// What became of the task, as the journal's line says it: `retry in 24s`, `given up`.
    public var consequence: String?
    /// What was injected into it (G2).
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

    /// The execution that a lease is about.
    package init(task: QueueTask, _ lease: Running) {
        self.init(
            task: task, number: lease.attempt, runner: lease.owner, startedAt: lease.since)
        injection = lease.injection
    }
}

/// A process that is attached to a store (A2).
package struct ProcessRecord: Hashable, Sendable {
    /// Its number in the store.
    package var id: ProcessID
    /// What the process is to the store.
    package enum Role: String, Hashable, Sendable {
        case runner, console, command, program
    }
    /// Its role; only a runner has handlers.
    package var role: Role
    /// The machine's name.
    package var host: String
    /// The machine's boot, so that a pid of another boot is never mistaken.
    package var bootID: String
    /// The operating system's number.
    package var pid: Int64
    /// When it started, in the kernel's ticks since boot: with `pid` it names a process that no
    /// other can be taken for. Nil where a program wrote the row that did not say.
    package var startTime: UInt64?
    /// Its lock file's name in the store's run folder.
    package var lockName: String
    /// When it attached.
    package var attachedAt: Timestamp
    /// How many tasks it runs at once; 0 for one without handlers.
    package var slots = 0
    /// The types it handles; nil for every type.
    package var types: [String]?
    /// What it handles beside them in some queues.
    package var brokers: [QueueBroker] = []
    /// The queues that two of its handlers want: it takes nothing from them.
    package var contested: [ContestedQueue] = []
    /// The queues it serves; nil for every queue.
    package var queues: [String]?
    /// What it measured its network as (B6); nil where it measures none, which counts as online.
    package var network: NetworkState?
    /// Until when it counts as offline because a handler found no network (A3).
    package var offlineUntil: Timestamp?
    /// Whether it was asked to stop and takes nothing more.
    package var isStopping = false
    /// Whether it only takes what a permit names: a console or command that steps by itself (D3).
    package var takesOnlyPermits = false
    /// The queues that it paused for its own life (D1).
    package var pausedQueues: [String] = []
    /// Whether it paused the whole store for its own life.
    package var pausesStore = false
    /// The task that is edited in it, which no runner takes meanwhile (B11).
    package var editing: EditLease?
    /// Whether its program stops at breakpoints; one of before them would go past (G1).
    package var stopsAtBreakpoints = true
    /// Whether its program takes faults; one of before them would go past (G2).
    package var takesFaults = true
    /// Whether its program reads the clock of the store; one of before that would go by the real
    /// time (G3).
    package var readsClock = true
    /// Whether its program leaves what it does for a recording; one of before would not (G6).
    package var isRecorded = true
    /// Whether a fault may kill it (G2).
    package var allowsCrash = false
    /// Whether its program keeps images for checkpoints; one of before them would not (G5).
    package var keepsImages = true

    /// A process that attaches.
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

    /// Whether a queue is among those that it serves.
    package func serves(_ queue: String) -> Bool {
        (queues?.contains(queue) ?? true) && !contested.contains { $0.queue == queue }
    }

    /// Whether it would take a task of this type from this queue.
    package func handles(type: String, queue: String) -> Bool {
        role == .runner && !isStopping && (types(in: queue)?.contains(type) ?? true)
            && serves(queue)
    }

    /// Whether it takes work by itself: a runner that is not about to go, and not one that only a
    /// step makes execute something.
    package var isWorking: Bool { role == .runner && !isStopping && !takesOnlyPermits }

    /// Whether it takes work of a queue by itself.
    package func works(in queue: String) -> Bool { isWorking && serves(queue) }
}

/// The right to execute one named task although its queue is paused (D3).
package struct Permit: Hashable, Sendable {
    /// Its number in the store.
    package var id: Int64
    /// The task that may start, at the version that was shown.
    package var task: TaskID
    /// The version at which it may start.
    package var version: Int64
    /// Its queue.
    package var queue: String
    /// The process that issued it; it dies with its issuer.
    package var issuer: ProcessID
    /// The runner that it is for.
    package var runner: ProcessID

    /// A permit with all its parts.
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
    /// When it happened.
    package var at: Timestamp
    /// What happened: a verb, or an outcome of an execution.
    package var kind: String
    /// The queue it concerns.
    package var queue: String?
    /// The task it concerns, when it is one.
    package var task: TaskID?
    /// Who did it.
    package var by: String
    /// The sentence that the screen shows.
    package var text: String
    /// What `undo` needs to take it back; nil for what cannot be undone (D9).
    package var undo: UndoRecord?
    /// Whether there was that, and it went since, as the oldest of too much.
    package var hasLostImages = false
    /// The event that took this one back.
    package var undoneBy: Int64?
    /// The first event of the bulk that this is a later slice of; nil for the first slice and for
    /// what is no bulk (D10).
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
    package var isDetail: Bool { Detail(rawValue: kind) != nil }
}

/// The images from before a verb, and the versions it left (D9).
package struct UndoRecord: Hashable, Sendable {
    /// One task before the verb, with the version that the verb left; nil for one that the verb
    /// made.
    package struct TaskImage: Hashable, Sendable {
        /// The task's number.
        package var id: TaskID
        /// Its former self; nil where the verb made it.
        package var before: QueueTask? {
            get { former.first }
            set { former = newValue.map { [$0] } ?? [] }
        }
        /// None or one: beside each of the many tasks that a verb made there is no room for one.
        private var former: [QueueTask]
        /// Its payload before, where the verb changed it.
        package var payloadBefore: [UInt8]?
        /// The version that the verb left.
        package var versionAfter: Int64

        /// An image of a task.
        package init(
            id: TaskID, before: QueueTask?, payloadBefore: [UInt8]? = nil, versionAfter: Int64
        ) {
            self.id = id
            former = before.map { [$0] } ?? []
            self.payloadBefore = payloadBefore
            self.versionAfter = versionAfter
        }
    }
    /// The tasks that the verb changed.
    package var tasks: [TaskImage] = []
    /// A queue before the verb, with the version that the verb left.
    package var queue: QueueRecord?
    /// The version of the queue that the verb left.
    package var queueVersionAfter: Int64?
    /// The number of the run that the verb opened.
    package var run: Int64?
    /// The store's own pause before the verb, where the verb changed it.
    package var storePausesBefore: [Pause]?
    /// One breakpoint before the verb; nil for one that the verb set.
    package struct BreakpointImage: Hashable, Sendable {
        /// The breakpoint's number.
        package var number: Int64
        /// Its former self; nil where the verb set it.
        package var before: Breakpoint?

        /// An image of a breakpoint.
        package init(number: Int64, before: Breakpoint?) {
            (self.number, self.before) = (number, before)
        }
    }
    /// The breakpoints that the verb set or removed.
    package var breakpoints: [BreakpointImage] = []
    /// One fault before the verb; nil for one that the verb set.
    package struct FaultImage: Hashable, Sendable {
        /// The fault's number.
        package var number: Int64
        /// Its former self; nil where the verb set it.
        package var before: Fault?

        /// An image of a fault.
        package init(number: Int64, before: Fault?) {
            (self.number, self.before) = (number, before)
        }
    }
    /// The faults that the verb set or removed.
    package var faults: [FaultImage] = []
    /// The clock of the store before the verb and after it; nil for the real time.
    package struct ClockImage: Hashable, Sendable {
        /// As it was.
        package var before: ClockSetting?
        /// As the verb left it.
        package var after: ClockSetting?

        /// A change of the clock.
        package init(before: ClockSetting?, after: ClockSetting?) {
            (self.before, self.after) = (before, after)
        }
    }
    /// What the verb made of the clock of the store; nil where it left it alone.
    package var clock: ClockImage?
    /// One result before the verb.
    package struct ResultImage: Hashable, Sendable {
        /// The task's number.
        package var id: TaskID
        /// Its result; nil where it had none.
        package var before: [UInt8]?

        /// An image of a result.
        package init(id: TaskID, before: [UInt8]?) { (self.id, self.before) = (id, before) }
    }
    /// The results that the verb set or cleared.
    package var results: [ResultImage] = []
    /// One queue before a verb that put several back, with the version that the verb left.
    package struct QueueImage: Hashable, Sendable {
        /// The queue before.
        package var before: QueueRecord
        /// The version that the verb left.
        package var versionAfter: Int64

        /// An image of a queue.
        package init(before: QueueRecord, versionAfter: Int64) {
            (self.before, self.versionAfter) = (before, versionAfter)
        }
    }
    /// The queues that the verb put back.
    package var queues: [QueueImage] = []
    /// The names of queues that were deleted and that the verb made again.
    package var madeQueues: [String] = []
    /// The network as it was forced before, where the verb put the store's own values back.
    package var network: NetworkImage?
    /// How a person had forced the network.
    package struct NetworkImage: Hashable, Sendable {
        /// On, off, or nil for measured.
        package var forced: Bool?

        /// An image of it.
        package init(forced: Bool?) { self.forced = forced }
    }
    /// The schedules that the verb changed.
    package var schedules: [ScheduleImage] = []
    /// Whether what an undo or a redo took back, at the end of all such, is a restore (G8).
    package var isOfRestore = false

    /// A record with nothing in it yet.
    package init() {}

    /// Whether there is nothing to take back.
    package var isEmpty: Bool {
        tasks.isEmpty && queue == nil && storePausesBefore == nil && breakpoints.isEmpty
            && faults.isEmpty && clock == nil && run == nil && results.isEmpty && queues.isEmpty
            && network == nil && schedules.isEmpty
    }
}
