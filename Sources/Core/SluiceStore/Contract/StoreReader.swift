package import SluiceModel

/// What a store answers: the small set of questions over which every operation is written once.
///
/// An engine answers each from an index; none of them scans a queue (K6). All of them are asked
/// inside `read` or `write` and see one unchanging moment of the store.
package protocol StoreReader {
    /// What holds for the store as a whole.
    func storeRecord() throws -> StoreRecord
    /// The queues of a selection, in its order.
    func queues(_ selection: QueueSelection) throws -> [SharedQueue]
    /// How many queues come before one in the order in which people see them; nil counts all.
    func countQueues(before queue: QueueRecord?) throws -> Int
    /// How many tasks a queue holds, or all queues together, by state and wait flags; kept, not
    /// counted.
    func counts(of queue: String?) throws -> QueueCounts
    /// The last position that a task of a queue ever had, 0 where there was none: who comes takes
    /// one behind it (Q1).
    func lastPosition(queue: String) throws -> Int64

    /// The tasks of these numbers that exist, in the order of the numbers given.
    func tasks(_ ids: [TaskID]) throws -> [QueueTask]
    /// The first tasks of a selection, in its order.
    func tasks(_ selection: TaskSelection, limit: Int) throws -> [QueueTask]
    /// How many tasks a selection has, counted to `limit`.
    func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int
    /// The pages of several queues, from which a claim takes what comes next.
    func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]]
    /// What the tasks of a process run by, and nothing else of them.
    func leases(of process: ProcessID) throws -> [Lease]
    /// The payloads of those of these tasks that exist, how they begin, or the results of those
    /// that have one.
    func bytes(_ what: TaskBytes, of ids: [TaskID]) throws -> [TaskID: BytesHead]
    /// By what an imported task, or one of a folder, is known elsewhere (`TaskOrigin`); nil for one
    /// that was first enqueued here.
    func origin(of id: TaskID) throws -> String?
    /// The number that a task known elsewhere by `origin` got here, also when it is gone since; 0
    /// where that is not known any more.
    func task(ofOrigin origin: String) throws -> TaskID?
    /// The groups of a queue that have a start or a waiting member, by name, after a name.
    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary]

    /// What was written of the executions of a task, oldest first: of one that goes on nothing,
    /// until it says something of itself.
    func writtenAttempts(of id: TaskID, limit: Int) throws -> [AttemptRecord]
    /// How many ended in each minute from that of a moment on, in a queue or in all together, by
    /// class; kept for `EndedCounts.keptMinutes` before the newest.
    func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) throws -> [EndedCounts]
    /// How many failed tasks each kind of error has, by queue and type; kept, not counted.
    func failureCounts(queue: String?) throws -> [FailureCount]
    /// How many tasks wait and run, by queue and type; of none there is nothing. For figures that
    /// are asked for now and then, not for an operation: of a queue with tasks of several types
    /// each one that waits is looked at.
    func typeCounts() throws -> [TypeCount]
    /// Journal lines and ended executions together, by their numbers.
    func journal(_ query: JournalQuery) throws -> [JournalEntry]
    /// The numbers of the events of a selection that can be taken back and are not (D9, D10).
    func undoable(_ selection: UndoSelection) throws -> [Int64]

    /// Every process that is attached.
    func processes() throws -> [ProcessRecord]
    /// Every permit that nobody has taken.
    func permits() throws -> [Permit]
    /// Every offer of free slots, and what was handed over by it (A1).
    func slotOffers() throws -> [SlotOffer]

    /// Those of some subjects of which an image is kept under a mark (G5).
    func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) throws -> Set<CheckpointImage.Subject>
    /// The images under marks from one on and before another, of each subject the oldest.
    func images(from mark: Int64, before end: Int64) throws -> [CheckpointImage]
    /// Of how many tasks and queues there are images under marks from one on, and how many bytes
    /// all those images count.
    func imageCounts(from mark: Int64) throws -> ImageCounts

    /// The steps that are kept, the oldest first (G5).
    func steps() throws -> [StepImage]

    /// The first commits that were left for a recorder, in their order (G6).
    func recorded(limit: Int) throws -> [RecordedCommit]
    /// A page of tasks, and of these those whose payload holds some bytes; nil asks for all.
    func page(_ query: TaskQuery, holding text: [UInt8]?) throws -> SearchPage
    /// How payloads are searched as they lie, whatever the order of their queues; nil where an
    /// engine has no rows of its own.
    var rowSearch: (any RowSearching)? { get }
    /// The names that tasks have beside their numbers; nil where they have none.
    var naming: (any TaskNaming)? { get }
    /// What an application leaves in the store by SQL (T4); nil where it cannot.
    var inboxReader: (any InboxReader)? { get }
    /// What is wrong with the store, one sentence each (P3).
    func problems(_ check: StoreCheck) throws -> [String]
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

/// Of what ends are counted by minute.
package enum EndedSelection: Hashable, Sendable {
    /// Attempts.
    case attempts
    /// Tasks that failed and are failed still.
    case failures
}

/// What of a store is looked at for damage (P3).
package enum StoreCheck: Hashable, Sendable {
    /// The engine's own file; all of it is read.
    case file
    /// The same, but for whether the indexes hold what the rows say.
    case fileQuickly
    /// Tasks, queues and groups alone, with their indexes and counts: what decides which task comes
    /// next, and whether any is left.
    case tasks
    /// What lies beside the engine's file and does not belong there, or is missing.
    case surroundings
}

extension StoreReader {
    /// None: only some engines keep what is recorded.
    package func recorded(limit: Int) throws -> [RecordedCommit] { [] }
    /// Nil: an engine without rows of its own.
    package var rowSearch: (any RowSearching)? { nil }
    /// Nil: only a folder's tasks have names.
    package var naming: (any TaskNaming)? { nil }
    /// Nil: only a SQLite file has an inbox.
    package var inboxReader: (any InboxReader)? { nil }
    /// None: only some engines see who lives, and keep offers.
    package func slotOffers() throws -> [SlotOffer] { [] }

    /// What an application put into the store by SQL and nobody has taken in (T4).
    package func inbox() throws -> InboxSummary {
        try inboxReader?.inboxSummary() ?? InboxSummary()
    }
    /// Whether there is something of that to take in.
    package func hasFreshInbox() throws -> Bool { try inboxReader?.hasFreshRows() ?? false }
}
