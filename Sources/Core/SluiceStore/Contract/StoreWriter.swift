public import SluiceModel

/// What a store can be told; every operation is made of these, inside one `write` that is committed
/// whole or not at all.
///
/// An engine derives its own index columns (lane, order key, time of waking, tallies, group rows)
/// from the values it is given; no rule stands here.
public protocol StoreWriter: StoreReader {
    /// The beat of a process, which stays as it is until the commit (A2); nil for none, and in a
    /// store of one machine.
    func lockedBeat(of process: ProcessID) throws -> Int64?
    /// Says how much of which queues will be asked about, one after the other.
    func expectCounts(of queues: [String]) throws
    /// Says what may be asked for next, one after the other and less of it perhaps: the tasks that
    /// are ready, `limit` of them in all.
    func expect(_ queries: [TaskQuery], limit: Int) throws
    /// Says that these tasks will be asked for one by one.
    func expectTasks(_ ids: [TaskID]) throws
    /// Says, before anything is asked, that a claim for so many slots follows in the same write.
    func expectClaim(freeSlots: Int)
    /// Takes `count` new task numbers and gives the first.
    func takeTaskIDs(_ count: Int) throws -> TaskID
    /// Takes one number of the store's counter for processes, permits, tokens and runs.
    func takeNumber() throws -> Int64
    /// Adds tasks with their payloads.
    func insert(_ tasks: [NewTask]) throws
    /// Replaces tasks by their new values; each must exist.
    func update(_ tasks: [QueueTask]) throws
    /// Replaces a payload.
    func setPayload(_ payload: [UInt8], of id: TaskID) throws
    /// Sets or clears a result.
    func setResult(_ result: [UInt8]?, of id: TaskID) throws
    /// Notes by what a task is known elsewhere; that outlives the task.
    func putOrigin(_ origin: String, of id: TaskID) throws
    /// Forgets tasks with their payloads; their attempts stay for the journal.
    func remove(_ ids: [TaskID]) throws
    /// Adds a queue or replaces it; a new `order` puts its waiting tasks in the new order.
    func put(_ queue: QueueRecord) throws
    /// Forgets a queue and every task in it.
    func removeQueue(named name: String) throws
    /// Takes the mark of the open run from every task of a queue, and the skips that end with it.
    func clearRunMarks(queue: String) throws
    /// Replaces what holds for the store as a whole.
    func put(_ store: StoreRecord) throws
    /// Adds executions or replaces them (same task and number); one with an outcome and
    /// `endSequence` 0 gets the next number of the journal.
    func put(_ attempts: [AttemptRecord]) throws
    /// Adds journal lines; gives the number of the first.
    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64
    /// Sets how many bytes of what `undo` needs the journal keeps.
    func setJournalBytes(_ bytes: Int64) throws
    /// Says that an event was taken back by another.
    func markUndone(_ sequence: Int64, by undo: Int64) throws
    /// Adds a process or replaces it.
    func put(_ process: ProcessRecord) throws
    /// Forgets a process, its offer, and the permits it issued or was to take.
    func removeProcess(_ id: ProcessID) throws
    /// How this write sees whether a runner lives, so that work can be handed over to it (A1); nil
    /// where that cannot be told, so that nothing is offered.
    var lifeSign: LifeSign? { get }
    /// Adds the offer of a process or replaces it; only where there is a life sign.
    func put(_ offer: Offer) throws
    /// Forgets the offer of a process.
    func removeOffer(of process: ProcessID) throws
    /// Adds a permit.
    func put(_ permit: Permit) throws
    /// Forgets permits.
    func removePermits(_ ids: [Int64]) throws
    /// Makes every index column, tally and group row again from the tasks (T2, P3); gives what was
    /// wrong with them, one sentence each.
    func rebuildIndexes() throws -> [String]
    /// Forgets journal lines that are older than a moment, and executions that ended before
    /// another, the oldest first and at most `limit`; those with the `newest` numbers stay. Says
    /// how many went (D9).
    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int
}

extension StoreWriter {
    /// The same with one moment for lines and executions.
    @discardableResult public func trimJournal(
        before moment: Timestamp, keeping newest: Int, limit: Int
    ) throws -> Int {
        try trimJournal(
            before: moment, executionsBefore: moment, keeping: newest, limit: limit)
    }
}

extension StoreWriter {
    /// Nil: a store of one machine.
    public func lockedBeat(of process: ProcessID) throws -> Int64? { nil }
}

/// Only some engines see who lives, and keep offers.
extension StoreWriter {
    /// Nobody is seen.
    public var lifeSign: LifeSign? { nil }
    /// Nothing is kept.
    public func put(_ offer: Offer) throws {}
    /// There is none.
    public func removeOffer(of process: ProcessID) throws {}
}

/// Only where a question is a way to a server it is worth knowing the next one.
extension StoreWriter {
    /// Nothing.
    public func expectCounts(of queues: [String]) throws {}
    /// Nothing.
    public func expect(_ queries: [TaskQuery], limit: Int) throws {}
    /// Nothing.
    public func expectClaim(freeSlots: Int) {}
    /// Nothing.
    public func expectTasks(_ ids: [TaskID]) throws {}
}
