import SluiceModel
import SluicePlatform

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
