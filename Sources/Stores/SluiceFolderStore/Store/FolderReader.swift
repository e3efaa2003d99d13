import SluiceModel
import SluiceStore

/// What a body reads a folder with: the store behind it, and the names of its tasks.
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
        // One that goes on in another queue has left the folder and is a number.
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

    func queues() throws -> [QueueRecord] { try base.queues() }

    func queue(named name: String) throws -> QueueRecord? { try base.queue(named: name) }

    func tasks(_ ids: [TaskID]) throws -> [QueueTask] { try base.tasks(ids) }

    func payload(of id: TaskID) throws -> [UInt8]? { try base.payload(of: id) }

    func result(of id: TaskID) throws -> [UInt8]? { try base.result(of: id) }

    func tasks(matching query: TaskQuery) throws -> [QueueTask] {
        try base.tasks(matching: query)
    }

    func countTasks(
        queue: String, state: TaskState.Name, from key: OrderKey, isBackwards: Bool, limit: Int
    ) throws -> Int {
        try base.countTasks(
            queue: queue, state: state, from: key, isBackwards: isBackwards, limit: limit)
    }

    func tasks(queue: String, after position: Int64?, limit: Int) throws -> [QueueTask] {
        try base.tasks(queue: queue, after: position, limit: limit)
    }

    func tasks(behind id: TaskID?, limit: Int) throws -> [QueueTask] {
        try base.tasks(behind: id, limit: limit)
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

    func counts(queue: String) throws -> QueueCounts { try base.counts(queue: queue) }

    func holdingStart(
        queue: String, group: String, after last: Int64, before position: Int64
    ) throws -> TaskID? {
        try base.holdingStart(queue: queue, group: group, after: last, before: position)
    }

    func waitingMembers(
        queue: String, group: String, after position: Int64, through: Int64?, limit: Int
    ) throws -> [QueueTask] {
        try base.waitingMembers(
            queue: queue, group: group, after: position, through: through, limit: limit)
    }

    func countWaitingMembers(
        queue: String, group: String, after position: Int64, limit: Int
    ) throws -> Int {
        try base.countWaitingMembers(
            queue: queue, group: group, after: position, limit: limit)
    }

    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        try base.groups(queue: queue, after: name, limit: limit)
    }

    func uniqueHolders(
        queue: String, type: String, key: String, includingRunning: Bool
    ) throws -> [TaskID] {
        try base.uniqueHolders(
            queue: queue, type: type, key: key, includingRunning: includingRunning)
    }

    func tasksToWake(queue: String?, now: Timestamp, limit: Int) throws -> [QueueTask] {
        try base.tasksToWake(queue: queue, now: now, limit: limit)
    }

    func timers(queue: String?, after: TimerCursor?, limit: Int) throws -> [QueueTask] {
        try base.timers(queue: queue, after: after, limit: limit)
    }

    func tasksToExpire(now: Timestamp, limit: Int) throws -> [QueueTask] {
        try base.tasksToExpire(now: now, limit: limit)
    }

    func nextExpiry() throws -> Timestamp? { try base.nextExpiry() }

    func fresh(
        queue: String, since: Timestamp?, now: Timestamp, limit: Int
    ) throws -> FreshTasks {
        try base.fresh(queue: queue, since: since, now: now, limit: limit)
    }

    func tasksRun(by process: ProcessID) throws -> [QueueTask] {
        try base.tasksRun(by: process)
    }

    func tasksLingering(of process: ProcessID) throws -> [QueueTask] {
        try base.tasksLingering(of: process)
    }

    func followUps(of id: TaskID) throws -> [TaskID] { try base.followUps(of: id) }

    func awaitedTasks(
        session: String, state: TaskState.Name, after id: TaskID, limit: Int
    ) throws -> [QueueTask] {
        try base.awaitedTasks(session: session, state: state, after: id, limit: limit)
    }

    func writtenAttempts(of id: TaskID) throws -> [AttemptRecord] {
        try base.writtenAttempts(of: id)
    }

    func journal(_ query: JournalQuery) throws -> [JournalEntry] { try base.journal(query) }

    func event(_ sequence: Int64) throws -> JournalEvent? { try base.event(sequence) }

    func lastUndoable(by person: String, isUndo: Bool) throws -> JournalEvent? {
        try base.lastUndoable(by: person, isUndo: isUndo)
    }

    func undoableSlices(ofBulk first: Int64) throws -> [Int64] {
        try base.undoableSlices(ofBulk: first)
    }

    func processes() throws -> [ProcessRecord] { try base.processes() }

    func permits() throws -> [Permit] { try base.permits() }

    func endedTasks(
        queue: String, state: TaskState.Name, before moment: Timestamp, limit: Int
    ) throws -> [TaskID] {
        try base.endedTasks(queue: queue, state: state, before: moment, limit: limit)
    }

    func lastPosition(queue: String) throws -> Int64 { try base.lastPosition(queue: queue) }

    func neighbour(queue: String, of position: Int64, isBefore: Bool) throws -> Int64? {
        try base.neighbour(queue: queue, of: position, isBefore: isBefore)
    }

    func integrityProblems(isQuick: Bool) throws -> [String] {
        try base.integrityProblems(isQuick: isQuick)
    }

    func journalBytes() throws -> Int64 { try base.journalBytes() }

    func taskProblems() throws -> [String] { try base.taskProblems() }

    func surroundingProblems() throws -> [String] {
        try FolderCheckup(place: place, reader: self, ledger: ledger).problems()
    }

    func endedAttempts(
        queue: String, since: Timestamp, limit: Int
    ) throws -> [AttemptRecord] {
        try base.endedAttempts(queue: queue, since: since, limit: limit)
    }
}
