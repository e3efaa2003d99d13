package import SluiceModel

/// Which queues are asked for, and in what order they come.
package enum QueueSelection: Hashable, Sendable {
    /// Every queue, by name.
    case all
    /// The one of a name, however that is composed (T6), where there is one.
    case named(String)
    /// By name those in which something waits with all of these flags; where none are
    /// given also those with an open run, or with something left to do for members of groups.
    /// There may be others among them.
    case inUse(WaitFlags)
    /// By name those that hold tasks in one of these states. There may be others among them.
    case holding(Set<TaskState.Name>)
    /// By name those that are paused until a moment, or whose runs begin by themselves. There may
    /// be others among them.
    case withMoments
    /// So many behind so many others as people see them: the larger priority first, then by name.
    case page(behind: Int, limit: Int)
}

/// Questions about queues that a selection answers.
extension StoreReader {
    /// Every queue, by name.
    package func queues() throws -> [QueueRecord] { try queues(.all).map(\.record) }

    /// One queue, or nil.
    package func queue(named name: String) throws -> QueueRecord? {
        try queues(.named(name)).first?.record
    }

    /// How many queues there are.
    package func countQueues() throws -> Int { try countQueues(before: nil) }

    /// A page of the queues as people see them.
    package func queues(behind count: Int, limit: Int) throws -> [QueueRecord] {
        try queues(.page(behind: count, limit: limit)).map(\.record)
    }

    /// The largest priority of a queue; nil where there is none.
    package func highestPriority() throws -> Int? {
        try queues(.page(behind: 0, limit: 1)).first?.record.settings.priority
    }

    /// How many tasks a queue holds, by state and wait flags.
    package func counts(queue: String) throws -> QueueCounts { try counts(of: queue) }

    /// How many tasks all queues hold together.
    package func counts() throws -> QueueCounts { try counts(of: nil) }

    /// One queue; throws `unknownQueue` with the nearest name.
    package func requireQueue(_ name: String) throws -> QueueRecord {
        guard let queue = try queue(named: name) else {
            throw QueueError.unknownQueue(name, known: try queues().map(\.name))
        }
        return queue
    }
}

extension QueueRecord {
    /// Whether people see it before another one: the larger priority first, then by name.
    package func isSeen(before other: QueueRecord) -> Bool {
        (other.settings.priority, name) < (settings.priority, other.name)
    }
}
