package import SluiceModel

/// The reads of a store: a small set of queries, the base of every operation.
///
/// An engine answers each query from an index; none scans a queue (K6). All run inside `read` or
/// `write`, on one consistent snapshot of the store.
package protocol StoreReader {
    /// The record of the store as a whole.
    func storeRecord() throws -> StoreRecord
    /// The queues of a selection, in its order.
    func queues(_ selection: QueueSelection) throws -> [SharedQueue]
    /// Calls `body` with the queues of `.inUse([])`, in any order, until it returns false.
    func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws
    /// The number of queues before `queue` in display order, or of all queues if `nil`.
    func countQueues(before queue: QueueRecord?) throws -> Int
    /// How many tasks a queue holds, or all queues together, by state and wait flags; kept, not
    /// counted.
    func counts(of queue: String?) throws -> QueueCounts
    /// The highest position ever used in a queue, or 0. A new task takes the next one (Q1).
    func lastPosition(queue: String) throws -> Int64

    /// The tasks of these numbers that exist, in the order of the numbers given.
    func tasks(_ ids: [TaskID]) throws -> [QueueTask]
    /// The first tasks of a selection, in its order.
    func tasks(_ selection: TaskSelection, limit: Int) throws -> [QueueTask]
    /// How many tasks a selection has, counted to `limit`.
    func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int
    /// The pages of several queues, for a claim.
    func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]]
    /// The leases of a process's running tasks, without other fields.
    func leases(of process: ProcessID) throws -> [Lease]
    /// The payloads, their first bytes, or the results of the given tasks; omits tasks without
    /// them.
    func bytes(_ what: TaskBytes, of ids: [TaskID]) throws -> [TaskID: BytesHead]
    /// By what an imported task, or one of a folder, is known elsewhere (`TaskOrigin`); nil for one
    /// that was first enqueued here.
    func origin(of id: TaskID) throws -> String?
    /// The task number recorded for an origin, also after the task's removal. 0 if the task ended
    /// and its number is unknown, `nil` for an unknown origin.
    func task(ofOrigin origin: String) throws -> TaskID?
    /// The groups of a queue that have a start or a waiting member, by name, after a name.
    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary]

    /// The recorded attempts of a task, oldest first. A running attempt appears after its first
    /// report.
    func writtenAttempts(of id: TaskID, limit: Int) throws -> [AttemptRecord]
    /// The numbers of ends per minute from `since` on, in a queue or in all, by class. The store
    /// keeps them for `EndedCounts.keptMinutes` before the newest.
    func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts]
    /// The number of waiting tasks of a queue at the beginning of a minute, by the minute since
    /// 1970. A minute without a change has no entry. `since` leaves earlier minutes out; nil leaves
    /// none out. The store keeps `EndedCounts.keptMinutes` before the newest.
    func waitingStarts(queue: String, since: Timestamp?) throws -> [Int64: Int]
    /// How many failed tasks each kind of error has, by queue and type; kept, not counted.
    func failureCounts(queue: String?) throws -> [FailureCount]
    /// The numbers of waiting and running tasks by queue and type; omits types without tasks. For
    /// occasional statistics only: in a queue with several types it scans every waiting task.
    func typeCounts() throws -> [TypeCount]
    /// Journal lines and ended executions together, by their numbers.
    func journal(_ query: JournalQuery) throws -> [JournalEntry]
    /// The numbers of the events of a selection that can be taken back and are not (D9, D10).
    func undoable(_ selection: UndoSelection) throws -> [Int64]

    func processes() throws -> [ProcessRecord]
    /// All permits not yet taken.
    func permits() throws -> [Permit]
    /// All offers of free slots, with the tasks handed over through them (A1).
    func slotOffers() throws -> [SlotOffer]

    /// The subjects that have an image under a mark (G5).
    func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) throws -> Set<CheckpointImage.Subject>
    /// The images under marks from one on and before another, of each subject the oldest.
    func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage]
    /// The number of tasks and queues with images under marks from `mark` on, and the bytes of all
    /// those images.
    func imageCounts(from mark: Int64) throws -> ImageCounts

    /// The kept steps, oldest first (G5).
    func steps() throws -> [StepImage]

    /// The first commits left for a recorder, in order (G6).
    func recorded(limit: Int) throws -> [RecordedCommit]
    /// A page of tasks, and of these those whose payload holds some bytes; nil asks for all.
    func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage
    /// The search of payloads in storage order, or `nil` if the engine has none.
    var rowSearch: (any RowSearching)? { get }
    /// The names of tasks, or `nil` if they have only numbers.
    var naming: (any TaskNaming)? { get }
    /// The states of tasks in a copy of another system's queues, or `nil` if the rules decide them.
    var systemStates: [TaskID: SystemState]? { get }
    /// Whether this is a moment of a tape, where nothing can start or change (G6).
    var isPast: Bool { get }
    /// The rows that an application inserts by SQL (T4), or `nil` without an inbox.
    var inboxReader: (any InboxReader)? { get }
    /// The problems of the store, one sentence each (P3).
    func problems(_ check: StoreCheck) throws -> [String]
}

