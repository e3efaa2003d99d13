package import SluiceModel

/// Which tasks are asked for, and in what order they come.
///
/// A selection is a pure value. `includes` and `key` are its reference answer: a store gives the
/// tasks that are included, by their keys, the smallest first or, where `isBackwards`, the largest.
/// The store in memory does just that, in one row of its index; another engine finds the same in
/// one range of an index (K6).
package enum TaskSelection: Hashable, Sendable {
    /// A queue's tasks of one state, in the order of the queue.
    case page(TaskQuery)
    /// A queue's tasks behind a position, whatever their state, in the order of arrival.
    case arrived(queue: String, after: Int64?)
    /// A queue's tasks before a position, whatever their state, the nearest first.
    case arrivedBefore(queue: String, position: Int64)
    /// All tasks behind a number, by number; with states only those in one of them.
    case numbered(after: TaskID, in: Set<TaskState.Name>? = nil)
    /// All tasks, the newest first, before a number where one is given; with states only those in
    /// one of them.
    case newest(before: TaskID? = nil, in: Set<TaskState.Name>? = nil)
    /// The starts of a group that hold members (`QueueTask.holdsMembers`) between two positions,
    /// by position.
    case holdingStarts(queue: String, group: String, after: Int64, before: Int64)
    /// The waiting members of a group behind a position and, where given, not behind another, by
    /// position.
    case waitingMembers(queue: String, group: String, after: Int64, through: Int64? = nil)
    /// The waiting task of a unique key and the running one (T5), by number.
    case uniqueHolders(queue: String, type: String, key: String)
    /// Waiting tasks with a time of waking, of one queue or all, by that time: behind a place, and
    /// not later than a moment.
    case timers(queue: String?, after: TimerCursor? = nil, through: Timestamp? = nil)
    /// Waiting tasks that can expire, by that time, and not later than a moment; starts of a queue
    /// that exempts them cannot (Q8).
    case expiring(through: Timestamp? = nil)
    /// The fresh tasks of a batched queue (Q4), by the moment at which they became fresh; those of
    /// one moment in any order. None of any other queue.
    case fresh(queue: String, since: Timestamp?, now: Timestamp)
    /// The tasks that a process runs, by number.
    case running(by: ProcessID)
    /// Waiting tasks with an execution of a process that goes on (B12), by number.
    case lingering(of: ProcessID)
    /// The tasks that a task's handler enqueued, by number.
    case followUps(of: TaskID)
    /// The tasks of a session in a state that its client has not collected (S4), behind a number,
    /// by number.
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
        case .arrivedBefore, .newest: true
        default: false
        }
    }

    /// Whether a task is among those that are asked for; `settings` are those of its queue.
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

    /// The place of a task among those that are asked for; `order` is that of its queue.
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
        case .numbered, .newest, .uniqueHolders, .running, .lingering, .followUps, .awaited:
            moment = nil
        }
        return OrderKey(
            moment: moment ?? Timestamp(milliseconds: 0), id: task.id, isNewestFirst: false)
    }
}
