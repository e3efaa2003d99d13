import SluiceForeignQueues
import SluiceModel

/// Which tasks of other systems a filter means: the language of our own stores, asked of what
/// their systems say and of their payloads, which are read only where it asks for them.
struct ForeignSelection {
    let filter: TaskFilter
    let now: Timestamp

    /// A task of a system that was found.
    struct Found {
        var system: any ForeignSystem
        var task: ForeignTask
    }

    /// So many tasks of each state of a queue are looked through.
    private static let limit = 1_000_000

    /// Whether a filter means a task.
    func means(_ task: ForeignTask, of system: any ForeignSystem) throws -> Bool {
        let told = task.told(
            id: TaskID(task.reference) ?? 0, queue: task.queue, position: 0,
            system: system.name, now: now,
            run: Running(owner: 0, token: 1, attempt: 1, since: now))
        return try filter.matches(told, ForeignFacts(now: now, task: task, system: system))
    }

    /// The tasks that match, of one queue where that is said, in its order; `states` are those that
    /// are taken where the filter names none.
    func tasks(
        of store: ForeignStore, queue: String? = nil, usually states: Set<TaskState.Name>,
        limit: Int = .max, _ fits: (ForeignTask) -> Bool = { _ in true }
    ) throws -> (tasks: [Found], more: Bool) {
        let names = filter.names(of: .queue)
        let wanted = filter.states(usually: states)
        var found: [Found] = []
        for one in try store.queues()
        where (queue ?? one.name) == one.name && names?.contains(one.name) ?? true {
            guard let system = store.systems.first(where: { $0.name == one.system }) else {
                continue
            }
            for state in [TaskState.Name.running, .waiting, .failed, .succeeded, .deleted]
            where wanted.contains(state) {
                _ = try system.each(of: one.name, state, limit: Self.limit) { task in
                    guard fits(task), try means(task, of: system) else { return true }
                    found.append(Found(system: system, task: task))
                    return found.count <= limit
                }
                if found.count > limit { return (Array(found.prefix(limit)), true) }
            }
        }
        return (found, false)
    }
}

/// What is known of a task of another system beside itself.
private struct ForeignFacts: FilterFacts {
    let now: Timestamp
    let task: ForeignTask
    let system: any ForeignSystem

    func display() -> Display {
        switch task.display {
        case .next: .next
        case .due, .held: .due
        case .delayed: .delayed
        case .retrying: .retrying
        case .skipped: .skipped
        case .blocked: .parked
        case .running: .running
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .deleted
        }
    }

    func payload() throws -> [UInt8] { try system.detail(of: task)?.payload.told ?? [] }

    func lastAttempt() -> AttemptRecord? { nil }

    func uuid() -> String? { task.reference }
}

extension ForeignVerb {
    /// The states of the tasks that it may take, where a filter names none.
    var states: Set<TaskState.Name> {
        switch self {
        case .retry, .delete: [.waiting, .failed]
        default: [.waiting]
        }
    }

    /// Whether it does something to a task that shows so.
    func fits(_ task: ForeignTask) -> Bool {
        switch self {
        case .skip: task.display != .skipped
        case .unskip: task.display == .skipped
        case .retry: [.delayed, .retrying, .failed, .cancelled].contains(task.display)
        default: true
        }
    }
}
