package import SluiceModel
package import SluiceStore

/// Throws if the store was removed or replaced.
package typealias PresenceCheck = @Sendable () throws(QueueError) -> Void
package typealias ConnectionOpening = @Sendable () throws(QueueError) -> any TableConnection

/// One connection to a database that holds the tables of a store, used by one thread at a time.
///
/// The sessions are written over it once; what a database calls differently is its own affair.
package protocol TableConnection: AnyObject {
    /// Whether an application may leave rows in an inbox of the same database (T4).
    var hasInbox: Bool { get }
    /// The prefix of table names in an application's statements.
    var tablePrefix: String { get }
    /// Whether the tables store offers of free slots (A1).
    var hasOffers: Bool { get }
    /// Whether a query is a round trip to a server. Such a connection buffers changes
    /// (`RowChange`), so its users need not.
    var isRemote: Bool { get }
    /// The error that prevents the commit of the running write: one of its changes failed, even if
    /// its body caught the error.
    var changeFailure: QueueError? { get }
    /// Whether a transaction is open; the database may have ended it automatically.
    var isInTransaction: Bool { get }
    /// The total number of changes since the connection was opened.
    var totalChanges: Int64 { get }
    /// The error for a writer whose transaction the database ended automatically.
    var endedTransaction: QueueError { get }

    /// The statement of a query. Reset it before the next call for the same query.
    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement
    /// Begins a transaction that reads one moment.
    func beginReading() throws(QueueError)
    func control(_ step: TransactionStep) throws(QueueError)
    /// Whether the last transaction was undone by a change that one of several bodies made, so
    /// that the others go through without it.
    var isOwnFailure: Bool { get }
    /// Waits until every change of the running body is made, or buffered with other bodies'
    /// changes. Throws if one failed.
    func settle() throws(QueueError)
    /// Commits; a test's fault strikes only if there is something to keep.
    func commit(keeping hasChanges: Bool) throws(QueueError)
    /// Lets commits survive what the store promises (P1).
    func set(_ durability: StoreRecord.Durability) throws(QueueError)
    /// Forgets the failure of the last body.
    func clearChangeFailure()
    /// A number that stays the same for as long as no queue changes; nil if that is not known.
    func configuration() throws(QueueError) -> Int64?
    /// The value after a commit of the running transaction, which changes a queue. `nil` if the
    /// queue's row does not contain it.
    func nextConfiguration() throws(QueueError) -> Int64?
    /// Fetches the results of many single queries in one. `nil` if queries are cheap.
    func many(_ query: Query, columns: [[Int64]]) throws(QueueError) -> (any BoundStatement)?
    /// Asks several questions in one round trip; nil where asking is cheap.
    func together(_ questions: [Question]) throws(QueueError) -> [any BoundStatement]?
    /// Sends these queries with the start of the next write, so that the same queries need no extra
    /// round trip. Does nothing if queries are cheap. `numbers` are bound as a list.
    func expect(
        _ questions: [Question], numbers: (query: Query, values: [Int64])?
    ) throws(QueueError)
    /// Scans rows in storage order. `nil` if this would transfer the payloads.
    func look(_ scan: RowScan) throws(QueueError) -> RowFinding?
    /// Problems that the database finds in itself, one sentence each (P3).
    func integrityProblems(isQuick: Bool) throws(QueueError) -> [String]
    /// The same of some tables alone, with their indexes.
    func problems(in tables: [String]) throws(QueueError) -> [String]
}

extension TableConnection {
    /// A query, and what binds its values.
    package typealias Question = (query: Query, bind: (any BoundStatement) -> Void)

    /// The same with the numbers of each column.
    func many(_ query: Query, _ columns: [Int64]...) throws(QueueError) -> (any BoundStatement)? {
        try many(query, columns: columns)
    }

    package func problems(in tables: [String]) throws(QueueError) -> [String] { [] }

    package func look(_ scan: RowScan) throws(QueueError) -> RowFinding? { nil }

    package func expect(_ questions: [Question], numbers: (query: Query, values: [Int64])?) {}

    package func together(
        _ questions: [Question]
    ) throws(QueueError) -> [any BoundStatement]? { nil }
}

/// The steps of a transaction other than begin and commit.
package enum TransactionStep {
    case rollback
    /// The beginning of a body that shares the transaction with others.
    case savepoint
    case rollbackToSavepoint
    case release
}
