import SluiceModel
import SluiceStore

/// The reader of a folder: the store's reader with task names.
class FolderReader: StoreReader, TaskNaming {
    private let base: any StoreReader
    let ledger: any FolderLedger
    let place: FolderPlace

    init(_ base: any StoreReader, ledger: any FolderLedger, place: FolderPlace) {
        self.base = base
        self.ledger = ledger
        self.place = place
    }

    func folderID(of task: TaskID) throws -> String? {
        if let row = try ledger.row(of: task) { return row.id }
        // A task that moved to another queue has left the folder and has only a number.
        return try base.task(task) == nil ? try ledger.endedID(of: task) : nil
    }

    func hasUnknownKeys(_ task: TaskID) throws -> Bool {
        guard let row = try ledger.row(of: task) else { return false }
        let isKnownFile = try row.parsedFile().isEmpty
        return try !isKnownFile || !row.parsedEntry().rest.isEmpty
    }

    func tasks(folderIDPrefix prefix: String, limit: Int) throws -> [TaskID] {
        try ledger.tasks(idPrefix: prefix, limit: limit)
    }

    func storeRecord() throws -> StoreRecord { try base.storeRecord() }

    func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) throws -> Set<CheckpointImage.Subject> { try base.imaged(subjects, under: mark) }

    func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage] {
        try base.images(from: mark, before: end)
    }

    func steps() throws -> [StepImage] { try base.steps() }

    func imageCounts(from mark: Int64) throws -> ImageCounts { try base.imageCounts(from: mark) }

    func queues(_ selection: QueueSelection) throws -> [SharedQueue] { try base.queues(selection) }

    func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws {
        try base.visitQueuesInUse(body)
    }

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

    func leases(of process: ProcessID) throws -> [Lease] { try base.leases(of: process) }

    func bytes(_ what: TaskBytes, of ids: [TaskID]) throws -> [TaskID: BytesHead] {
        try base.bytes(what, of: ids)
    }

    /// The id in the folder, where the store has noted no other.
    func origin(of id: TaskID) throws -> String? {
        if let noted = try base.origin(of: id) { return noted }
        return try ledger.row(of: id)?.id
    }

    func task(ofOrigin origin: String) throws -> TaskID? {
        if let noted = try base.task(ofOrigin: origin) { return noted }
        if let row = try ledger.row(ofID: origin) { return row.task }
        return try ledger.hasEnded(origin) ? 0 : nil
    }

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

    func recorded(limit: Int) throws -> [RecordedCommit] { try base.recorded(limit: limit) }

    func permits() throws -> [Permit] { try base.permits() }

    func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage {
        try base.page(query, holding: text)
    }

    func problems(_ check: StoreCheck) throws -> [String] {
        guard check == .surroundings else { return try base.problems(check) }
        return try FolderCheckup(place: place, reader: self, ledger: ledger).problems()
    }
}
