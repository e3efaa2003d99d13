public import SluiceModel

/// What a store answers: the small set of questions over which every operation is written once.
///
/// An engine answers each from an index; none of them scans a queue (K6). All of them are asked
/// inside `read` or `write` and see one unchanging moment of the store.
public protocol StoreReader {
    /// What holds for the store as a whole.
    func storeRecord() throws -> StoreRecord
    /// Every queue, by name.
    func queues() throws -> [QueueRecord]
    /// The queues, by name, in which something waits in a lane with all of these marks; where none
    /// are given also those with an open run, or with something left to do for members of groups.
    /// There may be others among them.
    func queues(inUse marks: Lane) throws -> [SharedQueue]
    /// The queues, by name, that hold tasks in one of these states. There may be others among them.
    func queues(holding states: Set<TaskState.Name>) throws -> [QueueRecord]
    /// How many queues there are.
    func countQueues() throws -> Int
    /// How many queues come before that one in the order in which people see them.
    func countQueues(before queue: QueueRecord) throws -> Int
    /// A page of the queues as people see them: the larger priority first, then by name.
    func queues(behind count: Int, limit: Int) throws -> [QueueRecord]
    /// The queues, by name, that are paused until a moment, or whose runs begin by themselves.
    /// There may be others among them.
    func queuesWithMoments() throws -> [QueueRecord]
    /// How many tasks all queues hold together.
    func counts() throws -> QueueCounts
    /// The largest priority of a queue; nil where there is none.
    func highestPriority() throws -> Int64?
    /// One queue, or nil.
    func queue(named name: String) throws -> QueueRecord?
    /// The tasks of these numbers that exist, in the order of the numbers given.
    func tasks(_ ids: [TaskID]) throws -> [QueueTask]
    /// A task's payload; nil when there is no such task.
    func payload(of id: TaskID) throws -> [UInt8]?
    /// The payloads of the tasks that exist, in one question where that is cheaper.
    func payloads(of ids: [TaskID]) throws -> [TaskID: [UInt8]]
    /// A task's result; nil when it has none.
    func result(of id: TaskID) throws -> [UInt8]?
    /// A page of the tasks that match, in order.
    func tasks(matching query: TaskQuery) throws -> [QueueTask]
    /// How many tasks of a queue in a state lie behind a key in the order, or before it when
    /// `isBackwards`, counted to `limit`.
    func countTasks(
        queue: String, state: TaskState.Name, from key: OrderKey, isBackwards: Bool, limit: Int
    ) throws -> Int
    /// The same page, and of its tasks those whose payload holds these bytes; nil asks for all.
    func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage
    /// The numbers of all rows, where looking through them as they lie is the better way to search
    /// the whole of a queue; nil where its own order is.
    func rowNumbers(ofSearchIn queue: String) throws -> ClosedRange<TaskID>?
    /// What payloads of a part of the rows hold some bytes.
    func look(_ search: RowSearch) throws -> RowFinding
    /// A page of a queue's tasks in the order of arrival, whatever their state.
    func tasks(queue: String, after position: Int64?, limit: Int) throws -> [QueueTask]
    /// The first tasks behind a number, whatever their queue and state; without one the newest of
    /// all. By number.
    func tasks(behind id: TaskID?, limit: Int) throws -> [QueueTask]
    /// By what an imported task, or one of a folder, is known elsewhere (`TaskOrigin`); nil for one
    /// that was first enqueued here.
    func origin(of id: TaskID) throws -> String?
    /// The number that a task known elsewhere by `origin` got here, also when it is gone since; 0
    /// where that is not known any more.
    func task(ofOrigin origin: String) throws -> TaskID?
    /// How many tasks a queue holds, by state and lane; kept, never counted.
    func counts(queue: String) throws -> QueueCounts
    /// The number of the start that holds group members after `position` has gone by: of the starts
    /// of `group` that hold (`QueueTask.holdsMembers`), the first by position that lies before it,
    /// and after `last`.
    func holdingStart(
        queue: String, group: String, after last: Int64, before position: Int64
    ) throws -> TaskID?
    /// Waiting members of a group whose position lies after `position` and, where given, not after
    /// `through`, by position.
    func waitingMembers(
        queue: String, group: String, after position: Int64, through: Int64?, limit: Int
    ) throws -> [QueueTask]
    /// How many `waitingMembers` there are after `position`, counted to `limit`.
    func countWaitingMembers(
        queue: String, group: String, after position: Int64, limit: Int
    ) throws -> Int
    /// The groups of a queue that have a start or a waiting member, by name, after a name.
    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary]
    /// The waiting task, or with `includingRunning` also the running one, of a unique key (T5).
    func uniqueHolders(queue: String, type: String, key: String, includingRunning: Bool)
        throws -> [TaskID]
    /// Waiting tasks whose timer or skip has passed at `now`, of one queue or of all.
    func tasksToWake(queue: String?, now: Timestamp, limit: Int) throws -> [QueueTask]
    /// Waiting tasks with a time of waking, by that time, of one queue or of all.
    func timers(queue: String?, after: TimerCursor?, limit: Int) throws -> [QueueTask]
    /// Waiting tasks whose expiry has passed at `now`.
    func tasksToExpire(now: Timestamp, limit: Int) throws -> [QueueTask]
    /// The first moment at which a waiting task expires.
    func nextExpiry() throws -> Timestamp?
    /// How many tasks of a batched queue are fresh (Q4), counted to `limit`, and the first of them;
    /// none in any other queue.
    func fresh(queue: String, since: Timestamp?, now: Timestamp, limit: Int) throws -> FreshTasks
    /// The running tasks of a process.
    func tasksRun(by process: ProcessID) throws -> [QueueTask]
    /// What those run by, and nothing else of them.
    func leases(of process: ProcessID) throws -> [Lease]
    /// Waiting tasks with an execution of that process that goes on (B12).
    func tasksLingering(of process: ProcessID) throws -> [QueueTask]
    /// The tasks that a task's handler enqueued.
    func followUps(of id: TaskID) throws -> [TaskID]
    /// The tasks of a session in a state that its client has not collected (S4), by number, after
    /// a number.
    func awaitedTasks(
        session: String, state: TaskState.Name, after id: TaskID, limit: Int
    ) throws -> [QueueTask]
    /// What was written of the executions of a task, oldest first: of one that goes on nothing,
    /// until it says something of itself.
    func writtenAttempts(of id: TaskID) throws -> [AttemptRecord]
    /// Journal lines and ended executions together, by their numbers.
    func journal(_ query: JournalQuery) throws -> [JournalEntry]
    /// An event by its number.
    func event(_ sequence: Int64) throws -> JournalEvent?
    /// The newest event of `person` that can be taken back and is not: with `isUndo` of their undos
    /// alone, else of all others (D9).
    func lastUndoable(by person: String, isUndo: Bool) throws -> JournalEvent?
    /// The events of a bulk, named by its first, that can be undone and are not, the newest first;
    /// of an event that is no bulk itself alone (D9, D10). Members that followed a start come after
    /// all others: when they are brought back, the start is there to hold them.
    func undoableSlices(ofBulk first: Int64) throws -> [Int64]
    /// How many bytes of what `undo` needs the journal keeps; beyond them the oldest goes (D9).
    func journalBytes() throws -> Int64
    /// Every process that is attached.
    func processes() throws -> [ProcessRecord]
    /// Every permit that nobody has taken.
    func permits() throws -> [Permit]
    /// Every offer of free slots, and what was handed over by it (A1).
    func offers() throws -> [Offer]
    /// Ended tasks of a queue in `state` that ended before `moment`, oldest first (Q9).
    func endedTasks(queue: String, state: TaskState.Name, before moment: Timestamp, limit: Int)
        throws -> [TaskID]
    /// The last position that a task of a queue ever had, 0 where there was none: who comes takes
    /// one behind it (Q1).
    func lastPosition(queue: String) throws -> Int64
    /// The nearest position in use before, or after, `position` in a queue.
    func neighbour(queue: String, of position: Int64, isBefore: Bool) throws -> Int64?
    /// What the engine finds wrong with its own file, one sentence each; reads all of it (P3).
    /// A quick look leaves out whether the indexes hold what the rows say.
    func integrityProblems(isQuick: Bool) throws -> [String]
    /// The same of tasks, queues and groups alone, with their indexes and counts: what decides
    /// which task comes next, and whether any is left.
    func taskProblems() throws -> [String]
    /// What lies beside the engine's file and does not belong there, or is missing, one sentence
    /// each (P3).
    func surroundingProblems() throws -> [String]
    /// The newest executions of a queue, for rates and times: `limit` at most, and none before one
    /// that ended before a moment.
    func endedAttempts(queue: String, since: Timestamp, limit: Int) throws -> [AttemptRecord]
    /// The names that tasks have beside their numbers; nil where they have none.
    var naming: (any TaskNaming)? { get }
    /// What an application put into the store by SQL and nobody has taken in (T4).
    func inbox() throws -> InboxSummary
    /// Whether there is something of that to take in.
    func hasFreshInbox() throws -> Bool
}

