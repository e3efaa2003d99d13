package import SluiceModel

/// How an engine's writer takes its turn at the store, once for each commit.
package protocol WriteLock: AnyObject {
    /// Begins a transaction without other writers. Clears the session's caches if others may have
    /// written since its last transaction. `isShared`: several bodies share it, each in a
    /// savepoint.
    ///
    /// Returns whether the transaction already holds rows of the inbox, which stay if a body fails.
    /// Only `mayJoin` allows that; otherwise a commit of their own takes them in.
    func begin(_ session: TableWriter, isShared: Bool, mayJoin: Bool) throws(QueueError) -> Bool
    /// Whether one that began for a single body may be shared by others that come after that.
    var mayBeSharedLater: Bool { get }
    /// A commit that changed something went through.
    func committed()
    /// The transaction has ended, with or without success.
    func ended()
}
