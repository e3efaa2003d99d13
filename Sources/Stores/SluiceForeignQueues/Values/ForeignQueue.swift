package import SluiceModel

/// The person, time and reason of a hold, stored with the foreign queue.
package struct HoldNote: Hashable, Sendable {
    package var by: String
    /// Since when.
    package var since: Timestamp
    /// The reason; `nil` if none was given.
    package var reason: String?

    package init(by: String, since: Timestamp, reason: String? = nil) {
        self.by = by
        self.since = since
        self.reason = reason
    }
}

package struct ForeignHold: Hashable, Sendable {
    /// Who, since when, why.
    package var note: HoldNote
    /// The method: `guards`, `side queue`, `trigger`, `gate`, or the system's own pause.
    package var recipe: String
    /// The defect of the hold, such as a dead keeper that lets new tasks through; `nil` if it
    /// works.
    package var leak: String?
    /// How the leak ends, if another pause does not end it.
    package var mend: String?
    /// How many tasks workers got without a step since the hold, as far as the server has counted
    /// them; `nil` if they are not counted, or none can pass.
    package var slipped: Int?

    package init(note: HoldNote, recipe: String, leak: String? = nil, slipped: Int? = nil) {
        self.note = note
        self.recipe = recipe
        self.leak = leak
        self.slipped = slipped
    }

    /// The leak, and the number of tasks that slipped through, in words.
    package var defects: [String] { [leak, slips].compactMap { $0 } }

    /// `~3 slipped through to workers since the hold`; `nil` for none.
    package var slips: String? {
        guard let slipped, slipped > 0 else { return nil }
        return "~\(slipped) slipped through to workers since the hold"
    }
}

/// The counts of a queue of another system.
package enum ForeignCount: String, Hashable, Sendable, CaseIterable {
    case waiting, blocked, held, delayed, taken, running, succeeded, failed, skipped
}

/// A queue of another system at a glance.
package struct ForeignQueue: Hashable, Sendable {
    package var name: String
    package var system: String
    /// How many tasks are due, held or not.
    package var waiting = 0
    /// The number of waiting tasks with another condition of their system.
    package var blocked = 0
    /// How many wait for a time.
    package var delayed = 0
    /// The number of tasks that workers have fetched without a known start.
    package var taken = 0
    package var running = 0
    /// How many ended well, as far as its system keeps them.
    package var succeeded = 0
    /// How many ended badly, as far as its system keeps them.
    package var failed = 0
    /// The number of skipped tasks.
    package var skipped = 0
    /// The number of due tasks that a hold keeps from workers.
    package var held = 0
    /// The counts that are estimates of the server.
    package var estimates: Set<ForeignCount> = []
    /// The counts that are lower bounds.
    package var bounds: Set<ForeignCount> = []
    /// The hold, if any.
    package var hold: ForeignHold?
    /// The reason for the system's own pause; `nil` if not paused.
    package var ownPause: String?
    /// When the task that waits longest came.
    package var oldest: Timestamp?
    /// The last start of a task; nil if unknown.
    package var startedAt: Timestamp?

    /// How many workers have in their hands.
    package var inFlight: Int { taken + running }
    /// Whether it is certain that it has no task.
    package var isEmpty: Bool {
        bounds.isEmpty && waiting + delayed + skipped + inFlight + succeeded + failed == 0
    }
    /// Whether workers have some in their hands for certain: no estimate says so.
    package var isInFlight: Bool { taken > 0 || running > 0 && !estimates.contains(.running) }
    /// Whether a count is exact. Estimates and lower bounds are not.
    package func isExact(_ count: ForeignCount) -> Bool {
        !estimates.contains(count) && !bounds.contains(count)
    }
    /// A number of such a count with the signs of an estimate and of a lower bound; `?` for a bound
    /// of zero, which is no figure.
    package func marked(_ number: String, _ count: ForeignCount) -> String {
        if number == "0", bounds.contains(count) { return "?" }
        return (estimates.contains(count) ? "~" : "") + number + (bounds.contains(count) ? "+" : "")
    }
    /// The number of tasks that are certainly set aside without a hold.
    package var leftAside: Int { !isStopped && !estimates.contains(.held) ? held : 0 }
    /// Whether a hold or its system's own pause stops it.
    package var isStopped: Bool { hold != nil || ownPause != nil }

    /// A queue without counts so far.
    package init(name: String, system: String) {
        self.name = name
        self.system = system
        // The actual keys have other bytes, so every count is unknown.
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
        case .held, .left:
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
    /// The host, if the system reports it.
    package var host: String?
    package var processID: Int64?
    package var queues: [String]
    /// The tasks that it runs.
    package var running: [String] = []
    /// The running tasks that only the worker reports, not a key.
    package var tasks: [ForeignTask] = []
    /// The number of tasks that it can run at the same time; `nil` if unknown.
    package var slots: Int?
    /// When it was last heard of.
    package var heardAt: Timestamp?

    package init(name: String, queues: [String]) {
        self.name = name
        self.queues = queues
    }
}

/// A time that a task of another system waits for.
package struct ForeignTimer: Hashable, Sendable {
    package var task: ForeignTask
    package var at: Timestamp

    package init(task: ForeignTask, at: Timestamp) {
        self.task = task
        self.at = at
    }

    /// The tasks that wait for a time, earliest first.
    static func first(_ limit: Int, of tasks: [ForeignTask]) -> [ForeignTimer] {
        let timers = tasks.compactMap { task in
            task.notBefore.map { ForeignTimer(task: task, at: $0) }
        }
        return Array(timers.sorted { $0.at < $1.at }.prefix(limit))
    }
}

/// A query for a page of a queue's tasks.
package struct ForeignQuery: Hashable, Sendable {
    package var queue: String
    /// The state; `nil` for running, waiting and failed tasks.
    package var state: TaskState.Name?
    /// How many at most.
    package var limit: Int
    /// The task before the page.
    package var after: String?
    /// Whether the caller polls, so that a read must not disturb the workers.
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

package struct ForeignPage: Hashable, Sendable {
    /// The tasks: running, waiting in their order, timed, failed.
    package var tasks: [ForeignTask]
    package var more: Bool

    package init(tasks: [ForeignTask], more: Bool) {
        self.tasks = tasks
        self.more = more
    }

    /// A page from a list that may contain more tasks than the limit.
    init(first limit: Int, of tasks: [ForeignTask]) {
        self.init(tasks: Array(tasks.prefix(limit)), more: tasks.count > limit)
    }

    /// The page with its first due or held task marked as the next one, as in the console. Some
    /// systems mark it themselves. Only the first page of a queue has it.
    package func withNext(isFirst: Bool) -> ForeignPage {
        guard isFirst, !tasks.contains(where: { $0.display == .next }),
            let place = tasks.firstIndex(where: { $0.display == .due })
                ?? tasks.firstIndex(where: { $0.display == .held })
        else { return self }
        var page = self
        page.tasks[place].display = .next
        return page
    }
}