extension StoreReader {
    /// By a page of them.
    public func countTasks(
        queue: String, state: TaskState.Name, from key: OrderKey, isBackwards: Bool, limit: Int
    ) throws -> Int {
        var query = TaskQuery(queue: queue, state: state, limit: limit)
        query.after = key
        query.isBackwards = isBackwards
        return try tasks(matching: query).count
    }

    /// By a page of them.
    public func countWaitingMembers(
        queue: String, group: String, after position: Int64, limit: Int
    ) throws -> Int {
        try waitingMembers(
            queue: queue, group: group, after: position, through: nil, limit: limit
        ).count
    }

    /// The attempt log of a task, oldest first. Of the execution that goes on its lease says
    /// enough: a claim that wrote it twice would cost half as much again.
    public func attempts(of id: TaskID) throws -> [AttemptRecord] {
        var found = try writtenAttempts(of: id)
        if let task = try task(id), let lease = task.running, found.last?.number != lease.attempt {
            found.append(
                AttemptRecord(
                    task: task, number: lease.attempt, runner: lease.owner,
                    startedAt: lease.since))
        }
        return found
    }
}

/// Only a folder's tasks have names.
extension StoreReader {
    /// Nil.
    public var naming: (any TaskNaming)? { nil }
}

/// Only some engines see who lives, and keep offers.
extension StoreReader {
    /// None.
    public func offers() throws -> [Offer] { [] }
}