/// The state of a task as its own system shows it.
package struct SystemState: Hashable, Sendable {
    package var word: String
    /// The nearest state of this program's tasks; `nil` if the rules decide it.
    package var display: Display?

    package init(word: String, display: Display?) { (self.word, self.display) = (word, display) }
}

/// How much there is of images for checkpoints.
package struct ImageCounts: Hashable, Sendable {
    /// The tasks and queues that there are images of.
    package var subjects: Int
    /// The bytes that all of them count.
    package var bytes: Int64

    package init(subjects: Int, bytes: Int64) { (self.subjects, self.bytes) = (subjects, bytes) }
}

/// The kind of ends counted per minute.
package enum EndedSelection: Hashable, Sendable {
    case attempts
    /// Tasks that failed and have not left that state since.
    case failures
    /// Attempts that began, in one queue: there are no totals of all queues.
    case waits
}

/// The part of a store to check for damage (P3).
package enum StoreCheck: Hashable, Sendable {
    /// The engine's own file without a comparison of indexes and rows.
    case file
    /// The same, but for whether the indexes hold what the rows say.
    case fileQuickly
    /// Tasks, queues and groups alone, with their indexes and counts: what decides which task comes
    /// next, and whether any is left.
    case tasks
    /// The kept counts of tasks, compared with one index. Reads no task.
    case counts
    /// Unexpected and missing files around the engine's file.
    case surroundings
}

extension StoreReader {
    package var systemStates: [TaskID: SystemState]? { nil }
    package var isPast: Bool { false }

    /// Reads all of them first.
    package func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws {
        for queue in try queues(.inUse([])) where try !body(queue) { return }
    }
    /// Empty by default: only some engines record commits.
    package func recorded(limit: Int) throws -> [RecordedCommit] { [] }
    /// `nil`: by default an engine has no rows to search.
    package var rowSearch: (any RowSearching)? { nil }
    /// Nil: only a folder's tasks have names.
    package var naming: (any TaskNaming)? { nil }
    /// Nil: only a SQLite file has an inbox.
    package var inboxReader: (any InboxReader)? { nil }
    /// None: only some engines see who lives, and keep offers.
    package func slotOffers() throws -> [SlotOffer] { [] }

    /// The rows that an application inserted by SQL and that are still in the inbox (T4).
    package func inbox() throws -> InboxSummary {
        try inboxReader?.inboxSummary() ?? InboxSummary()
    }
    /// Whether there is something of that to take in.
    package func hasFreshInbox() throws -> Bool { try inboxReader?.hasFreshRows() ?? false }
}

/// A selection of events that can be undone and have not been, and its order.
package enum UndoSelection: Hashable, Sendable {
    /// The newest of a person: with `isUndo` of their undos alone, else of all others (D9).
    case last(by: String, isUndo: Bool)
    /// The events of a bulk, named by its first, the newest first; for any other event, that event
    /// alone (D9, D10). Members that followed a start come last, so that the restored start can
    /// hold them.
    case slices(ofBulk: Int64)
}

