import SluiceModel

/// A write to a store in memory: works on a copy, which the store takes over when the body
/// returned.
final class MemoryWriter: MemoryReading, StoreWriter {
    private(set) var state: MemoryState
    private(set) var isChanged = false
    let lifeSign: LifeSign?
    private let faults: WriteFaults?

    init(state: MemoryState, faults: WriteFaults?, lifeSign: LifeSign?) {
        self.state = state
        self.faults = faults
        self.lifeSign = lifeSign
    }

    private func change<Value>(
        _ body: (inout MemoryState) throws(QueueError) -> Value
    ) throws(QueueError) -> Value {
        try faults?.step()
        isChanged = true
        return try body(&state)
    }

    func takeTaskIDs(_ count: Int) throws -> TaskID {
        try change { state in
            state.lastTaskID += TaskID(count)
            return state.lastTaskID - TaskID(count) + 1
        }
    }

    func takeNumber() throws -> Int64 {
        try change { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func insert(_ tasks: [NewTask]) throws {
        try change { state in
            for new in tasks {
                state.put(new.task)
                state.payloads[new.task.id] = new.payload
            }
        }
    }

    func update(_ tasks: [QueueTask]) throws {
        try change { state throws(QueueError) in
            for task in tasks {
                guard state.tasks[task.id] != nil else { throw .unknownTask(task.id) }
                state.put(task)
            }
        }
    }

    func setPayload(_ payload: [UInt8], of id: TaskID) throws {
        try change { state throws(QueueError) in
            guard state.tasks[id] != nil else { throw .unknownTask(id) }
            state.payloads[id] = payload
        }
    }

    func setResult(_ result: [UInt8]?, of id: TaskID) throws {
        try change { state throws(QueueError) in
            guard state.tasks[id] != nil else { throw .unknownTask(id) }
            state.results[id] = result
        }
    }

    func putOrigin(_ origin: String, of id: TaskID) throws {
        try change { $0.origins[origin] = id }
    }

    func remove(_ ids: [TaskID]) throws {
        try change { $0.forget(ids) }
    }

    func put(_ queue: QueueRecord) throws {
        try change { $0.queues[queue.name] = queue }
    }

    func removeQueue(named name: String) throws {
        try change { state in
            state.queues[name] = nil
            state.lastPositions[name] = nil
            state.forget(state.tasks(of: name).map(\.id))
        }
    }

    func clearRunMarks(queue: String) throws {
        try change { state in
            for var task in state.tasks(of: queue) {
                guard var waiting = task.waiting else { continue }
                waiting.attemptedInRun = false
                if waiting.skip?.endsWithRun == true { waiting.skip = nil }
                task.state = .waiting(waiting)
                state.tasks[task.id] = task
            }
        }
    }

    func put(_ store: StoreRecord) throws {
        try change { $0.store = store }
    }
}

extension MemoryWriter {
    func put(_ attempts: [AttemptRecord]) throws {
        try change { state in
            for var attempt in attempts {
                if attempt.outcome != nil, attempt.endSequence == 0 {
                    state.lastSequence += 1
                    attempt.endSequence = state.lastSequence
                }
                state.attempts[attempt.task, default: [:]][attempt.number] = attempt
            }
        }
    }

    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64 {
        try change { state in
            let first = state.lastSequence + 1
            for var event in events {
                state.lastSequence += 1
                event.sequence = state.lastSequence
                state.events[event.sequence] = event
            }
            return first
        }
    }

    /// What lies in memory goes with its process: it is noted, and nothing goes.
    func setJournalBytes(_ bytes: Int64) throws { try change { $0.journalBytes = bytes } }

    func markUndone(_ sequence: Int64, by undo: Int64) throws {
        try change { $0.events[sequence]?.undoneBy = undo }
    }

    func put(_ process: ProcessRecord) throws {
        try change { $0.processes[process.id] = process }
    }

    func removeProcess(_ id: ProcessID) throws {
        try change { state in
            state.processes[id] = nil
            state.offers[id] = nil
            state.permits = state.permits.filter { $0.value.issuer != id && $0.value.runner != id }
        }
    }

    func put(_ offer: Offer) throws {
        try change { $0.offers[offer.process] = offer }
    }

    func removeOffer(of process: ProcessID) throws {
        try change { $0.offers[process] = nil }
    }

    func put(_ permit: Permit) throws {
        try change { $0.permits[permit.id] = permit }
    }

    func removePermits(_ ids: [Int64]) throws {
        try change { state in
            for id in ids { state.permits[id] = nil }
        }
    }

    /// Nothing is kept beside the values, so nothing can differ from them.
    func rebuildIndexes() -> [String] { [] }

    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int {
        try change { state in
            let end = state.lastSequence - Int64(newest) + 1
            let old = state.journal.prefix { $0.sequence < end }.filter { entry in
                guard let at = entry.at else { return false }
                if case .attempt = entry { return at < ended }
                return at < moment
            }
            for entry in old.prefix(limit) {
                switch entry {
                case .event(let event): state.events[event.sequence] = nil
                case .attempt(let attempt): state.attempts[attempt.task]?[attempt.number] = nil
                }
            }
            return min(old.count, limit)
        }
    }
}
