package import SluiceModel

/// A reader that changes some answers of another reader and forwards the rest.
///
/// `visitQueuesInUse` is not forwarded: its default asks `queues`, whose answer may be changed.
package protocol ForwardingReader: StoreReader {
    var reader: any StoreReader { get }
}

extension ForwardingReader {
    package func storeRecord() throws -> StoreRecord { try reader.storeRecord() }
    package func queues(_ selection: QueueSelection) throws -> [SharedQueue] {
        try reader.queues(selection)
    }
    package func permits() throws -> [Permit] { try reader.permits() }
    package func countQueues(before queue: QueueRecord?) throws -> Int {
        try reader.countQueues(before: queue)
    }
    package func counts(of queue: String?) throws -> QueueCounts { try reader.counts(of: queue) }
    package func lastPosition(queue: String) throws -> Int64 {
        try reader.lastPosition(queue: queue)
    }
    package func tasks(_ ids: [TaskID]) throws -> [QueueTask] { try reader.tasks(ids) }
    package func tasks(_ selection: TaskSelection, limit: Int) throws -> [QueueTask] {
        try reader.tasks(selection, limit: limit)
    }
    package func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int {
        try reader.countTasks(selection, limit: limit)
    }
    package func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]] {
        try reader.candidates(plan)
    }
    package func leases(of process: ProcessID) throws -> [Lease] { try reader.leases(of: process) }
    package func bytes(_ what: TaskBytes, of ids: [TaskID]) throws -> [TaskID: BytesHead] {
        try reader.bytes(what, of: ids)
    }
    package func origin(of id: TaskID) throws -> String? { try reader.origin(of: id) }
    package func task(ofOrigin origin: String) throws -> TaskID? {
        try reader.task(ofOrigin: origin)
    }
    package func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        try reader.groups(queue: queue, after: name, limit: limit)
    }
    package func writtenAttempts(of id: TaskID, limit: Int) throws -> [AttemptRecord] {
        try reader.writtenAttempts(of: id, limit: limit)
    }
    package func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts] {
        try reader.endedCounts(what, queue: queue, since: since)
    }
    package func waitingStarts(queue: String, since: Timestamp?) throws -> [Int64: Int] {
        try reader.waitingStarts(queue: queue, since: since)
    }
    package func failureCounts(queue: String?) throws -> [FailureCount] {
        try reader.failureCounts(queue: queue)
    }
    package func typeCounts() throws -> [TypeCount] { try reader.typeCounts() }
    package func journal(_ query: JournalQuery) throws -> [JournalEntry] {
        try reader.journal(query)
    }
    package func undoable(_ selection: UndoSelection) throws -> [Int64] {
        try reader.undoable(selection)
    }
    package func processes() throws -> [ProcessRecord] { try reader.processes() }
    package func slotOffers() throws -> [SlotOffer] { try reader.slotOffers() }
    package func recorded(limit: Int) throws -> [RecordedCommit] {
        try reader.recorded(limit: limit)
    }
    package func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) throws -> Set<CheckpointImage.Subject> { try reader.imaged(subjects, under: mark) }
    package func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage] {
        try reader.images(from: mark, before: end)
    }
    package func steps() throws -> [StepImage] { try reader.steps() }
    package func imageCounts(from mark: Int64) throws -> ImageCounts {
        try reader.imageCounts(from: mark)
    }
    package func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        try reader.page(query, holding: text)
    }
    package var rowSearch: (any RowSearching)? { reader.rowSearch }
    package var naming: (any TaskNaming)? { reader.naming }
    package var systemStates: [TaskID: SystemState]? { reader.systemStates }
    package var isPast: Bool { reader.isPast }
    package var inboxReader: (any InboxReader)? { reader.inboxReader }
    package func problems(_ check: StoreCheck) throws -> [String] { try reader.problems(check) }
}