/// Questions about the journal that follow from others.
extension StoreReader {
    package func event(_ sequence: Int64) throws -> JournalEvent? {
        var query = JournalQuery(limit: 1, withDetail: true)
        (query.after, query.before) = (sequence &- 1, sequence &+ 1)
        guard case .event(let event)? = try journal(query).first else { return nil }
        return event
    }

    /// The newest event of `person` that can be taken back and is not: with `isUndo` of their undos
    /// alone, else of all others.
    package func lastUndoable(by person: String, isUndo: Bool) throws -> JournalEvent? {
        try undoable(.last(by: person, isUndo: isUndo)).first.flatMap { try event($0) }
    }
}

/// The pauses of a folder's tasks as people read them. A store of any engine keeps the number of
/// the task; people know a task of a folder by its UUID (P6).
extension StoreReader {
    /// A pause, with the task that brought it by its name.
    package func named(_ pause: Pause) throws -> Pause {
        guard let naming, [.handler, .required].contains(pause.cause),
            let word = pause.by.split(separator: " ", maxSplits: 1).first, word.hasPrefix("#"),
            let task = TaskID(word.dropFirst()), let uuid = try naming.uuid(of: task)
        else { return pause }
        var pause = pause
        pause.by = "\(uuid.prefix(8))\(pause.by.dropFirst(word.count))"
        return pause
    }

    /// A queue with its pauses so; for reading alone.
    package func named(_ queue: QueueRecord) throws -> QueueRecord {
        guard naming != nil, !queue.pauses.isEmpty else { return queue }
        var queue = queue
        queue.pauses = try queue.pauses.map(named)
        return queue
    }
}

/// A selection of queues and its order.
package enum QueueSelection: Hashable, Sendable {
    /// Every queue, by name.
    case all
    /// The queue of a name in either Unicode spelling (T6), if any.
    case named(String)
    /// Queues with waiting tasks that have all of these flags, by name. Without flags, also queues
    /// with an open run or pending wakes. The result may include other queues.
    case inUse(WaitFlags)
    /// Queues with an open run or pending wakes, by name. The result may include other queues.
    case busy
    /// Queues with tasks in one of these states, by name. The result may include other queues.
    case holding(Set<TaskState.Name>)
    /// Queues with a timed pause, automatic runs or a rate, by name. It may include
    /// other queues.
    case withMoments
    /// `limit` queues after the first `behind` in display order: by priority, descending, then by
    /// name.
    case page(behind: Int, limit: Int)
}

/// Questions about queues that a selection answers.
extension StoreReader {
    /// Every queue, by name.
    package func queues() throws -> [QueueRecord] { try queues(.all).map(\.record) }

    /// One queue, or nil.
    package func queue(named name: String) throws -> QueueRecord? {
        try queues(.named(name)).first?.record
    }

    package func countQueues() throws -> Int { try countQueues(before: nil) }

    /// A page of the queues as people see them.
    package func queues(behind count: Int, limit: Int) throws -> [QueueRecord] {
        try queues(.page(behind: count, limit: limit)).map(\.record)
    }

    /// The highest priority of a queue, or `nil` without queues.
    package func highestPriority() throws -> Int? {
        try queues(.page(behind: 0, limit: 1)).first?.record.settings.priority
    }

    /// How many tasks a queue holds, by state and wait flags.
    package func counts(queue: String) throws -> QueueCounts { try counts(of: queue) }

    /// How many tasks all queues hold together.
    package func counts() throws -> QueueCounts { try counts(of: nil) }

    /// One queue; throws `unknownQueue` with the nearest name.
    package func requireQueue(_ name: String) throws -> QueueRecord {
        guard let queue = try queue(named: name) else {
            throw QueueError.unknownQueue(name, known: try queues().map(\.name))
        }
        return queue
    }
}

extension QueueRecord {
    /// Whether people see it before another one: the larger priority first, then by name.
    package func isSeen(before other: QueueRecord) -> Bool {
        (other.settings.priority, name) < (settings.priority, other.name)
    }
}

