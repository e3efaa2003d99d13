package import SluiceModel

/// A search over task rows in storage order: a ``RowSearch`` in terms of the tables.
package struct RowScan {
    package var numbers: ClosedRange<Int64>
    /// The queue's number; nil for all queues.
    package var queue: Int64?
    /// A bit for each code of a state that counts.
    package var states: UInt32
    package var condition: RowCondition
    /// The maximum number of rows to scan in any queue, and of hits.
    package var limit: Int
    package var hitLimit: Int
}
