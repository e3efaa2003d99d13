package import SluiceModel

/// What a store can be told; every operation is made of these, inside one `write` that is committed
/// whole or not at all.
///
/// An engine derives its own index columns (wait flags, order key, time of waking, tallies, group
/// rows) from the values it is given; no rule stands here.
package protocol StoreWriter: StoreReader {
    /// Takes so many new numbers and gives the first; of none the one that comes next.
    func takeNumbers(_ count: Int, of what: NumberedThing) throws -> Int64
    /// Adds tasks with their payloads.
    func insert(_ tasks: [NewTask]) throws
    /// Replaces tasks by their new values; each must exist.
    func update(_ tasks: [QueueTask]) throws
    /// Forgets tasks with their payloads; their attempts stay for the journal.
    func remove(_ ids: [TaskID]) throws
    /// Adds executions or replaces them (same task and number); one with an outcome and
    /// `endSequence` 0 gets the next number of the journal.
    func put(_ attempts: [AttemptRecord]) throws
    /// Adds journal lines; gives the number of the first.
    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64
    /// Forgets journal lines that are older than a moment, and executions that ended before
    /// another, the oldest first and at most `limit`; those with the `newest` numbers stay. Says
    /// how many went (D9).
    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int
    /// Makes any other change.
    func apply(_ change: StoreChange) throws
    /// Makes every index column, tally and group row again from the tasks (T2, P3); gives what was
    /// wrong with them, one sentence each.
    func rebuildIndexes() throws -> [String]
    /// What a recording will have of this write, so that its moment and what the rules were asked
    /// are added; nil where none stands (G6).
    func tape() throws -> TapeNotes?
    /// How this write sees whether a runner lives, so that work can be handed over to it (A1); nil
    /// where that cannot be told, so that nothing is offered.
    var liveness: Liveness? { get }
    /// The heartbeat of a process, which stays as it is until the commit (A2); nil for none, and in
    /// a store of one machine.
    func lockedHeartbeat(of process: ProcessID) throws -> Int64?
}

/// What a store numbers for whoever writes; no number comes twice.
package enum NumberedThing: Hashable, Sendable {
    /// Tasks.
    case tasks
    /// Processes, permits, tokens and runs.
    case others
}

extension StoreWriter {
    /// Takes `count` new task numbers and gives the first.
    package func takeTaskIDs(_ count: Int) throws -> TaskID {
        try takeNumbers(count, of: .tasks)
    }

    /// Takes one number for a process, a permit, a token or a run.
    package func takeNumber() throws -> Int64 { try takeNumbers(1, of: .others) }

    /// The same with one moment for lines and executions.
    @discardableResult package func trimJournal(
        before moment: Timestamp, keeping newest: Int, limit: Int
    ) throws -> Int {
        try trimJournal(
            before: moment, executionsBefore: moment, keeping: newest, limit: limit)
    }

    /// Nil: a store of one machine.
    package func lockedHeartbeat(of process: ProcessID) throws -> Int64? { nil }
    /// Nobody is seen.
    package var liveness: Liveness? { nil }
}
