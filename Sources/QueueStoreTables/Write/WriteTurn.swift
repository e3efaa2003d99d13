import QueueModel

/// How an engine's writer takes its turn at the store, once for each commit.
package protocol WriteTurn: AnyObject {
    /// Begins a transaction in which nobody else writes.
    func begin() throws(QueueError)
    /// A commit that changed something went through.
    func committed()
    /// The transaction is over, whatever became of it.
    func ended()
}
