package import SluiceModel

/// Who holds a queue of another system, since when and why: it lies beside the queue itself.
package struct HoldNote: Hashable, Sendable {
    /// Who.
    package var by: String
    /// Since when.
    package var since: Timestamp
    /// Why; nil where nobody said.
    package var reason: String?

    /// A note.
    package init(by: String, since: Timestamp, reason: String? = nil) {
        self.by = by
        self.since = since
        self.reason = reason
    }
}

/// A hold as it was found.
package struct ForeignHold: Hashable, Sendable {
    /// Who, since when, why.
    package var note: HoldNote
    /// In which way: `guards`, `side queue`, `trigger`, `gate`, or the system's own pause.
    package var recipe: String
    /// What is wrong with it; nil where it holds: a dead process behind it lets arrivals through.
    package var leak: String?

    /// A hold.
    package init(note: HoldNote, recipe: String, leak: String? = nil) {
        self.note = note
        self.recipe = recipe
        self.leak = leak
    }
}

/// The counts of a queue of another system.
package enum ForeignCount: String, Hashable, Sendable, CaseIterable {
    case waiting, blocked, held, delayed, taken, running, succeeded, failed, skipped
}

/// A queue of another system at a glance.
package struct ForeignQueue: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// The system that it belongs to.
    package var system: String
    /// How many tasks are due, held or not.
    package var waiting = 0
    /// How many of those wait for something else of their own system.
    package var blocked = 0
    /// How many wait for a time.
    package var delayed = 0
    /// How many workers have of which it is not known whether they run yet.
    package var taken = 0
    /// How many run.
    package var running = 0
    /// How many ended well, as far as its system keeps them.
    package var succeeded = 0
    /// How many ended badly, as far as its system keeps them.
    package var failed = 0
    /// How many were set aside from here.
    package var skipped = 0
    /// How many of the due ones lie where no worker takes them.
    package var held = 0
    /// Those of its counts that are estimates of its server.
    package var estimates: Set<ForeignCount> = []
    /// Those of its counts that are bounds: there are more.
    package var bounds: Set<ForeignCount> = []
    /// The hold; nil where there is none.
    package var hold: ForeignHold?
    /// What its own system says of being paused; nil where it is not.
    package var ownPause: String?
    /// When the task that waits longest came.
    package var oldest: Timestamp?
    /// When its system started a task of it last; nil where that is not known.
    package var startedAt: Timestamp?

    /// How many workers have in their hands.
    package var inHand: Int { taken + running }
    /// Whether workers have some in their hands for certain: no estimate says so.
    package var isInHand: Bool { taken > 0 || running > 0 && !estimates.contains(.running) }
    /// How many lie aside for certain although nothing holds them any more.
    package var leftAside: Int {
        hold == nil && ownPause == nil && !estimates.contains(.held) ? held : 0
    }

    /// A queue of which nothing was counted yet.
    package init(name: String, system: String) {
        self.name = name
        self.system = system
        // Its keys have other bytes, so that nothing of it is read.
        if !name.isExactName { bounds = Set(ForeignCount.allCases) }
    }
}

extension ForeignQueue {
    /// Counts tasks that show something; held ones wait too, cancelled ones are not counted.
    mutating func add(
        _ count: Int, _ display: ForeignTask.Display, isEstimate: Bool = false,
        isBound: Bool = false
    ) {
        var counted: Set<ForeignCount>
        switch display {
        case .due, .next:
            waiting += count
            counted = [.waiting]
        case .blocked:
            blocked += count
            waiting += count
            counted = [.blocked, .waiting]
        case .held:
            held += count
            waiting += count
            counted = [.held, .waiting]
        case .skipped:
            skipped += count
            counted = [.skipped]
        case .delayed, .retrying:
            delayed += count
            counted = [.delayed]
        case .taken:
            taken += count
            counted = [.taken]
        case .running:
            running += count
            counted = [.running]
        case .succeeded:
            succeeded += count
            counted = [.succeeded]
        case .failed:
            failed += count
            counted = [.failed]
        case .cancelled: counted = []
        }
        if isEstimate { estimates.formUnion(counted) }
        if isBound { bounds.formUnion(counted) }
    }
}

/// A worker of another system.
package struct ForeignRunner: Hashable, Sendable {
    /// Its own name.
    package var name: String
    /// Where it runs, as far as its system says.
    package var host: String?
    /// Its number there.
    package var processID: Int64?
    /// The queues that it serves.
    package var queues: [String]
    /// The tasks that it runs.
    package var running: [String] = []
    /// Those of them that it tells of itself, since no key does.
    package var tasks: [ForeignTask] = []
    /// How many it can run at once; nil where that is not told.
    package var slots: Int?
    /// When it was last heard of.
    package var heardAt: Timestamp?

    /// A worker.
    package init(name: String, queues: [String]) {
        self.name = name
        self.queues = queues
    }
}

/// A time that a task of another system waits for.
package struct ForeignTimer: Hashable, Sendable {
    /// The task.
    package var task: ForeignTask
    /// When.
    package var at: Timestamp

    /// A timer.
    package init(task: ForeignTask, at: Timestamp) {
        self.task = task
        self.at = at
    }

    /// The first of what waits for a time.
    static func first(_ limit: Int, of tasks: [ForeignTask]) -> [ForeignTimer] {
        let timers = tasks.compactMap { task in
            task.notBefore.map { ForeignTimer(task: task, at: $0) }
        }
        return Array(timers.sorted { $0.at < $1.at }.prefix(limit))
    }
}

/// Which tasks of a queue are wanted.
package struct ForeignQuery: Hashable, Sendable {
    /// The queue.
    package var queue: String
    /// One state, or nil for what runs, waits and failed.
    package var state: TaskState.Name?
    /// How many at most.
    package var limit: Int
    /// The task behind which the page begins.
    package var after: String?
    /// Whether it is asked again and again, so that it must not disturb the workers of the queue.
    package var isWatched = false

    /// The first page of a queue.
    package init(queue: String, state: TaskState.Name? = nil, limit: Int = 50, after: String? = nil)
    {
        self.queue = queue
        self.state = state
        self.limit = limit
        self.after = after
    }
}

/// A page of tasks.
package struct ForeignPage: Hashable, Sendable {
    /// The tasks: running, waiting in their order, timed, failed.
    package var tasks: [ForeignTask]
    /// Whether there are more.
    package var more: Bool

    /// A page.
    package init(tasks: [ForeignTask], more: Bool) {
        self.tasks = tasks
        self.more = more
    }

    /// A page of tasks of which more were read than it takes, where there are more.
    init(first limit: Int, of tasks: [ForeignTask]) {
        self.init(tasks: Array(tasks.prefix(limit)), more: tasks.count > limit)
    }
}
