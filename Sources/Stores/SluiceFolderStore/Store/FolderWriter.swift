import SluiceModel
import SluiceStore

/// What a body writes a folder with: the store behind it, and a note of every task that it touched.
final class FolderWriter: FolderReader, StoreWriter {
    private let base: any StoreWriter
    private let projection: Projection
    /// The tasks that were touched.
    private(set) var touched: Set<TaskID> = []
    /// Those of them whose payload is another.
    private(set) var repaid: Set<TaskID> = []
    /// The ids that new tasks shall have in the folder.
    private(set) var wishes: [TaskID: String] = [:]

    init(_ base: any StoreWriter, ledger: any FolderLedger, _ projection: Projection) {
        self.base = base
        self.projection = projection
        super.init(base, ledger: ledger, place: projection.place)
    }

    func takeTaskIDs(_ count: Int) throws -> TaskID { try base.takeTaskIDs(count) }

    func takeNumber() throws -> Int64 { try base.takeNumber() }

    func insert(_ tasks: [NewTask]) throws {
        try base.insert(tasks)
        touched.formUnion(tasks.lazy.map(\.task.id))
    }

    func update(_ tasks: [QueueTask]) throws {
        try base.update(tasks)
        touched.formUnion(tasks.lazy.map(\.id))
    }

    func setPayload(_ payload: [UInt8], of id: TaskID) throws {
        try base.setPayload(payload, of: id)
        touched.insert(id)
        repaid.insert(id)
    }

    func setResult(_ result: [UInt8]?, of id: TaskID) throws {
        try base.setResult(result, of: id)
    }

    /// One that has the form of a folder's id is also the task's id here, where none has it.
    func putOrigin(_ origin: String, of id: TaskID) throws {
        try base.putOrigin(origin, of: id)
        guard TaskOrigin.isUUID(origin), try ledger.row(ofID: origin) == nil else { return }
        wishes[id] = origin
    }

    func remove(_ ids: [TaskID]) throws {
        try base.remove(ids)
        touched.formUnion(ids)
    }

    func put(_ queue: QueueRecord) throws { try base.put(queue) }

    func removeQueue(named name: String) throws {
        try base.removeQueue(named: name)
        if name == projection.queue { touched.formUnion(try ledger.rows().map(\.task)) }
    }

    func clearRunMarks(queue: String) throws { try base.clearRunMarks(queue: queue) }

    func put(_ store: StoreRecord) throws { try base.put(store) }

    func put(_ attempts: [AttemptRecord]) throws { try base.put(attempts) }

    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64 {
        try base.append(events)
    }

    func setJournalBytes(_ bytes: Int64) throws { try base.setJournalBytes(bytes) }

    func markUndone(_ sequence: Int64, by undo: Int64) throws {
        try base.markUndone(sequence, by: undo)
    }

    func put(_ process: ProcessRecord) throws { try base.put(process) }

    func removeProcess(_ id: ProcessID) throws { try base.removeProcess(id) }

    func put(_ permit: Permit) throws { try base.put(permit) }

    func removePermits(_ ids: [Int64]) throws { try base.removePermits(ids) }

    /// Also takes in the files that no entry names, and writes those that are missing.
    func rebuildIndexes() throws -> [String] {
        let problems = try base.rebuildIndexes()
        let checkup = FolderCheckup(place: place, reader: self, ledger: ledger)
        return problems + (try checkup.mend(base, projection))
    }

    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int {
        try base.trimJournal(
            before: moment, executionsBefore: ended, keeping: newest, limit: limit)
    }
}
