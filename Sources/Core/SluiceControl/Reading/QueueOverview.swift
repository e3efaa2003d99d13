public import SluiceModel
package import SluiceStore

/// A queue at a glance, as `queues` and the screen's left pane show it.
public struct QueueOverview: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        case running, pausing, paused, idle
    }
    package var queue: QueueRecord
    package var state: State
    /// How many tasks it holds, by state, and by wait flags at this moment: what a timer that has
    /// passed held is not counted as held by it.
    package var counts: QueueCounts
    /// Whether more than `dueLimit` timers have passed. `counts` still counts the excess as held by
    /// a timer.
    package var hasMoreWoken: Bool
    /// The number of running tasks whose runner died and awaits cleanup (A2).
    package var lost: Int
    /// The number of due tasks, up to 10,000: the matches of `state:due`.
    public package(set) var due: Int
    /// Whether `due` is a lower bound.
    package var isDueCapped: Bool
    /// The pauses that hold, the store's included.
    public package(set) var pauses: [Pause]
    /// The time of the next automatic run.
    public package(set) var nextRun: Timestamp?
    /// When the task that waits longest arrived.
    public package(set) var oldest: Timestamp?
    /// Whether something runs, or holds the queue, too long (Q8).
    public package(set) var isStuck: Bool
    /// How many fresh tasks a batched queue has towards its threshold.
    package var freshCount: Int?
    /// Whether a good part of its last attempts failed.
    package var isFailing = false
    /// The reason why no runner takes the next task, even if the queue is paused.
    package var lack: RunnerLack?
    /// The number of tasks in the application's inbox that no process has taken in yet (T4).
    package var inbox: Int
    /// Whether `inbox` is a lower bound.
    package var isInboxCapped: Bool
    /// The tasks that the app of a Customer.io folder removes at its next start.
    package var expiring = ExpiringTasks()
    /// The number of tasks that failed and whose retry is due; `due` or `blocked` counts them too.
    package var dueRetries = 0

    /// The maximum of `dueRetries`.
    package static let dueRetryLimit = 100
    /// The maximum of `due`.
    package static let dueLimit = 10_000

    /// The number of waiting tasks without own blockers, up to `dueLimit`. Ignores blockers of the
    /// queue and its runners.
    package var left: Int { min(counts.waitingByFlags[.ready] ?? 0, Self.dueLimit) }

    /// Whether only breakpoints pause the queue (G1).
    package var isAtStop: Bool {
        let pauses = pauses.filter(\.direction.stopsWork)
        return !pauses.isEmpty && pauses.allSatisfy { $0.cause == .breakpoint }
    }
}

extension QueueOverview {
    /// A queue without tasks, for a source that counts them itself.
    package init(_ queue: QueueRecord) {
        self.init(
            queue: queue, state: .idle, counts: QueueCounts(), hasMoreWoken: false, lost: 0, due: 0,
            isDueCapped: false, pauses: [], nextRun: nil, oldest: nil, isStuck: false,
            freshCount: nil, lack: nil, inbox: 0, isInboxCapped: false)
    }
}

extension QueueOverview {
    /// The name of the queue.
    public var name: String { queue.name }
    /// The number of waiting tasks, including held ones.
    public var waiting: Int { counts[.waiting] }
    /// How many run.
    public var running: Int { counts[.running] - lost }
    /// The number of kept tasks that failed permanently.
    public var failed: Int { counts[.failed] }
    /// The number of kept tasks that succeeded.
    public var succeeded: Int { counts[.succeeded] }
    /// Whether a pause stops the queue's work. Running attempts may finish.
    public var isPaused: Bool { pauses.contains { $0.direction.stopsWork } }
}

/// A task as a list shows it.
package struct TaskLine: Hashable, Sendable {
    package var task: QueueTask
    package var display: Display
    /// Why it is not running, for the lists that ask.
    package var blockers: [Blocker]
    /// Whether the runner died that the store says runs it (A2).
    package var isLost: Bool
    /// The start that holds it, if any.
    package var heldBy: TaskID?
    /// The last progress of a running one (A7).
    package var fraction: Double?
    /// The progress text. Commas separate facts, and the last one matters most.
    package var progressText: String?
    /// How long the last attempt of one that has ended took, in milliseconds.
    package var took: Int64?
    /// Its id in a Customer.io folder; nil elsewhere.
    package var folderID: String?
    /// The state in another system's own word; `nil` in our stores.
    package var systemState: String?
    /// Whether the line is of a moment of a tape, so that no command changes the task.
    package var isPast = false

    /// Whether of a running one it is only known that a worker has taken it.
    package var isTaken: Bool { systemState == "taken" }

    /// How commands and the screen name it: `#1042`, or the first 8 characters of its UUID (P6).
    package var name: String { folderID.map { String($0.prefix(8)) } ?? "#\(task.id)" }
    /// How JSON names it: `#1042`, or its UUID.
    package var reference: String { folderID ?? "#\(task.id)" }
}

/// The parts of a list in the running order (the `list` command, view 1).
package enum ListSection: Int, Hashable, Sendable, CaseIterable {
    case running, waiting, failed, succeeded, deleted

    /// The stored state of the part.
    package var state: TaskState.Name {
        switch self {
        case .running: .running
        case .waiting: .waiting
        case .failed: .failed
        case .succeeded: .succeeded
        case .deleted: .deleted
        }
    }
}

/// A place in a list of tasks: a part, such as the waiting tasks, and a key in the part's order.
package struct ListPlace: Hashable, Sendable {
    package var section: ListSection
    /// The key; nil for the part's beginning (or its end, going backwards).
    package var key: OrderKey?

    package init(_ section: ListSection, key: OrderKey? = nil) {
        self.section = section
        self.key = key
    }

    /// The place of a task in a queue with an order.
    package init(_ task: QueueTask, order: QueueOrder) {
        section = ListSection.allCases.first { $0.state == task.state.name } ?? .waiting
        key = task.orderKey(order)
    }
}

extension ListPlace {
    /// Whether it comes earlier in a list.
    package func isBefore(_ other: ListPlace) -> Bool {
        guard section == other.section else { return section.rawValue < other.section.rawValue }
        guard let key, let otherKey = other.key else { return key == nil && other.key != nil }
        return key < otherKey
    }
}
