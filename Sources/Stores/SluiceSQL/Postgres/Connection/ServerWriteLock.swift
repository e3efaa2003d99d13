import SluiceModel
import SluiceStore

/// The write lock at a database: the server queues the writers. The writer then first takes in the
/// applications' rows.
final class ServerWriteLock: WriteLock {
    private let connection: ServerConnection
    private let backoff: ReconnectBackoff
    private let clock: StoreClock

    init(_ connection: ServerConnection, backoff: ReconnectBackoff, clock: StoreClock) {
        self.connection = connection
        self.backoff = backoff
        self.clock = clock
    }

    /// Begins a transaction after taking in all rows that were in the inbox at the start. They stay
    /// if later work fails (T4). Newer rows wait for the next transaction, so that a stream of rows
    /// blocks no writer.
    ///
    /// A small first slice joins the transaction, which saves three round trips: the bodies run in
    /// savepoints after it. Other slices have commits of their own.
    func begin(
        _ session: TableWriter, isShared: Bool, mayJoin: Bool
    ) throws(QueueError) -> Bool {
        var slice = Slice()
        while true {
            try session.askAhead()
            session.forget()
            try backoff.attempt { () throws(QueueError) in try connection.beginWriting() }
            guard let rows = try session.freshInbox(), rows.lowerBound <= slice.horizon ?? .max,
                let now = clock.now
            else { return false }
            let joins = mayJoin && slice.horizon == nil
            slice.horizon = slice.horizon ?? rows.upperBound
            do {
                guard try take(&slice, session, at: now) else { return false }
                if joins, slice.isWhole(to: rows.upperBound) { return true }
                try session.writeCounts()
                try connection.commit(keeping: true)
                slice.isTaken()
            } catch {
                try giveUp(&slice, error)
            }
        }
    }

    /// The rows taken in by one commit.
    private struct Slice {
        /// The most rows that join the transaction of other bodies.
        static let joined = 100
        /// The number of the last row that lay there at the beginning.
        var horizon: Int64?
        /// The maximum number of rows.
        var limit = TableWriter.inboxSlice
        /// The rows of the running commit.
        var entries: [InboxEntry] = []
        /// A row that the server does not take as a task, and why.
        var refused: (entry: InboxEntry, error: QueueError)?

        /// Whether it is small, and has all rows up to a number.
        func isWhole(to last: Int64) -> Bool {
            entries.count <= Self.joined && entries.contains { $0.row == last }
        }

        mutating func isTaken() {
            refused = nil
            limit = min(limit * 2, TableWriter.inboxSlice)
        }
    }

    /// Takes in a slice, or marks the row that cannot be; false when there was nothing.
    private func take(
        _ slice: inout Slice, _ session: TableWriter, at now: Timestamp
    ) throws -> Bool {
        if let (entry, error) = slice.refused {
            try session.refuse(entry, error, at: now)
            return true
        }
        slice.entries = []
        slice.entries = try session.inboxEntries(limit: slice.limit)
        if slice.entries.isEmpty { return false }
        try session.takeIn(slice.entries, at: now)
        return true
    }

    /// Reverts a failed commit. After a refused value the next commit takes half the rows, until it
    /// finds the bad row. The bad row gets a mark and blocks no other.
    private func giveUp(_ slice: inout Slice, _ error: any Error) throws(QueueError) {
        let failure = error as? QueueError ?? .damagedRow("the inbox")
        guard connection.isOwnFailure, connection.isInTransaction, slice.refused == nil,
            !slice.entries.isEmpty
        else { throw failure }
        try connection.control(.rollback)
        if slice.entries.count == 1 { slice.refused = (slice.entries[0], failure) }
        slice.limit = max(1, slice.entries.count / 2)
    }

    /// It has waited for its turn when it has begun.
    var mayBeSharedLater: Bool { true }

    // The server sends the notices itself.
    func committed() {}

    func ended() {}
}
