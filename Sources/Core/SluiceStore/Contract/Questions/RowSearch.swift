package import SluiceModel

/// A search over the rows of a queue, or of all queues, in storage order. It may return rows that
/// do not match, but it misses none that do.
package struct RowSearch: Hashable, Sendable {
    /// The queue; nil for all of them.
    package var queue: String?
    package var states: Set<TaskState.Name>
    package var condition: RowCondition
    package var numbers: ClosedRange<TaskID>
    /// The maximum number of rows to scan, in any queue.
    package var limit: Int
    package var hitLimit: Int

    package init(
        queue: String?, states: Set<TaskState.Name>, condition: RowCondition,
        numbers: ClosedRange<TaskID>, limit: Int, hitLimit: Int
    ) {
        self.queue = queue
        self.states = states
        self.condition = condition
        self.numbers = numbers
        self.limit = limit
        self.hitLimit = hitLimit
    }
}

/// The result of a search over a part of the rows.
package struct RowFinding: Hashable, Sendable {
    /// The numbers of the matching tasks, in ascending order.
    package var found: [TaskID] = []
    /// The number of tasks scanned.
    package var looked = 0
    /// The last number scanned, or `nil` if the scan covered the whole part.
    package var last: TaskID?

    /// Nothing, in the whole part.
    package init() {}
}

/// How an engine searches its rows as they lie.
package protocol RowSearching {
    /// The range of all row numbers, if a scan in storage order is the faster way. `nil` if queue
    /// order is faster.
    func rowNumbers(ofSearchIn queue: String?) throws -> ClosedRange<TaskID>?
    /// Returns the rows of a part that match a condition.
    func look(_ search: RowSearch) throws -> RowFinding
}

extension StoreReader {
    /// The numbers of all rows, where looking through them is the better way; else nil.
    package func rowNumbers(ofSearchIn queue: String?) throws -> ClosedRange<TaskID>? {
        try rowSearch?.rowNumbers(ofSearchIn: queue)
    }

    /// Returns the rows of a part that match a condition.
    package func look(_ search: RowSearch) throws -> RowFinding {
        try rowSearch?.look(search) ?? RowFinding()
    }
}
