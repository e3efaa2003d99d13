import SluiceModel
import SluiceStore

/// The writer of a folder: the store's writer, which records every touched task.
final class FolderWriter: FolderReader, StoreWriter {
    private let base: any StoreWriter
    private let projection: Projection
    private(set) var touched: Set<TaskID> = []
    /// The touched tasks with a changed payload.
    private(set) var repaid: Set<TaskID> = []
    /// The ids that new tasks shall have in the folder.
    private(set) var wishes: [TaskID: String] = [:]

    init(_ base: any StoreWriter, ledger: any FolderLedger, _ projection: Projection) {
        self.base = base
        self.projection = projection
        super.init(base, ledger: ledger, place: projection.place)
    }

    func reserveNumbers(_ count: Int, of what: NumberedThing) throws -> Int64 {
        try base.reserveNumbers(count, of: what)
    }

    func insert(_ tasks: [NewTask]) throws {
        try base.insert(tasks)
        touched.formUnion(tasks.lazy.map(\.task.id))
    }

    func update(_ tasks: [QueueTask]) throws {
        try base.update(tasks)
        touched.formUnion(tasks.lazy.map(\.id))
    }

    func remove(_ ids: [TaskID]) throws {
        try base.remove(ids)
        touched.formUnion(ids)
    }

    func tape() throws -> TapeNotes? { try base.tape() }

    func turnOrder(of runner: ProcessRecord, after turn: RoundRobin) throws -> TurnOrder {
        try base.turnOrder(of: runner, after: turn)
    }

    func put(_ attempts: [AttemptRecord]) throws { try base.put(attempts) }

    func begin(at moment: Timestamp) { base.begin(at: moment) }

    func countWait(_ wait: DurationBucket, in queue: String, at moment: Timestamp) throws {
        try base.countWait(wait, in: queue, at: moment)
    }

    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64 {
        try base.append(events)
    }

    func apply(_ change: StoreChange) throws {
        try base.apply(change)
        switch change {
        case .payload(_, let id):
            touched.insert(id)
            repaid.insert(id)
        // One that has the form of a folder's id is also the task's id here, if none has it.
        case .origin(let origin, let id):
            guard TaskOrigin.isUUID(origin), try ledger.row(ofID: origin) == nil else { return }
            wishes[id] = origin
        case .removedQueue(let name) where name == projection.queue:
            touched.formUnion(try ledger.rows().map(\.task))
        default: return
        }
    }

    /// Also imports files without an entry, and writes missing files.
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
