package import SluiceModel

/// The changes that a store accepts. Every operation consists of these, inside one `write` that
/// commits as a whole or not at all.
///
/// An engine derives its own index columns (wait flags, order key, wake time, tallies, group rows)
/// from the given values. No rule belongs here.
package protocol StoreWriter: StoreReader {
    /// A body begins. Its changes count to the minute of this moment.
    func begin(at moment: Timestamp)
    /// Allocates `count` new numbers and returns the first. With 0 it returns the next number
    /// without allocating it.
    func reserveNumbers(_ count: Int, of what: NumberedThing) throws -> Int64
    /// Adds tasks with their payloads.
    func insert(_ tasks: [NewTask]) throws
    /// Replaces tasks by their new values; each must exist.
    func update(_ tasks: [QueueTask]) throws
    /// Forgets tasks with their payloads; their attempts stay for the journal.
    func remove(_ ids: [TaskID]) throws
    /// Adds executions or replaces them (same task and number); one with an outcome and
    /// `endSequence` 0 gets the next number of the journal.
    func put(_ attempts: [AttemptRecord]) throws
    /// Counts how long a task had been due when an attempt of it began.
    func countWait(_ wait: DurationBucket, in queue: String, at moment: Timestamp) throws
    /// Adds journal lines; gives the number of the first.
    @discardableResult func append(_ events: [JournalEvent]) throws -> Int64
    /// Forgets journal lines that are older than a moment, and executions that ended before
    /// another, the oldest first and at most `limit`; those with the `newest` numbers stay. Says
    /// how many went (D9).
    func trimJournal(
        before moment: Timestamp, executionsBefore ended: Timestamp, keeping newest: Int,
        limit: Int
    ) throws -> Int
    /// Sets the states that the tasks of another system show. Throws `notLegal` except in a store
    /// in memory.
    func show(_ states: [TaskID: SystemState]) throws
    /// Makes any other change.
    func apply(_ change: StoreChange) throws
    /// Recomputes every index column, tally and group row from the tasks (T2, P3). Returns the
    /// errors that it corrected, one sentence each.
    func rebuildIndexes() throws -> [String]
    /// The notes of this write for a recording, which add its time and the rules' questions and
    /// results. `nil` without a recording (G6).
    func tape() throws -> TapeNotes?
    /// The function that checks in this write whether a runner is alive, so that tasks can be
    /// handed to it (A1). `nil` if this is unknown; then runners offer nothing.
    var liveness: Liveness? { get }
    /// A runner's order of claims among the queues in use (Q5). An engine may keep it between
    /// claims.
    func turnOrder(of runner: ProcessRecord, after turn: RoundRobin) throws -> TurnOrder
    /// The heartbeat of a process, which stays as it is until the commit (A2); nil for none, and in
    /// a store of one machine.
    func lockedHeartbeat(of process: ProcessID) throws -> Int64?
}

/// The kinds of numbers that a store allocates. A number never repeats.
package enum NumberedThing: Hashable, Sendable {
    case tasks
    /// Processes, permits, tokens and runs.
    case others
}

extension StoreWriter {
    package func show(_ states: [TaskID: SystemState]) throws {
        throw QueueError.notLegal("this store decides the states of its tasks by its rules")
    }

    /// Takes `count` new task numbers and gives the first.
    package func reserveTaskIDs(_ count: Int) throws -> TaskID {
        try reserveNumbers(count, of: .tasks)
    }

    /// Takes one number for a process, a permit, a token or a run.
    package func reserveNumber() throws -> Int64 { try reserveNumbers(1, of: .others) }

    /// The same with one moment for lines and executions.
    @discardableResult package func trimJournal(
        before moment: Timestamp, keeping newest: Int, limit: Int
    ) throws -> Int {
        try trimJournal(
            before: moment, executionsBefore: moment, keeping: newest, limit: limit)
    }

    /// Made for one claim from all queues in use.
    package func turnOrder(of runner: ProcessRecord, after turn: RoundRobin) throws -> TurnOrder {
        TurnOrder(of: try queues(.inUse([])), for: runner, after: turn)
    }
    /// Nil: a store of one machine.
    package func lockedHeartbeat(of process: ProcessID) throws -> Int64? { nil }
    /// `nil` by default: the liveness of processes is unknown.
    package var liveness: Liveness? { nil }
}
