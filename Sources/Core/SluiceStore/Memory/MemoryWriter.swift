import SluiceModel
import SluiceSystem

/// A write to a store in memory: works on a copy, which the store takes over when the body
/// returned.
final class MemoryWriter: MemoryReading, StoreWriter {
    private(set) var state: MemoryState
    private(set) var isChanged = false
    let liveness: Liveness?
    let looks: Protected<Int>
    private let faults: WriteFaults?
    private let notes = TapeNotes()

    init(
        state: MemoryState, faults: WriteFaults?, liveness: Liveness?, looks: Protected<Int>
    ) {
        self.state = state
        self.state.minute = nil
        self.looks = looks
        self.faults = faults
        self.liveness = liveness
    }

    private func change<Value>(
        _ body: (inout MemoryState) throws(QueueError) -> Value
    ) throws(QueueError) -> Value {
        try faults?.step()
        isChanged = true
        return try body(&state)
    }

    func begin(at moment: Timestamp) { state.minute = EndedCounts.minute(of: moment) }

    func show(_ states: [TaskID: SystemState]) throws {
        try change { (state) throws(QueueError) in state.systemStates = states }
    }

    func tape() -> TapeNotes? { state.store.recording == nil ? nil : notes }

    private func record(_ note: (TapeNotes) -> Void) {
        if let notes = tape() { note(notes) }
    }

    /// Leaves the changes of the body for a recorder. Ends a recording that no recorder drains
    /// (G6).
    func finish() {
        guard let recording = state.store.recording, !notes.commit.isEmpty else { return }
        let now = notes.commit.at ?? recording.since
        if let first = state.recorded.first?.commit.at,
            Recording.isGivenUp(oldest: first, bytes: 0, at: now)
        {
            state.store.recording = nil
            state.recorded = []
            var event = Recording.givenUp(at: now)
            state.lastSequence += 1
            event.sequence = state.lastSequence
            state.put(event)
            return
        }
        state.lastRecorded += 1
        state.recorded.append(RecordedCommit(number: state.lastRecorded, notes.commit))
    }

    func reserveNumbers(_ count: Int, of what: NumberedThing) throws -> Int64 {
        try change { state in
            switch what {
            case .tasks: Self.take(count, after: &state.lastTaskID)
            case .others: Self.take(count, after: &state.lastNumber)
            }
        }
    }

    private static func take(_ count: Int, after last: inout Int64) -> Int64 {
        defer { last += Int64(count) }
        return last + 1
    }

    func insert(_ tasks: [NewTask]) throws {
        try change { state in
            for new in tasks {
                state.put(new.task)
                state.payloads[new.task.id] = new.payload
            }
        }
        record { $0.record(inserted: tasks) }
    }

    func update(_ tasks: [QueueTask]) throws {
        try change { state throws(QueueError) in
            for task in tasks {
                guard state.tasks[task.id] != nil else { throw .unknownTask(task.id) }
                state.put(task)
            }
        }
        record { $0.record(updated: tasks) }
    }

    func remove(_ ids: [TaskID]) throws {
        try change { $0.forget(ids) }
        record { $0.record(removed: ids) }
    }

    func apply(_ change: StoreChange) throws {
        try self.change { state throws(QueueError) in try state.apply(change) }
        record { $0.record(change) }
    }
}

extension MemoryWriter {
    func put(_ attempts: [AttemptRecord]) throws {
        let written = try change { state in
            var written: [AttemptRecord] = []
            for var attempt in attempts {
                if attempt.outcome != nil, attempt.endSequence == 0 {
                    state.lastSequence += 1
                    attempt.endSequence = state.lastSequence
                    state.countEnd(of: attempt)
                }
                state.put(attempt)
                written.append(attempt)
            }
            return written
        }
        record { notes in written.forEach { notes.record($0) } }
    }

    func countWait(_ wait: DurationBucket, in queue: String, at moment: Timestamp) throws {
        try change { $0.waits[queue, default: [:]].add(.waits(wait), at: moment) }
    }

    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64 {
        let first = try change { state in
            let first = state.lastSequence + 1
            for var event in events {
                state.lastSequence += 1
                event.sequence = state.lastSequence
                state.put(event)
            }
            return first
        }
        record { notes in
            for (place, event) in events.enumerated() {
                var event = event
                event.sequence = first + Int64(place)
                notes.record(event)
            }
        }
        return first
    }

    /// The index changes with each task, and with nothing else.
    func rebuildIndexes() -> [String] { [] }

    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int {
        try change { state in
            var gone = 0
            let end = state.lastSequence - Int64(newest) + 1
            guard state.firstSequence < end else { return 0 }
            for sequence in state.firstSequence..<end where gone < limit {
                guard let entry = state.entry(sequence), let at = entry.at else { continue }
                switch entry {
                case .event(let event):
                    guard at < moment else { continue }
                    state.events[event.sequence] = nil
                case .attempt(let attempt):
                    guard at < ended else { continue }
                    state.set(
                        nil, at: AttemptPlace(task: attempt.task, number: attempt.number))
                }
                gone += 1
            }
            return gone
        }
    }
}

extension MemoryState {
    mutating func apply(_ change: StoreChange) throws(QueueError) {
        switch change {
        case .store(let record):
            store = record
            if record.recording == nil { recorded = [] }
        case .queue(let queue): set(queue, named: queue.name)
        case .removedQueue(let name):
            forget(tasks(.arrival(name)).map(\.id))
            set(nil, named: name)
            (ends[name], waits[name], waitingStarts[name]) = (nil, nil, nil)
            lastPositions[name] = nil
        case .clearedRunMarks(let queue): clearRunMarks(queue)
        case .process(let process): processes[process.id] = process
        case .removedProcess(let id):
            (processes[id], offers[id]) = (nil, nil)
            permits = permits.filter { $0.value.issuer != id && $0.value.runner != id }
        case .offer(let offer): offers[offer.process] = offer
        case .removedOffer(let process): offers[process] = nil
        case .permit(let permit): permits[permit.id] = permit
        case .removedPermits(let ids): for id in ids { permits[id] = nil }
        case .payload(let payload, let id):
            try check(id)
            payloads[id] = payload
        case .result(let result, let id):
            try check(id)
            results[id] = result
        case .origin(let origin, let id): set(id, ofOrigin: origin)
        case .undone(let sequence, let undo): events[sequence]?.undoneBy = undo
        case .images(let kept):
            for image in kept { images[image.mark, default: [:]][image.subject] = image }
        case .step(let step):
            steps[step.token] = step
            for token in steps.keys.sorted().dropLast(StepImage.kept) { steps[token] = nil }
        case .removedImages(let mark): images = images.filter { $0.key >= mark }
        case .movedRecords(let last): recorded.removeAll { $0.number <= last }
        }
    }

    private func check(_ id: TaskID) throws(QueueError) {
        if tasks[id] == nil { throw .unknownTask(id) }
    }

    private mutating func clearRunMarks(_ queue: String) {
        for var task in tasks(.state(queue, .waiting)) {
            guard var waiting = task.waiting else { continue }
            waiting.attemptedInRun = false
            if waiting.skip?.endsWithRun == true { waiting.skip = nil }
            task.state = .waiting(waiting)
            set(task, at: task.id)
        }
    }
}
