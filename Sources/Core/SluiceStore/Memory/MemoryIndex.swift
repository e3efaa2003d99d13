import SluiceModel
import SluiceSystem

/// The index of a store in memory, so that a query does not scan all tasks. It holds rows of tasks
/// for common lookups, and counts. Both follow from the tasks alone, and change with each task.
struct MemoryIndex: Sendable {
    enum RowName: Hashable, Sendable {
        case state(String, TaskState.Name)
        case waitFlags(String, WaitFlags)
        case arrival(String)
        case starts(String, group: String)
        case members(String, group: String)
        case unique(String, type: String, key: String)
        case keyUses(String, type: String, key: String)
        case timers(String?)
        case expiring
        case fresh(String)
        case running(ProcessID)
        case lingering(ProcessID)
        case followUps(TaskID)
        case awaited(String, TaskState.Name)
        case ended(String, TaskState.Name)
    }

    /// A task's place in one of its rows.
    private struct Entry: Equatable {
        var row: RowName
        var place: IndexPlace

        static func == (left: Entry, right: Entry) -> Bool {
            left.place == right.place && left.row == right.row
        }
    }

    private var rows = Paged<RowName, IndexRow>()
    /// How many tasks a queue has, and, for nil, all queues together.
    private(set) var counts: [String?: QueueCounts] = [:]

    /// Replaces the entries of a changed, added or removed task. The settings belong to its queue
    /// before and after.
    mutating func replace(
        _ old: (task: QueueTask, settings: QueueSettings)?,
        by new: (task: QueueTask, settings: QueueSettings)?
    ) {
        let former = old.map { Self.entries($0.task, $0.settings) } ?? []
        let entries = new.map { Self.entries($0.task, $0.settings) } ?? []
        for entry in former where !entries.contains(entry) {
            rows[entry.row]?[entry.place] = nil
            if rows[entry.row]?.isEmpty == true { rows[entry.row] = nil }
        }
        for entry in entries where !former.contains(entry) {
            rows[entry.row, default: IndexRow()][entry.place] = ()
        }
        if let task = old?.task { count(task, -1) }
        if let task = new?.task { count(task, 1) }
    }

    /// Forgets the counts of a queue that goes.
    mutating func forget(queue: String) { counts[queue] = nil }

    /// Calls `wantsMore` with the tasks of a part of a row, in order or backwards, until it returns
    /// false.
    func visit(
        _ row: RowName, _ span: IndexRow.Span = .init(), isBackwards: Bool = false,
        _ wantsMore: (TaskID) -> Bool
    ) {
        rows[row]?.visit(span, isBackwards: isBackwards) { place, _ in wantsMore(place.id) }
    }

    private mutating func count(_ task: QueueTask, _ change: Int) {
        for queue in [nil, task.queue] {
            counts[queue, default: QueueCounts()].states[task.state.name, default: 0] += change
            guard task.waiting != nil else { continue }
            counts[queue, default: QueueCounts()].waitingByFlags[task.waitFlags, default: 0] +=
                change
        }
    }

    private static func entries(_ task: QueueTask, _ settings: QueueSettings) -> [Entry] {
        let (queue, id, state) = (task.queue, task.id, task.state.name)
        let byNumber = IndexPlace(0, id)
        let byArrival = IndexPlace(task.position, id)
        func at(_ moment: Timestamp) -> IndexPlace { IndexPlace(moment.milliseconds, id) }
        let inOrder = IndexPlace(task.orderKey(settings.order), id)
        var entries = [
            Entry(row: .state(queue, state), place: inOrder),
            Entry(row: .arrival(queue), place: byArrival),
        ]
        func add(_ row: RowName, _ place: IndexPlace) {
            entries.append(Entry(row: row, place: place))
        }
        if let group = task.groupStart, task.holdsMembers {
            add(.starts(queue, group: group), byArrival)
        }
        if let parent = task.parent { add(.followUps(parent), byNumber) }
        if let session = task.session, !task.isAcknowledged {
            add(.awaited(session, state), byNumber)
        }
        if let key = task.uniqueKey, task.endedAt == nil {
            add(.unique(queue, type: task.type, key: key), byNumber)
        }
        if let key = task.uniqueKey, [.succeeded, .failed].contains(state) {
            add(.keyUses(queue, type: task.type, key: key), at(task.createdAt))
        }
        switch task.state {
        case .waiting(let waiting):
            add(.waitFlags(queue, task.waitFlags), inOrder)
            for group in Set(task.groupMembers) { add(.members(queue, group: group), byArrival) }
            if let moment = task.wakesAt {
                add(.timers(nil), at(moment))
                add(.timers(queue), at(moment))
            }
            if let moment = task.expiresAt { add(.expiring, at(moment)) }
            if case .batched = settings.start { add(.fresh(queue), at(task.freshAt)) }
            if let lingering = waiting.lingering { add(.lingering(lingering.owner), byNumber) }
        case .running(let running): add(.running(running.owner), byNumber)
        case .succeeded, .failed, .deleted:
            if let moment = task.endedAt { add(.ended(queue, state), at(moment)) }
        }
        return entries
    }
}

