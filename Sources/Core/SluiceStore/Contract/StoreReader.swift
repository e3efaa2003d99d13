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
    /// The system's word.
    package var word: String
    /// The nearest state of this program's tasks; `nil` if the rules decide it.
    package var display: Display?

    /// A state in a word of its system.
    package init(word: String, display: Display?) { (self.word, self.display) = (word, display) }
}

/// How much there is of images for checkpoints.
package struct ImageCounts: Hashable, Sendable {
    /// The tasks and queues that there are images of.
    package var subjects: Int
    /// The bytes that all of them count.
    package var bytes: Int64

    /// Counts of images.
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
