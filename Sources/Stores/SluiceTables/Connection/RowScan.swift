package import SluiceModel

/// What is looked for in the rows of tasks as they lie: the words of a ``RowSearch`` as the tables
/// have them.
package struct RowScan {
    /// The numbers of the rows.
    package var numbers: ClosedRange<Int64>
    /// The queue's number; nil for all queues.
    package var queue: Int64?
    /// A bit for each code of a state that counts.
    package var states: UInt32
    /// What the row satisfies.
    package var condition: RowCondition
    /// So many rows are looked at, of any queue, and so many found, at the most.
    package var limit: Int
    package var hitLimit: Int
}
