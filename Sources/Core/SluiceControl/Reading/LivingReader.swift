import SluiceModel
import SluiceStore

/// A store as it will be after the cleanup of dead processes. It hides their pauses, breakpoints,
/// recordings and permits (A2).
///
/// Reading changes nothing, so this type omits those rows. Tasks remain as stored: `Reading`
/// reports how a death affects each one.
struct LivingReader: StoreReader {
    let base: any StoreReader
    private let gone: Set<ProcessID>

    init(_ base: any StoreReader, without gone: [ProcessRecord]) {
        self.base = base
        self.gone = Set(gone.map(\.id))
    }

    func storeRecord() throws -> StoreRecord {
        var record = try base.storeRecord()
        record.pauses.removeAll { isOfDead($0.owner) }
        record.breakpoints.all.removeAll { isOfDead($0.owner) }
        if isOfDead(record.recording?.recorder) { record.recording = nil }
        return record
    }

    func queues(_ selection: QueueSelection) throws -> [SharedQueue] {
        let ended = Set(
            try base.storeRecord().breakpoints.all.filter { isOfDead($0.owner) }.map(\.number))
        return try base.queues(selection).map { shared in
            let pauses = shared.record.pauses.compactMap { living($0, without: ended) }
            guard pauses != shared.record.pauses else { return shared }
            var queue = shared.record
            queue.pauses = pauses
            return SharedQueue(queue)
        }
    }

    func permits() throws -> [Permit] {
        try base.permits().filter { !isOfDead($0.issuer) && !isOfDead($0.runner) }
    }

    private func isOfDead(_ owner: ProcessID?) -> Bool { owner.map(gone.contains) ?? false }

    /// A pause as it holds without breakpoints that ended; nil if nothing of it does.
    private func living(_ pause: Pause, without ended: Set<Int64>) -> Pause? {
        if isOfDead(pause.owner) { return nil }
        guard pause.cause == .breakpoint else { return pause }
        var pause = pause
        pause.hits.removeAll { ended.contains($0.breakpoint) }
        return pause.hits.isEmpty ? nil : pause
    }
}

/// Forwarded to the base store.
extension LivingReader {
    func countQueues(before queue: QueueRecord?) throws -> Int {
        try base.countQueues(before: queue)
    }
    func counts(of queue: String?) throws -> QueueCounts { try base.counts(of: queue) }
    func lastPosition(queue: String) throws -> Int64 { try base.lastPosition(queue: queue) }
    func tasks(_ ids: [TaskID]) throws -> [QueueTask] { try base.tasks(ids) }
    func tasks(_ selection: TaskSelection, limit: Int) throws -> [QueueTask] {
        try base.tasks(selection, limit: limit)
    }
    func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int {
        try base.countTasks(selection, limit: limit)
    }
    func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]] { try base.candidates(plan) }
    func leases(of process: ProcessID) throws -> [Lease] { try base.leases(of: process) }
    func bytes(_ what: TaskBytes, of ids: [TaskID]) throws -> [TaskID: BytesHead] {
        try base.bytes(what, of: ids)
    }
    func origin(of id: TaskID) throws -> String? { try base.origin(of: id) }
    func task(ofOrigin origin: String) throws -> TaskID? { try base.task(ofOrigin: origin) }
    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        try base.groups(queue: queue, after: name, limit: limit)
    }
    func writtenAttempts(of id: TaskID, limit: Int) throws -> [AttemptRecord] {
        try base.writtenAttempts(of: id, limit: limit)
    }
    func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts] {
        try base.endedCounts(what, queue: queue, since: since)
    }
    func waitingStarts(queue: String, since: Timestamp?) throws -> [Int64: Int] {
        try base.waitingStarts(queue: queue, since: since)
    }
    func failureCounts(queue: String?) throws -> [FailureCount] {
        try base.failureCounts(queue: queue)
    }
    func typeCounts() throws -> [TypeCount] { try base.typeCounts() }
    func journal(_ query: JournalQuery) throws -> [JournalEntry] { try base.journal(query) }
    func undoable(_ selection: UndoSelection) throws -> [Int64] { try base.undoable(selection) }
    func processes() throws -> [ProcessRecord] { try base.processes() }
    func slotOffers() throws -> [SlotOffer] { try base.slotOffers() }
    func recorded(limit: Int) throws -> [RecordedCommit] { try base.recorded(limit: limit) }
    func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) throws -> Set<CheckpointImage.Subject> { try base.imaged(subjects, under: mark) }
    func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage] {
        try base.images(from: mark, before: end)
    }
    func steps() throws -> [StepImage] { try base.steps() }
    func imageCounts(from mark: Int64) throws -> ImageCounts { try base.imageCounts(from: mark) }
    func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        try base.page(query, holding: text)
    }
    var rowSearch: (any RowSearching)? { base.rowSearch }
    var naming: (any TaskNaming)? { base.naming }
    var inboxReader: (any InboxReader)? { base.inboxReader }
    func problems(_ check: StoreCheck) throws -> [String] { try base.problems(check) }
}
