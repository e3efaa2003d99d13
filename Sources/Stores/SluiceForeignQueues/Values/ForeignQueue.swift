public import SluiceModel

/// Who holds a queue of another system, since when and why: it lies beside the queue itself.
public struct HoldNote: Hashable, Sendable {
    /// Who.
    public var by: String
    /// Since when.
    public var since: Timestamp
    /// Why; nil where nobody said.
    public var reason: String?

    /// A note.
    public init(by: String, since: Timestamp, reason: String? = nil) {
        self.by = by
        self.since = since
        self.reason = reason
    }
}

/// A hold as it was found.
public struct ForeignHold: Hashable, Sendable {
    /// Who, since when, why.
    public var note: HoldNote
    /// In which way: `guards`, `side queue`, `trigger`, `gate`, or the system's own pause.
    public var recipe: String
    /// What is wrong with it; nil where it holds: a dead process behind it lets arrivals through.
    public var leak: String?

    /// A hold.
    public init(note: HoldNote, recipe: String, leak: String? = nil) {
        self.note = note
        self.recipe = recipe
        self.leak = leak
    }
}

/// A queue of another system at a glance.
public struct ForeignQueue: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The system that it belongs to.
    public var system: String
    /// How many tasks are due, held or not.
    public var waiting = 0
    /// How many wait for a time.
    public var delayed = 0
    /// How many run, or lie in a worker's memory.
    public var running = 0
    /// How many ended well, as far as its system keeps them.
    public var succeeded = 0
    /// How many ended badly, as far as its system keeps them.
    public var failed = 0
    /// How many were set aside from here.
    public var skipped = 0
    /// How many of the due ones lie where no worker takes them.
    public var held = 0
    /// The hold; nil where there is none.
    public var hold: ForeignHold?
    /// What its own system says of being paused; nil where it is not.
    public var ownPause: String?
    /// When the task that waits longest came.
    public var oldest: Timestamp?

    /// A queue of which nothing was counted yet.
    public init(name: String, system: String) {
        self.name = name
        self.system = system
    }
}

/// A worker of another system.
public struct ForeignRunner: Hashable, Sendable {
    /// Its own name.
    public var name: String
    /// Where it runs, as far as its system says.
    public var host: String?
    /// Its number there.
    public var processID: Int64?
    /// The queues that it serves.
    public var queues: [String]
    /// The tasks that it runs.
    public var running: [String] = []
    /// How many it can run at once; nil where that is not told.
    public var slots: Int?
    /// When it was last heard of.
    public var heardAt: Timestamp?

    /// A worker.
    public init(name: String, queues: [String]) {
        self.name = name
        self.queues = queues
    }
}

/// A time that a task of another system waits for.
public struct ForeignTimer: Hashable, Sendable {
    /// The task.
    public var task: ForeignTask
    /// When.
    public var at: Timestamp

    /// A timer.
    public init(task: ForeignTask, at: Timestamp) {
        self.task = task
        self.at = at
    }
}

/// Which tasks of a queue are wanted.
public struct ForeignQuery: Hashable, Sendable {
    /// The queue.
    public var queue: String
    /// One state, or nil for what runs, waits and failed.
    public var state: TaskState.Name?
    /// How many at most.
    public var limit: Int
    /// The task behind which the page begins.
    public var after: String?

    /// The first page of a queue.
    public init(queue: String, state: TaskState.Name? = nil, limit: Int = 50, after: String? = nil)
    {
        self.queue = queue
        self.state = state
        self.limit = limit
        self.after = after
    }
}

/// A page of tasks.
public struct ForeignPage: Hashable, Sendable {
    /// The tasks: running, waiting in their order, timed, failed.
    public var tasks: [ForeignTask]
    /// Whether there are more.
    public var more: Bool

    /// A page.
    public init(tasks: [ForeignTask], more: Bool) {
        self.tasks = tasks
        self.more = more
    }
}
