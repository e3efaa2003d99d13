package import SluiceModel
package import SluiceStore

/// Throws where the store is not there any more.
package typealias PresenceCheck = @Sendable () throws(QueueError) -> Void
/// Opens a connection to the store.
package typealias ConnectionOpening = @Sendable () throws(QueueError) -> any TableConnection

/// One connection to a database that holds the tables of a store, used by one thread at a time.
///
/// The sessions are written over it once; what a database calls differently is its own affair.
package protocol TableConnection: AnyObject {
    /// Whether an application may leave rows in an inbox of the same database (T4).
    var hasInbox: Bool { get }
    /// What stands before the name of each table in statements of an application.
    var tablePrefix: String { get }
    /// Whether offers of free slots are kept (A1).
    var hasOffers: Bool { get }
    /// Whether a question is a round trip to a server. Such a connection keeps changes back by
    /// itself (`RowChange`), so that nobody else need see to it.
    var isRemote: Bool { get }
    /// Why the running write cannot be committed: a change of it failed, whatever its body made of
    /// that.
    var changeFailure: QueueError? { get }
    /// Whether a transaction is open; the database may have ended it by itself.
    var isInTransaction: Bool { get }
    /// Grows with every change since the connection was opened.
    var totalChanges: Int64 { get }
    /// What whoever wrote is told when the database ended the transaction by itself.
    var endedTransaction: QueueError { get }

    /// The statement of a query; it must be reset before it is asked for again.
    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement
    /// Begins a transaction that reads one moment.
    func beginReading() throws(QueueError)
    /// Does one step of a transaction.
    func control(_ step: TransactionStep) throws(QueueError)
    /// Whether the last transaction was undone by a change that one of several bodies made, so
    /// that the others go through without it.
    var isOwnFailure: Bool { get }
    /// Waits until every change of the running body was made, or is kept back to be made with those
    /// of others; throws where one was not.
    func settle() throws(QueueError)
    /// Commits; a test's fault strikes only where there is something to keep.
    func commit(keeping hasChanges: Bool) throws(QueueError)
    /// Lets commits survive what the store promises (P1).
    func set(_ durability: StoreRecord.Durability) throws(QueueError)
    /// Forgets the failure of the last body.
    func clearChangeFailure()
    /// A number that stays the same for as long as no queue changes; nil where that is not known.
    func configuration() throws(QueueError) -> Int64?
    /// What that number will be once the running transaction, which changes a queue, is committed,
    /// where the queue's row says it; nil where it does not.
    func nextConfiguration() throws(QueueError) -> Int64?
    /// Fetches in one question what will be asked for one by one; nil where asking is cheap.
    func many(_ query: Query, columns: [[Int64]]) throws(QueueError) -> (any BoundStatement)?
    /// Asks several questions in one round trip; nil where asking is cheap.
    func together(_ questions: [Question]) throws(QueueError) -> [any BoundStatement]?
    /// Asks these questions with the beginning of the next write, so that the same question then is
    /// no round trip of its own; nothing where asking is cheap. `numbers` are bound as a list.
    func expect(
        _ questions: [Question], numbers: (query: Query, values: [Int64])?
    ) throws(QueueError)
    /// Looks through rows as they lie; nil where payloads would have to come to be looked at.
    func look(_ hunt: RowScan) throws(QueueError) -> RowFinding?
    /// What the database finds wrong with itself, one sentence each (P3).
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

    package func look(_ hunt: RowScan) throws(QueueError) -> RowFinding? { nil }

    package func expect(_ questions: [Question], numbers: (query: Query, values: [Int64])?) {}

    package func together(
        _ questions: [Question]
    ) throws(QueueError) -> [any BoundStatement]? { nil }
}

/// The parts of a transaction beside its beginning and its commit.
package enum TransactionStep {
    case rollback
    /// The beginning of a body that shares the transaction with others.
    case savepoint
    case rollbackToSavepoint
    case release
}