/// Questions about tasks that a selection answers.
extension StoreReader {
    /// The tasks of a page, in order.
    package func tasks(matching query: TaskQuery) throws -> [QueueTask] {
        try tasks(.page(query), limit: query.limit)
    }

    package func first(_ selection: TaskSelection) throws -> QueueTask? {
        try tasks(selection, limit: 1).first
    }

    package func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int {
        try tasks(selection, limit: limit).count
    }

    /// By asking for the page of each queue.
    package func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]] {
        try plan.map { try tasks(matching: $0) }
    }

    /// The number of the first start of `group` that holds members, between the positions `last`
    /// and `position`.
    package func holdingStart(
        queue: String, group: String, after last: Int64 = .min, before position: Int64
    ) throws -> TaskID? {
        try first(.holdingStarts(queue: queue, group: group, after: last, before: position))?.id
    }

    /// The waiting task, or with `includingRunning` also the running one, of a unique key (T5).
    package func uniqueHolders(
        queue: String, type: String, key: String, includingRunning: Bool
    ) throws -> [TaskID] {
        try tasks(.uniqueHolders(queue: queue, type: type, key: key), limit: .max)
            .filter { includingRunning || $0.waiting != nil }.map(\.id)
    }

    /// The earliest expiry time of a waiting task.
    package func nextExpiry() throws -> Timestamp? { try first(.expiring())?.expiresAt }

    /// How many tasks of a batched queue are fresh (Q4), counted to `limit`, and the first moment.
    package func fresh(
        queue: String, since: Timestamp?, now: Timestamp, limit: Int
    ) throws -> FreshTasks {
        let selection = TaskSelection.fresh(queue: queue, since: since, now: now)
        guard let first = try first(selection) else { return FreshTasks(count: 0, first: nil) }
        return FreshTasks(
            count: try countTasks(selection, limit: limit), first: first.freshAt)
    }

    package func tasksRun(by process: ProcessID) throws -> [QueueTask] {
        try tasks(.running(by: process), limit: .max)
    }

    /// The leases of a process's running tasks, without other fields.
    package func leases(of process: ProcessID) throws -> [Lease] {
        try tasksRun(by: process).compactMap { task in
            task.running.map { Lease(task: task.id, token: $0.token, stop: $0.stop) }
        }
    }

    /// The numbers of the tasks that a task's handler enqueued.
    package func followUps(of id: TaskID) throws -> [TaskID] {
        try tasks(.followUps(of: id), limit: .max).map(\.id)
    }

    /// Waiting tasks with an attempt of this process that continues (B12).
    package func tasksLingering(of process: ProcessID) throws -> [QueueTask] {
        try tasks(.lingering(of: process), limit: .max)
    }

    /// The nearest position in use before, or after, `position` in a queue.
    package func neighbour(
        queue: String, of position: Int64, isBefore: Bool
    ) throws -> Int64? {
        try first(
            isBefore
                ? .arrivedBefore(queue: queue, position: position)
                : .arrived(queue: queue, after: position)
        )?.position
    }

    /// One task, or nil.
    package func task(_ id: TaskID) throws -> QueueTask? { try tasks([id]).first }

    /// One task; throws `unknownTask`.
    package func requireTask(_ id: TaskID) throws -> QueueTask {
        guard let task = try task(id) else { throw QueueError.unknownTask(id) }
        return task
    }

    /// All recorded attempts of a task, oldest first.
    package func writtenAttempts(of id: TaskID) throws -> [AttemptRecord] {
        try writtenAttempts(of: id, limit: .max)
    }

    /// The attempt log of a task, oldest first. The last entry may come from the lease of the
    /// running attempt. Recording it at the claim too would make claims half as expensive again.
    package func attempts(of id: TaskID) throws -> [AttemptRecord] {
        var found = try writtenAttempts(of: id)
        if let task = try task(id), let lease = task.running, found.last?.number != lease.attempt {
            found.append(AttemptRecord(task: task, lease))
        }
        return found
    }
}
