package import SluiceModel

/// A selection of tasks and its order.
///
/// A selection is a pure value. `includes` and `key` are the reference implementation: a store
/// returns the included tasks sorted by key, descending if `isBackwards`. The store in memory does
/// exactly this with one row of its index. Other engines use one range of an index (K6).
package enum TaskSelection: Hashable, Sendable {
    /// A queue's tasks of one state, in the order of the queue.
    case page(TaskQuery)
    /// A queue's tasks after a position, in any state, in order of arrival.
    case arrived(queue: String, after: Int64?)
    /// A queue's tasks before a position, in any state, the nearest first.
    case arrivedBefore(queue: String, position: Int64)
    /// All tasks after a number, by number, optionally only those in the given states.
    case numbered(after: TaskID, in: Set<TaskState.Name>? = nil)
    /// All tasks, the newest first, before a number if given; with states only those in one of
    /// them.
    case newest(before: TaskID? = nil, in: Set<TaskState.Name>? = nil)
    /// The starts of a group that hold members (`QueueTask.holdsMembers`) between two positions,
    /// by position.
    case holdingStarts(queue: String, group: String, after: Int64, before: Int64)
    /// The waiting members of a group after a position, optionally up to `through`, by position.
    case waitingMembers(queue: String, group: String, after: Int64, through: Int64? = nil)
    /// The waiting task of a unique key and the running one (T5), by number.
    case uniqueHolders(queue: String, type: String, key: String)
    /// The tasks of a unique key that succeeded or failed, the newest first (T5).
    case keyUses(queue: String, type: String, key: String)
    /// Waiting tasks with a wake time, in one queue or all, by that time: after a cursor, and not
    /// later than `through`.
    case timers(queue: String?, after: TimerCursor? = nil, through: Timestamp? = nil)
    /// Waiting tasks that can expire, by that time, and not later than a moment; starts of a queue
    /// that exempts them cannot (Q8).
    case expiring(through: Timestamp? = nil)
    /// The fresh tasks of a batched queue (Q4), by the time when they became fresh; ties have no
    /// order. Empty for other queues.
    case fresh(queue: String, since: Timestamp?, now: Timestamp)
    /// The tasks that a process runs, by number.
    case running(by: ProcessID)
    /// Waiting tasks with an attempt of this process that continues (B12), by number.
    case lingering(of: ProcessID)
    /// The tasks that a task's handler enqueued, by number.
    case followUps(of: TaskID)
    /// The uncollected tasks of a session in a state (S4), after a number, by number.
    case awaited(session: String, state: TaskState.Name, after: TaskID)
    /// A queue's tasks of a state that ended before a moment, the oldest first (Q9).
    case ended(queue: String, state: TaskState.Name, before: Timestamp)
}

extension TaskSelection {
    /// A queue's tasks that succeeded, the oldest first.
    package static func finished(of queue: String) -> TaskSelection {
        .ended(queue: queue, state: .succeeded, before: Timestamp(milliseconds: .max))
    }

    /// Whether the largest key comes first.
    package var isBackwards: Bool {
        switch self {
        case .page(let query): query.isBackwards
        case .arrivedBefore, .newest, .keyUses: true
        default: false
        }
    }

    /// Whether the selection includes a task; `settings` belong to its queue.
    package func includes(
        _ task: QueueTask, _ settings: @autoclosure () throws -> QueueSettings
    ) rethrows -> Bool {
        switch self {
        case .page(let query):
            guard query.matches(task) else { return false }
            guard let after = query.after else { return true }
            let key = try task.orderKey(settings().order)
            return query.isBackwards ? key < after : key > after
        case .arrived(let queue, let after):
            return task.queue == queue && task.position > after ?? .min
        case .arrivedBefore(let queue, let position):
            return task.queue == queue && task.position < position
        case .numbered(let after, let states):
            return task.id > after && states?.contains(task.state.name) ?? true
        case .newest(let before, let states):
            return before.map { task.id < $0 } ?? true && states?.contains(task.state.name) ?? true
        case .uniqueHolders(let queue, let type, let key):
            return task.uniqueKey == key && task.type == type && task.queue == queue
                && (task.waiting != nil || task.running != nil)
        case .keyUses(let queue, let type, let key):
            return task.uniqueKey == key && task.type == type && task.queue == queue
                && [.succeeded, .failed].contains(task.state.name)
        case .running(let process): return task.running?.owner == process
        case .lingering(let process): return task.waiting?.lingering?.owner == process
        case .followUps(let parent): return task.parent == parent
        case .awaited(let session, let state, let after):
            return task.session == session && task.state.name == state && task.id > after
                && !task.isAcknowledged
        case .holdingStarts, .waitingMembers: return includes(ofGroup: task)
        case .timers, .expiring, .fresh, .ended: return try includes(byTime: task, settings())
        }
    }

    private func includes(ofGroup task: QueueTask) -> Bool {
        switch self {
        case .holdingStarts(let queue, let group, let after, let before):
            task.queue == queue && task.groupStart == group && task.holdsMembers
                && task.position > after && task.position < before
        case .waitingMembers(let queue, let group, let after, let through):
            task.queue == queue && task.waiting != nil && task.groupMembers.contains(group)
                && task.position > after && task.position <= through ?? .max
        default: false
        }
    }

    private func includes(byTime task: QueueTask, _ settings: QueueSettings) -> Bool {
        switch self {
        case .timers(let queue, let after, let through):
            guard queue == nil || task.queue == queue, let at = task.wakesAt else { return false }
            let isBehind = after.map { ($0.at, $0.id) < (at, task.id) } ?? true
            return isBehind && through.map { at <= $0 } ?? true
        case .expiring(let through):
            guard task.waiting != nil, let at = task.expiresAt else { return false }
            return (task.groupStart == nil || settings.startsExpire)
                && through.map { at <= $0 } ?? true
        case .fresh(let queue, let since, let now):
            guard task.queue == queue, case .batched = settings.start else { return false }
            return task.waiting != nil && task.isFresh(since: since, now: now)
        case .ended(let queue, let state, let moment):
            return task.queue == queue && task.state.name == state
                && task.endedAt.map { $0 < moment } ?? false
        default: return false
        }
    }

    /// The sort key of a task in the selection; `order` belongs to its queue.
    package func key(of task: QueueTask, _ order: @autoclosure () -> QueueOrder) -> OrderKey {
        let moment: Timestamp?
        switch self {
        case .page: return task.orderKey(order())
        case .arrived, .arrivedBefore, .holdingStarts, .waitingMembers:
            moment = Timestamp(milliseconds: task.position)
        case .timers: moment = task.wakesAt
        case .expiring: moment = task.expiresAt
        case .fresh: moment = task.freshAt
        case .ended: moment = task.endedAt
        case .keyUses: moment = task.createdAt
        case .numbered, .newest, .uniqueHolders, .running, .lingering, .followUps, .awaited:
            moment = nil
        }
        return OrderKey(
            moment: moment ?? Timestamp(milliseconds: 0), id: task.id, isNewestFirst: false)
    }
}
