public import SluiceModel

/// A queue as a store knows it, so that a thousand of them are not copied wherever they are gone
/// through.
public final class SharedQueue: Sendable {
    /// The queue.
    public let record: QueueRecord

    /// A queue to share.
    public init(_ record: QueueRecord) { self.record = record }
}
