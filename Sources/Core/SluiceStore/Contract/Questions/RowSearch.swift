package import SluiceModel

/// A part of the tasks of a queue, or of all, by their numbers, in which rows are looked for that
/// satisfy a condition: the way that an engine's rows lie, whatever the order of the
/// queue. More may be found than satisfy it, and nothing that does is left out.
package struct RowSearch: Hashable, Sendable {
    /// The queue; nil for all of them.
    package var queue: String?
    /// Tasks of these states.
    package var states: Set<TaskState.Name>
    /// What their rows satisfy.
    package var condition: RowCondition
    /// Tasks of these numbers.
    package var numbers: ClosedRange<TaskID>
    /// So many rows are looked at, of any queue, at the most.
    package var limit: Int
    /// So many are found at the most.
    package var hitLimit: Int

    /// A search through so many rows.
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

/// What was found in a part of the rows.
package struct RowFinding: Hashable, Sendable {
    /// The numbers of what was found, in their order.
    package var found: [TaskID] = []
    /// How many tasks of what is searched were looked at.
    package var looked = 0
    /// The last number up to which all was looked at; nil where the whole part was.
    package var last: TaskID?

    /// Nothing, in the whole part.
    package init() {}
}

/// How an engine searches its rows as they lie.
package protocol RowSearching {
    /// The numbers of all rows, where looking through them as they lie is the better way to search
    /// the whole of a queue, or of all; nil where its own order is.
    func rowNumbers(ofSearchIn queue: String?) throws -> ClosedRange<TaskID>?
    /// What of a part of the rows satisfies a condition.
    func look(_ search: RowSearch) throws -> RowFinding
}

extension StoreReader {
    /// The numbers of all rows, where looking through them is the better way; else nil.
    package func rowNumbers(ofSearchIn queue: String?) throws -> ClosedRange<TaskID>? {
        try rowSearch?.rowNumbers(ofSearchIn: queue)
    }

    /// What of a part of the rows satisfies a condition.
    package func look(_ search: RowSearch) throws -> RowFinding {
        try rowSearch?.look(search) ?? RowFinding()
    }
}
