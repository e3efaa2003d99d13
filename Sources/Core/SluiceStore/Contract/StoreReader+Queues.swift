public import SluiceModel

/// What is asked of queues, answered by looking at all of them.
extension StoreReader {
    /// All.
    public func queues(inUse marks: Lane) throws -> [SharedQueue] {
        try queues().map(SharedQueue.init)
    }
    /// All.
    public func queues(holding states: Set<TaskState.Name>) throws -> [QueueRecord] {
        try queues()
    }
    /// By looking at all.
    public func highestPriority() throws -> Int64? { try queues().map(\.settings.priority).max() }

    /// By looking at all.
    public func countQueues() throws -> Int { try queues().count }

    /// By looking at all.
    public func countQueues(before queue: QueueRecord) throws -> Int {
        try queues().count { $0.isSeen(before: queue) }
    }

    /// By looking at all.
    public func queues(behind count: Int, limit: Int) throws -> [QueueRecord] {
        Array(try queues().sorted { $0.isSeen(before: $1) }.dropFirst(count).prefix(limit))
    }

    /// All.
    public func queuesWithMoments() throws -> [QueueRecord] { try queues() }

    /// By adding up those of each.
    public func counts() throws -> QueueCounts {
        try queues().reduce(into: QueueCounts()) { sum, queue in
            let counts = try counts(queue: queue.name)
            sum.states.merge(counts.states, uniquingKeysWith: +)
            sum.lanes.merge(counts.lanes, uniquingKeysWith: +)
        }
    }
}

extension QueueRecord {
    /// Whether people see it before another one: the larger priority first, then by name.
    public func isSeen(before other: QueueRecord) -> Bool {
        (other.settings.priority, name) < (settings.priority, other.name)
    }
}
