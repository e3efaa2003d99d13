package import SluiceModel

/// A queue as the store caches it. Sharing avoids a copy of each queue in loops over thousands.
package final class SharedQueue: Sendable {
    package let record: QueueRecord

    package init(_ record: QueueRecord) { self.record = record }
}
