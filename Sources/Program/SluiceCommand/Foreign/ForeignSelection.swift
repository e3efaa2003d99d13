import SluiceForeignQueues
import SluiceModel

/// Which tasks of other systems a filter means: the language of our own stores, asked of what
/// their systems say and of their payloads, which are read only where it asks for them.
struct ForeignSelection {
    let filter: TaskFilter
    let now: Timestamp

    /// A found task and its system.
    struct Found {
        var system: any ForeignSystem
        var task: ForeignTask
    }

    /// The maximum number of tasks to search in each state of a queue.
    private static let limit = 1_000_000

    fileprivate static var noTwins: QueueError {
        .notLegal(
            "twin: finds tasks of a store of this program's own",
            fix: "filter by the payload: text:… or payload.PATH=…")
    }

    private func means(_ place: Int, of page: PagePayloads) throws -> Bool {
        let (task, system) = (page.tasks[place], page.system)
        let told = task.told(
            id: TaskID(task.reference) ?? 0, queue: page.queue ?? task.queue, position: 0,
            system: system.name, now: now,
            run: Running(owner: 0, token: 1, attempt: 1, since: now))
        return try filter.matches(told, ForeignFacts(now: now, place: place, page: page))
    }

    func matches(_ task: ForeignTask, of system: any ForeignSystem) throws -> Bool {
        try means(0, of: PagePayloads([task], of: system))
    }

    /// The tasks that match the filter, in queue order, of one queue or of all. `states` applies if
    /// the filter names no state.
    func tasks(
        of store: ForeignStore, queue: String? = nil, usually states: Set<TaskState.Name>,
        limit: Int = .max,
        _ fits: (ForeignTask, any ForeignSystem) -> Bool = { _, _ in true }
    ) throws -> (tasks: [Found], more: Bool) {
        // Without tasks no term of the filter would be asked.
        if filter.expression.terms.contains(where: \.asksTwins) { throw Self.noTwins }
        let all = ForeignQueueName.names(of: try store.queues())
        let meant = ForeignSelection(filter: ForeignQueueName.naming(filter, among: all), now: now)
        let names = meant.filter.names(of: .queue)
        let wanted = filter.states(usually: states)
        var found: [Found] = []
        for one in all
        where queue.map(one.isNamed) ?? true && names?.contains(one.shown) ?? true {
            guard let system = store.systems.first(where: { $0.name == one.system }) else {
                continue
            }
            for state in [TaskState.Name.running, .waiting, .failed, .succeeded, .deleted]
            where wanted.contains(state) {
                _ = try system.pages(of: one.name, state, limit: Self.limit) { tasks in
                    let page = PagePayloads(
                        tasks.filter { fits($0, system) }, of: system, queue: one.shown)
                    for place in page.tasks.indices where found.count <= limit {
                        guard try meant.means(place, of: page) else { continue }
                        found.append(Found(system: system, task: page.tasks[place]))
                    }
                    return found.count <= limit
                }
                if found.count > limit { return (Array(found.prefix(limit)), true) }
            }
        }
        return (found, false)
    }
}

/// The payloads of a page of tasks. A request also reads the payloads after it.
private final class PagePayloads {
    let tasks: [ForeignTask]
    let system: any ForeignSystem
    /// The name of their queue for the filter; `nil` for its own.
    let queue: String?
    private var read: [Int: [UInt8]] = [:]
    /// The number of payloads in one read.
    private static let atOnce = 250

    init(_ tasks: [ForeignTask], of system: any ForeignSystem, queue: String? = nil) {
        (self.tasks, self.system, self.queue) = (tasks, system, queue)
    }

    func payload(_ place: Int) throws -> [UInt8] {
        if let known = read[place] { return known }
        read = [:]
        let part = place..<min(place + Self.atOnce, tasks.count)
        for (index, detail) in zip(part, try system.details(of: Array(tasks[part]))) {
            read[index] = detail?.payload.told ?? []
        }
        return read[place] ?? []
    }
}

/// Facts about a foreign task for filters.
private struct ForeignFacts: FilterFacts {
    let now: Timestamp
    let place: Int
    let page: PagePayloads
    private var task: ForeignTask { page.tasks[place] }

    func display() -> Display { task.display.shown }

    func payload() throws -> [UInt8] { try page.payload(place) }

    func lastAttempt() -> AttemptRecord? { nil }

    func uuid() -> String? { task.reference }

    func twins() throws -> [TaskID] { throw ForeignSelection.noTwins }
}

extension ForeignVerb {
    /// The states of the tasks that it may take, where a filter names none.
    var states: Set<TaskState.Name> {
        switch self {
        case .retry, .delete: [.waiting, .failed]
        case .cancel, .reclaim: [.running]
        default: [.waiting]
        }
    }

    /// Whether a filter's selection includes a task. The selection omits a task in a usual state if
    /// the verb does not apply to it. Other tasks remain, and the verb refuses them with a reason.
    func fits(_ task: ForeignTask, _ system: any ForeignSystem) -> Bool {
        !states.contains(task.display.state)
            || system.rules.refusal(of: self, on: task.display) == nil
    }
}