/// Only the SQLite engine has an inbox.
extension StoreReader {
    /// An empty one.
    public func inbox() throws -> InboxSummary { InboxSummary() }
    /// Nothing.
    public func hasFreshInbox() throws -> Bool { false }
}

extension StoreReader {
    /// Nothing.
    public func taskProblems() throws -> [String] { [] }

    /// Nothing: an engine whose store is one file.
    public func surroundingProblems() throws -> [String] { [] }

    /// The first of all the starts that hold before a position.
    public func holdingStart(
        queue: String, group: String, before position: Int64
    ) throws -> TaskID? {
        try holdingStart(queue: queue, group: group, after: .min, before: position)
    }

    /// Those of the tasks that it runs.
    public func leases(of process: ProcessID) throws -> [Lease] {
        try tasksRun(by: process).compactMap { task in
            task.running.map { Lease(task: task.id, token: $0.token, stop: $0.stop) }
        }
    }

    /// One task, or nil.
    public func task(_ id: TaskID) throws -> QueueTask? { try tasks([id]).first }

    /// One task; throws `unknownTask`.
    public func requireTask(_ id: TaskID) throws -> QueueTask {
        guard let task = try task(id) else { throw QueueError.unknownTask(id) }
        return task
    }

    /// One queue; throws `unknownQueue` with the nearest name.
    public func requireQueue(_ name: String) throws -> QueueRecord {
        guard let queue = try queue(named: name) else {
            throw QueueError.unknownQueue(name, known: try queues().map(\.name))
        }
        return queue
    }
}

extension StoreReader {
    /// Asks for one after the other.
    public func payloads(of ids: [TaskID]) throws -> [TaskID: [UInt8]] {
        var found: [TaskID: [UInt8]] = [:]
        for id in ids { found[id] = try payload(of: id) }
        return found
    }
}
