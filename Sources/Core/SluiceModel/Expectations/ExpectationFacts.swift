/// The facts about a store at one moment. An expectation reads only the facts that its checks need.
package protocol ExpectationFacts {
    /// How many wait and run in a queue, and the first of them in its order. Throws `unknownQueue`.
    func live(in queue: String, first limit: Int) throws -> LiveTasks
    /// How many tasks match, and the first of them.
    func count(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks
    /// How many ended attempts match, and the tasks that match and have not ended, the first of
    /// them.
    func ran(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks
    /// The task that a person named; `nil` if unknown.
    func task(_ reference: TaskReference) throws -> ExpectedTask?
    /// The payload of a task; nil if it has gone.
    func payload(of id: TaskID) throws -> [UInt8]?
    func name(_ id: TaskID) throws -> String
}

/// The running and waiting tasks of a queue.
package struct LiveTasks: Hashable, Sendable {
    package var waiting: Int
    package var running: Int
    /// The first of them in the running order.
    package var first: [TaskID]

    package init(waiting: Int, running: Int, first: [TaskID]) {
        (self.waiting, self.running, self.first) = (waiting, running, first)
    }
}

/// A count and the first of the tasks.
package struct CountedTasks: Hashable, Sendable {
    package var count: Int
    package var first: [TaskID]

    package init(count: Int, first: [TaskID]) { (self.count, self.first) = (count, first) }
}

/// A task in an expectation, even if it ended and the store removed it.
package struct ExpectedTask: Hashable, Sendable {
    package var id: TaskID
    /// The displayed state. For a removed task, the state according to its last attempt, or `nil`.
    package var display: Display?
    /// How many counted executions it had.
    package var attempts: Int
    /// Whether the store has it no more.
    package var isGone: Bool

    package init(id: TaskID, display: Display?, attempts: Int, isGone: Bool = false) {
        (self.id, self.display, self.attempts, self.isGone) = (id, display, attempts, isGone)
    }
}
