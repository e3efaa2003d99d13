/// What is known of a store at one moment; an expectation asks for what its checks are about alone.
package protocol ExpectationFacts {
    /// How many wait and run in a queue, and the first of them in its order. Throws `unknownQueue`.
    func live(in queue: String, first limit: Int) throws -> LiveTasks
    /// How many tasks match, and the first of them.
    func count(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks
    /// How many ended attempts match, and the tasks that match and have not ended, the first of
    /// them.
    func ran(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks
    /// A task that a person named; nil where nothing is known of it.
    func task(_ reference: TaskReference) throws -> ExpectedTask?
    /// The payload of a task; nil where it has gone.
    func payload(of id: TaskID) throws -> [UInt8]?
    /// How people name a task.
    func name(_ id: TaskID) throws -> String
}

/// What runs and waits in a queue.
package struct LiveTasks: Hashable, Sendable {
    /// How many wait.
    package var waiting: Int
    /// How many run.
    package var running: Int
    /// The first of them in the running order.
    package var first: [TaskID]

    /// So many, and the first of them.
    package init(waiting: Int, running: Int, first: [TaskID]) {
        (self.waiting, self.running, self.first) = (waiting, running, first)
    }
}

/// How many there are, and some tasks that are looked at first.
package struct CountedTasks: Hashable, Sendable {
    /// How many.
    package var count: Int
    /// The first tasks.
    package var first: [TaskID]

    /// So many, and the first of them.
    package init(count: Int, first: [TaskID]) { (self.count, self.first) = (count, first) }
}

/// What is known of one task, also when it has ended and was forgotten.
package struct ExpectedTask: Hashable, Sendable {
    /// The number.
    package var id: TaskID
    /// What it shows; of one that has gone what its last attempt says of it, nil where that says
    /// nothing.
    package var display: Display?
    /// How many counted executions it had.
    package var attempts: Int
    /// Whether the store has it no more.
    package var isGone: Bool

    /// A task with what is known of it.
    package init(id: TaskID, display: Display?, attempts: Int, isGone: Bool = false) {
        (self.id, self.display, self.attempts, self.isGone) = (id, display, attempts, isGone)
    }
}
