package import SluiceModel

/// The writer of mutations while a checkpoint exists. It keeps an image of each task, payload,
/// result and queue before its first change after the newest checkpoint (G5).
///
/// No other code takes images, and it works with every engine. Tasks created after the newest
/// checkpoint need no image, as their numbers show their age.
final class ImageKeeper: StoreWriter, ForwardingReader {
    private let base: any StoreWriter
    var reader: any StoreReader { base }
    private let now: Timestamp
    /// The number of the last checkpoint taken. Images are stored under it.
    private let mark: Int64
    private let lastTask: TaskID
    /// The subjects known to have an image under the mark, as far as this write has checked.
    private var known: Set<CheckpointImage.Subject> = []
    private var bytes: Int64 = 0

    /// `nil` if no checkpoint exists.
    init?(over base: any StoreWriter, now: Timestamp) throws {
        let checkpoints = try base.storeRecord().checkpoints
        guard let newest = checkpoints.all.last else { return nil }
        (self.base, self.now) = (base, now)
        (mark, lastTask) = (checkpoints.last, newest.lastTask)
    }

    /// Adds the new images to the byte count. Removes the oldest checkpoints while the count
    /// exceeds the limit.
    func finish() throws {
        guard bytes > 0 else { return }
        var record = try base.storeRecord()
        record.checkpoints.bytes += bytes
        record.version += 1
        try base.put(record)
        bytes = 0
        while record.checkpoints.bytes > record.checkpoints.byteLimit,
            let oldest = record.checkpoints.all.first
        {
            try base.removeCheckpoints([oldest.number])
            record = try base.storeRecord()
            let size = SizeText.compact(Int(record.checkpoints.byteLimit))
            try base.append([
                JournalEvent(
                    at: now, kind: "checkpointEnd", queue: nil, task: nil, by: "sluice",
                    text: "checkpoint \(oldest.name) ended: more than \(size) changed since")
            ])
        }
    }

    /// Stores images of the subjects that have none yet.
    private func keep(
        _ subjects: [CheckpointImage.Subject],
        _ content: (CheckpointImage.Subject) throws -> CheckpointImage.Content
    ) throws {
        let asked = subjects.filter { !known.contains($0) }
        guard !asked.isEmpty else { return }
        let kept = try base.imaged(asked, under: mark)
        known.formUnion(asked)
        let images = try asked.filter { !kept.contains($0) }.map {
            CheckpointImage(mark: mark, subject: $0, content: try content($0))
        }
        guard !images.isEmpty else { return }
        try base.put(images)
        bytes += images.reduce(0) { $0 + $1.size }
    }

    private func keep(tasks ids: [TaskID]) throws {
        let ids = ids.filter { $0 <= lastTask && !known.contains(.task($0)) }
        guard !ids.isEmpty else { return }
        let tasks = Dictionary(
            try base.tasks(ids).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        try keep(ids.map(CheckpointImage.Subject.task)) { subject in
            guard case .task(let id) = subject, let task = tasks[id] else { return .absent }
            return .task(task)
        }
    }

    private func keep(payloads ids: [TaskID]) throws {
        let ids = ids.filter { $0 <= lastTask && !known.contains(.payload($0)) }
        guard !ids.isEmpty else { return }
        let payloads = try base.payloads(of: ids)
        try keep(ids.map(CheckpointImage.Subject.payload)) { subject in
            guard case .payload(let id) = subject, let payload = payloads[id] else {
                return .absent
            }
            return .bytes(payload)
        }
    }

    private func keep(results ids: [TaskID]) throws {
        try keep(ids.filter { $0 <= lastTask }.map(CheckpointImage.Subject.result)) { subject in
            guard case .result(let id) = subject, let result = try base.result(of: id) else {
                return .absent
            }
            return .bytes(result)
        }
    }

    private func keep(queue name: String) throws {
        try keep([.queue(name)]) { _ in
            try base.queue(named: name).map(CheckpointImage.Content.queue) ?? .absent
        }
    }

    /// Tasks that go with all that they have.
    private func keep(whole ids: [TaskID]) throws {
        try keep(tasks: ids)
        try keep(payloads: ids)
        try keep(results: ids)
    }

    /// Keeps images of the tasks that a change of the whole queue affects.
    private func keep(queue name: String, _ isWanted: (QueueTask) -> Bool, whole: Bool) throws {
        guard try base.queue(named: name) != nil else { return }
        var place: Int64?
        while true {
            let page = try base.tasks(.arrived(queue: name, after: place), limit: 500)
            guard let last = page.last else { return }
            place = last.position
            let ids = page.filter(isWanted).map(\.id)
            if whole { try keep(whole: ids) } else { try keep(tasks: ids) }
        }
    }
}

/// Changes; each first keeps images.
extension ImageKeeper {
    func insert(_ tasks: [NewTask]) throws {
        let ids = tasks.lazy.map(\.task.id).filter { $0 <= self.lastTask }
        if !ids.isEmpty { try keep(whole: Array(ids)) }
        try base.insert(tasks)
    }

