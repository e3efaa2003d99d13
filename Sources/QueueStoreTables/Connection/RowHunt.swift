/// What is looked for in rows of four columns (a task's number, its queue, shelf and payload), and
/// how far that has come.
package struct RowHunt {
    /// The queue's number.
    package var queue: Int64
    /// A bit for each code of a state that counts.
    package var states: UInt32
    /// What the payload holds.
    package var text: [UInt8]
    /// How many rows were looked at, and how many of them were of the queue and of these states.
    package var rows = 0
    package var looked = 0
    /// The number of the last row.
    package var last: Int64 = 0
}
