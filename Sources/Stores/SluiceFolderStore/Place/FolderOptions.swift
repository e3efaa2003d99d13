public import SluiceModel
import SluicePlatform
public import SluiceStore

/// What a folder asks of the world around it, so that a test can answer.
public struct FolderOptions: Sendable {
    /// The time at which tasks come in or go out.
    public var clock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: SystemClock.nowMilliseconds())
    }
    /// The id of a task that the SDK has not seen; a new UUID in capitals.
    public var makeID: @Sendable () -> String = { FolderID.random() }
    /// Lets chosen changes of `sluice.db` fail.
    public var databaseFaults: WriteFaults?
    /// Lets chosen changes of the folder's files fail.
    public var fileFaults: WriteFaults?
    /// Told before each change of the folder's files, so that another program can come in between.
    public var beforeFileStep: (@Sendable (FolderStep) -> Void)?

    /// The machine's clock and chance, and no faults.
    public init() {}
}