    func update(_ tasks: [QueueTask]) throws {
        try keep(tasks: tasks.map(\.id))
        try base.update(tasks)
    }

    func remove(_ ids: [TaskID]) throws {
        try keep(whole: ids)
        try base.remove(ids)
    }

    func apply(_ change: StoreChange) throws {
        switch change {
        case .payload(_, let id): try keep(payloads: [id])
        case .result(_, let id): try keep(results: [id])
        case .queue(let queue): try keep(queue: queue.name)
        case .removedQueue(let name):
            try keep(queue: name)
            try keep(queue: name, { _ in true }, whole: true)
        case .clearedRunMarks(let name):
            try keep(
                queue: name,
                { $0.waiting?.attemptedInRun == true || $0.waiting?.skip?.endsWithRun == true },
                whole: false)
        case .store, .process, .removedProcess, .offer, .removedOffer, .permit, .removedPermits,
            .origin, .undone, .images, .removedImages, .movedRecords, .step:
            break
        }
        try base.apply(change)
    }

    func begin(at moment: Timestamp) { base.begin(at: moment) }
    func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws {
        try base.visitQueuesInUse(body)
    }
    func reserveNumbers(_ count: Int, of what: NumberedThing) throws -> Int64 {
        try base.reserveNumbers(count, of: what)
    }
    func put(_ attempts: [AttemptRecord]) throws { try base.put(attempts) }
    func countWait(_ wait: DurationBucket, in queue: String, at moment: Timestamp) throws {
        try base.countWait(wait, in: queue, at: moment)
    }
    func append(_ events: [JournalEvent]) throws -> Int64 { try base.append(events) }
    func rebuildIndexes() throws -> [String] { try base.rebuildIndexes() }
    func tape() throws -> TapeNotes? { try base.tape() }
    var liveness: Liveness? { base.liveness }
    func turnOrder(of runner: ProcessRecord, after turn: RoundRobin) throws -> TurnOrder {
        try base.turnOrder(of: runner, after: turn)
    }
    func lockedHeartbeat(of process: ProcessID) throws -> Int64? {
        try base.lockedHeartbeat(of: process)
    }
    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int {
        try base.trimJournal(
            before: moment, executionsBefore: ended, keeping: newest, limit: limit)
    }
}

/// How checkpoints come and go (G5).
extension Mutation {
    /// Takes a checkpoint of the store as it is: a row, and nothing is copied. `sequence` is the
    /// number of its line in the journal.
    package func take(
        checkpoint name: String, by person: String, sequence: Int64
    ) throws -> Checkpoint {
        let lastTask = try store.reserveTaskIDs(0) - 1
        var record = try store.storeRecord()
        record.checkpoints.last += 1
        let taken = Checkpoint(
            number: record.checkpoints.last, name: name, at: real, by: person, sequence: sequence,
            lastTask: lastTask, storePauses: record.pauses, forcedNetwork: record.forcedNetwork,
            schedules: record.schedules)
        record.checkpoints.all.append(taken)
        record.version += 1
        try store.put(record)
        return taken
    }
}

extension StoreWriter {
    /// Ends checkpoints; images that no other needs go with them.
    package func removeCheckpoints(_ numbers: Set<Int64>) throws {
        var record = try storeRecord()
        record.checkpoints.all.removeAll { numbers.contains($0.number) }
        let oldest = record.checkpoints.all.first?.number
        try removeImages(before: oldest ?? .max)
        record.checkpoints.bytes = try oldest == nil ? 0 : imageCounts(from: .min).bytes
        record.version += 1
        try put(record)
    }

    /// Restores a removed checkpoint. Its images must still exist (`Checkpoints.loss`).
    package func bringBack(_ ended: Checkpoint) throws {
        var record = try storeRecord()
        record.checkpoints.all.append(ended)
        record.checkpoints.all.sort { $0.number < $1.number }
        record.version += 1
        try put(record)
    }

    /// Sets how many bytes of what `undo` needs the journal keeps (D9).
    package func setJournalBytes(_ bytes: Int64) throws {
        var record = try storeRecord()
        record.journalBytes = bytes
        record.version += 1
        try put(record)
    }

    /// Sets the limit for the images, in bytes.
    package func setImageLimit(_ bytes: Int64) throws {
        var record = try storeRecord()
        record.checkpoints.byteLimit = bytes
        record.version += 1
        try put(record)
    }
}
