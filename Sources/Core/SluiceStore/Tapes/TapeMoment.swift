import SluiceModel

/// A store as it was at one moment of a tape: commits are put on it, and taken off again in the
/// reverse order (G6). A copy costs nothing until one of the two changes.
package struct TapeMoment: Sendable {
    private var state: MemoryState

    /// The earlier values that revert a commit.
    package struct Former: Sendable {
        fileprivate var steps: [Step] = []
    }

    /// An empty store of that name.
    package init(identity: String) { state = MemoryState(identity: identity) }

    /// The store at this moment, for reading only.
    package func store(named name: String) -> MemoryStore {
        var state = state
        state.isPast = true
        return MemoryStore(name: name, showing: state)
    }

    /// A store that begins at this moment and goes its own way.
    package func writableStore(named name: String) -> MemoryStore {
        var state = state
        // The tape lacks numbers allocated before it began.
        let tokens = state.tasks.values.compactMap { $0.running?.token }
        let numbers = tokens + state.processes.keys + state.permits.keys
        state.lastNumber = max(state.lastNumber, numbers.max() ?? 0)
        return MemoryStore(name: name, beginningWith: state)
    }

    /// Applies a commit. Throws `unknownTask` if the commit changes a missing task.
    package mutating func apply(_ commit: TapeCommit) throws -> Former {
        var former = Former()
        do {
            for change in commit.changes { try apply(change, &former) }
        } catch {
            revert(former)
            throw error
        }
        return former
    }

    /// Reverts the commit applied last.
    package mutating func revert(_ former: Former) {
        for step in former.steps.reversed() { revert(step) }
    }
}

extension TapeMoment {
    fileprivate enum Step: Sendable {
        case task(TaskID, QueueTask?)
        case position(String, Int64?)
        case payload(TaskID, [UInt8]?)
        case result(TaskID, [UInt8]?)
        case origin(String, TaskID?)
        case attempt(TaskID, Int, AttemptRecord?)
        case counted(AttemptRecord)
        case event(Int64, JournalEvent?)
        case sequence(Int64)
        case store(StoreRecord)
        case queue(String, QueueRecord?)
        case ends(String, EndsByMinute?)
        case process(ProcessID, ProcessRecord?)
        case permit(Int64, Permit?)
        case lastTask(TaskID)
    }

    private mutating func apply(_ change: TapeChange, _ former: inout Former) throws {
        switch change {
        case .inserted(let new):
            keep(new.task.id, &former)
            former.steps.append(.lastTask(state.lastTaskID))
            former.steps.append(.position(new.task.queue, state.lastPositions[new.task.queue]))
            state.put(new.task)
            state.payloads[new.task.id] = new.payload
            state.lastTaskID = max(state.lastTaskID, new.task.id)
        case .updated(let task):
            guard let old = state.tasks[task.id] else { throw QueueError.unknownTask(task.id) }
            former.steps.append(.task(task.id, old))
            former.steps.append(.position(task.queue, state.lastPositions[task.queue]))
            state.put(task)
        case .removed(let ids):
            for id in ids { keep(id, &former) }
            state.forget(ids)
        case .attempt(let attempt): put(attempt, &former)
        case .event(let event):
            former.steps.append(.event(event.sequence, state.events[event.sequence]))
            follow(event.sequence, &former)
            state.put(event)
        case .other(let change):
            keepBefore(change, &former)
            try state.apply(change)
        }
    }

    private mutating func put(_ attempt: AttemptRecord, _ former: inout Former) {
        let old = state.attempts[AttemptPlace(task: attempt.task, number: attempt.number)]
        former.steps.append(.attempt(attempt.task, attempt.number, old))
        if attempt.endSequence > 0, old?.endSequence != attempt.endSequence {
            follow(attempt.endSequence, &former)
            former.steps.append(.counted(attempt))
            state.countEnd(of: attempt)
        }
        state.put(attempt)
    }

    private mutating func follow(_ sequence: Int64, _ former: inout Former) {
        guard sequence > state.lastSequence else { return }
        former.steps.append(.sequence(state.lastSequence))
        state.lastSequence = sequence
    }

    private func keep(_ id: TaskID, _ former: inout Former) {
        former.steps.append(.task(id, state.tasks[id]))
        former.steps.append(.payload(id, state.payloads[id]))
        if let result = state.results[id] { former.steps.append(.result(id, result)) }
    }

    private func keepBefore(_ change: StoreChange, _ former: inout Former) {
        switch change {
        case .store: former.steps.append(.store(state.store))
        case .queue(let queue): former.steps.append(.queue(queue.name, state.queues[queue.name]))
        case .removedQueue(let name):
            former.steps.append(.queue(name, state.queues[name]))
            former.steps.append(.ends(name, state.ends[name]))
            former.steps.append(.position(name, state.lastPositions[name]))
            for task in state.tasks(.arrival(name)) { keep(task.id, &former) }
        case .clearedRunMarks(let queue):
            for task in state.tasks(.state(queue, .waiting)) {
                former.steps.append(.task(task.id, task))
            }
        case .process(let process):
            former.steps.append(.process(process.id, state.processes[process.id]))
        case .removedProcess(let id):
            former.steps.append(.process(id, state.processes[id]))
            for permit in state.permits.values where permit.issuer == id || permit.runner == id {
                former.steps.append(.permit(permit.id, permit))
            }
        case .permit(let permit):
            former.steps.append(.permit(permit.id, state.permits[permit.id]))
        case .removedPermits(let ids):
            for id in ids { former.steps.append(.permit(id, state.permits[id])) }
        case .payload(_, let id): former.steps.append(.payload(id, state.payloads[id]))
        case .result(_, let id): former.steps.append(.result(id, state.results[id]))
        case .origin(let origin, _):
            former.steps.append(.origin(origin, state.origins[origin]))
        case .undone(let sequence, _):
            former.steps.append(.event(sequence, state.events[sequence]))
        // They are on no tape.
        case .offer, .removedOffer, .movedRecords, .images, .removedImages, .step:
            break
        }
    }

    private mutating func revert(_ step: Step) {
        switch step {
        case .task(let id, let task): state.set(task, at: id)
        case .position(let queue, let position): state.lastPositions[queue] = position
        case .payload(let id, let payload): state.payloads[id] = payload
        case .result(let id, let result): state.results[id] = result
        case .origin(let origin, let id): state.set(id, ofOrigin: origin)
        case .attempt(let id, let number, let attempt):
            state.set(attempt, at: AttemptPlace(task: id, number: number))
        case .counted(let attempt): state.countEnd(of: attempt, times: -1)
        case .event(let sequence, let event): state.events[sequence] = event
        case .sequence(let sequence): state.lastSequence = sequence
        case .store(let record): state.store = record
        case .queue(let name, let queue): state.set(queue, named: name)
        case .ends(let name, let ends): state.ends[name] = ends
        case .process(let id, let process): state.processes[id] = process
        case .permit(let id, let permit): state.permits[id] = permit
        case .lastTask(let id): state.lastTaskID = id
        }
    }
}
