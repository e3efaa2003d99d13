package import SluiceModel

/// A queue as a store knows it, so that a thousand of them are not copied wherever they are gone
/// through.
package final class SharedQueue: Sendable {
    /// The queue.
    package let record: QueueRecord

    /// A queue to share.
    package init(_ record: QueueRecord) { self.record = record }
}
