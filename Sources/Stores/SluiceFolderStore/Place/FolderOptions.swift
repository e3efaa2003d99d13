package import SluiceModel
package import SluiceStore
import SluiceSystem

/// The folder's dependencies, which tests replace.
package struct FolderOptions: Sendable {
    /// The clock for the times of imports and removals.
    package var clock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: SystemClock.nowMilliseconds())
    }
    /// The id of a task that the SDK has not seen; a new UUID in capitals.
    package var makeID: @Sendable () -> String = { FolderID.random() }
    /// The store's name, if not the path.
    package var name: String?
    /// Runs once when the store is closed.
    package var atClose: @Sendable () -> Void = {}
    /// Lets chosen changes of `sluice.db` fail.
    package var databaseFaults: WriteFaults?
    /// Lets chosen changes of the folder's files fail.
    package var fileFaults: WriteFaults?
    /// Told before each change of the folder's files, so that another program can come in between.
    package var beforeFileStep: (@Sendable (FolderStep) -> Void)?

    /// The machine's clock and chance, and no faults.
    package init() {}
}
