package import SluiceModel

/// A selection of queues and its order.
package enum QueueSelection: Hashable, Sendable {
    /// Every queue, by name.
    case all
    /// The queue of a name in either Unicode spelling (T6), if any.
    case named(String)
    /// Queues with waiting tasks that have all of these flags, by name. Without flags, also queues
    /// with an open run or pending wakes. The result may include other queues.
    case inUse(WaitFlags)
    /// Queues with an open run or pending wakes, by name. The result may include other queues.
    case busy
    /// Queues with tasks in one of these states, by name. The result may include other queues.
    case holding(Set<TaskState.Name>)
    /// Queues with a timed pause, automatic runs or a rate, by name. It may include
    /// other queues.
    case withMoments
    /// `limit` queues after the first `behind` in display order: by priority, descending, then by
    /// name.
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

    /// The highest priority of a queue, or `nil` without queues.
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