extension QueueSettings {
    /// Whether tasks of a queue lie elsewhere in the index when it has other settings.
    func isIndexed(as other: QueueSettings) -> Bool {
        func isBatched(_ settings: QueueSettings) -> Bool {
            if case .batched = settings.start { return true }
            return false
        }
        return order == other.order && isBatched(self) == isBatched(other)
    }
}

extension MemoryReading {
    func tasks(_ ids: [TaskID]) -> [QueueTask] { ids.compactMap { state.tasks[$0] } }

    /// Scans the part of the index for the selection and filters by `includes`.
    func tasks(_ selection: TaskSelection, limit: Int) -> [QueueTask] {
        var found: [QueueTask] = []
        var looked = 0
        func take(_ task: QueueTask) -> Bool {
            looked += 1
            if selection.includes(task, state.settings(of: task.queue)) { found.append(task) }
            return found.count < limit
        }
        guard limit > 0 else { return [] }
        switch selection.place {
        case .numbers(let numbers):
            state.tasks.visit(numbers, isBackwards: selection.isBackwards, take)
        case .row(let row, let span):
            state.index.visit(row, span, isBackwards: selection.isBackwards) { id in
                state.tasks[id].map(take) ?? true
            }
        }
        looks.withLock { $0 += looked }
        return found
    }

    /// The tasks of a queue in a state, or in any.
    func tasks(in queue: String, _ name: TaskState.Name? = nil) -> [QueueTask] {
        state.tasks(name.map { .state(queue, $0) } ?? .arrival(queue))
    }
}

extension MemoryState {
    /// The settings of a queue, or the defaults if the queue is missing.
    func settings(of queue: String) -> QueueSettings {
        queues[queue]?.settings ?? QueueSettings()
    }

    func tasks(_ row: MemoryIndex.RowName) -> [QueueTask] {
        var found: [QueueTask] = []
        index.visit(row) { id in
            if let task = tasks[id] { found.append(task) }
            return true
        }
        return found
    }
}

extension TaskSelection {
    /// The range of a selection in the store in memory; it covers every included task.
    fileprivate enum Place {
        case numbers(ClosedRange<TaskID>)
        case row(MemoryIndex.RowName, IndexRow.Span)
    }

    fileprivate var place: Place {
        switch self {
        case .page(let query):
            guard query.state == .waiting, let waitFlags = query.waitFlags else {
                return .row(.state(query.queue, query.state), query.span)
            }
            return .row(.waitFlags(query.queue, waitFlags), query.span)
        case .arrived(let queue, let after): return .row(.arrival(queue), .init(behind: after))
        case .arrivedBefore(let queue, let position):
            return .row(.arrival(queue), .init(ahead: position))
        case .numbered(let after, _): return .numbers(after...TaskID.max)
        case .newest(let before, _): return .numbers(TaskID.min...(before ?? .max))
        case .holdingStarts(let queue, let group, let after, let before):
            return .row(.starts(queue, group: group), .init(behind: after, ahead: before))
        case .waitingMembers(let queue, let group, let after, let through):
            return .row(
                .members(queue, group: group), .init(behind: after, through: through))
        case .uniqueHolders(let queue, let type, let key):
            return .row(.unique(queue, type: type, key: key), .init())
        case .keyUses(let queue, let type, let key):
            return .row(.keyUses(queue, type: type, key: key), .init())
        case .timers(let queue, let after, let through):
            var span = IndexRow.Span(through: through?.milliseconds)
            span.after = after.map { IndexPlace($0.at.milliseconds, $0.id) }
            return .row(.timers(queue), span)
        case .expiring(let through):
            return .row(.expiring, .init(through: through?.milliseconds))
        case .fresh(let queue, let since, let now):
            var span = IndexRow.Span(through: now.milliseconds)
            span.after = since.map { IndexPlace($0.milliseconds, .min) }
            return .row(.fresh(queue), span)
        case .running(let process): return .row(.running(process), .init())
        case .lingering(let process): return .row(.lingering(process), .init())
        case .followUps(let parent): return .row(.followUps(parent), .init())
        case .awaited(let session, let state, let after):
            return .row(.awaited(session, state), .init(after: IndexPlace(0, after)))
        case .ended(let queue, let state, let moment):
            return .row(.ended(queue, state), .init(ahead: moment.milliseconds))
        }
    }
}

extension TaskQuery {
    fileprivate var span: IndexRow.Span {
        isBackwards
            ? .init(before: after.map { IndexPlace($0, .min) })
            : .init(after: after.map { IndexPlace($0, .max) })
    }
}

extension IndexRow.Span {
    /// The part of a row by number after one number, up to another.
    fileprivate init(behind: Int64? = nil, through: Int64? = nil) {
        after = behind.map { IndexPlace($0, .max) }
        before = through.map { IndexPlace($0, .max) }
    }

    /// The part of a row by number after one number and before another.
    fileprivate init(behind: Int64? = nil, ahead: Int64) {
        after = behind.map { IndexPlace($0, .max) }
        before = IndexPlace(ahead, .min)
    }
}
