package import SluiceModel
import SluicePlatform
package import SluiceStore

/// What a folder asks of the world around it, so that a test can answer.
package struct FolderOptions: Sendable {
    /// The time at which tasks come in or go out.
    package var clock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: SystemClock.nowMilliseconds())
    }
    /// The id of a task that the SDK has not seen; a new UUID in capitals.
    package var makeID: @Sendable () -> String = { FolderID.random() }
    /// Lets chosen changes of `sluice.db` fail.
    package var databaseFaults: WriteFaults?
    /// Lets chosen changes of the folder's files fail.
    package var fileFaults: WriteFaults?
    /// Told before each change of the folder's files, so that another program can come in between.
    package var beforeFileStep: (@Sendable (FolderStep) -> Void)?

    /// The machine's clock and chance, and no faults.
    package init() {}
}
