package import SluiceModel

/// A part of a queue in another store, by position. Replication makes the same part of the queue
/// here equal to it (D13).
package struct ReplicaPage: Sendable {
    package var queue: String
    /// The identity of the other store.
    package var identity: String
    /// The tasks with their full history; none of them is running.
    package var tasks: [IncomingTask] = []
    /// The part starts after this position; `nil` for the start of the queue.
    package var after: Int64?
    /// The last position of the part; nil for the end of the queue.
    package var through: Int64?

    /// A part with no tasks yet.
    package init(queue: String, identity: String) {
        self.queue = queue
        self.identity = identity
    }
}

/// A task that is here and that no task of the part there is.
package struct ReplicaStranger: Hashable, Sendable {
    package var id: TaskID
    /// Its origin (`TaskOrigin`).
    package var origin: String
}

/// The differences between a part of a queue here and in the other store.
package struct ReplicaDifference: Sendable {
    /// How many tasks were the same in all that travels.
    package var equal = 0
    /// How many were not here.
    package var missing = 0
    /// How many of those have another number here than there.
    package var renumbered = 0
    /// The numbers here of the different tasks.
    package var changed: [TaskID] = []
    /// Tasks found only here, as far as this part can show.
    package var strangers: [ReplicaStranger] = []
    /// The digest of the equal tasks, in their form here.
    package var digest = ReplicaDigest()

    package init() {}
}

extension StoreReader {
    /// How the part of the queue here differs from a part there.
    package func difference(
        to page: ReplicaPage, now: Timestamp
    ) throws -> ReplicaDifference {
        try ReplicaScan(self, page, now: now).difference()
    }
}

extension Mutation {
    /// Makes a part of a queue equal to the part in the other store; no runner may work the queue
    /// here. It adds missing tasks, with their numbers if reserved, and updates different ones. It
    /// only reports extra tasks. Returns the difference found.
    ///
    /// Throws `notLegal` for a task that came to this store in another way: it would run twice.
    /// With `again` it adds removed tasks once more.
    package func replicate(_ page: ReplicaPage, again: Bool) throws -> ReplicaDifference {
        let scan = try ReplicaScan(store, page, now: now)
        var difference = scan.differenceOfKnown()
        let numbers = try store.numbersKept(for: page.identity)
        for (incoming, known) in scan.missing {
            if let known, !again { throw scan.goneError(incoming, known) }
            let id = try known ?? number(for: incoming, among: numbers)
            if id != incoming.task.id { difference.renumbered += 1 }
            try insertReplica(incoming, as: id, among: numbers)
        }
        for (incoming, actual) in scan.changed { try change(actual, to: incoming, scan) }
        difference.strangers = try scan.strangers()
        return difference
    }

    /// The number that the task has there, where it is kept free for it.
    private func number(for incoming: IncomingTask, among numbers: ClosedRange<TaskID>?) throws
        -> TaskID
    {
        let id = incoming.task.id
        if numbers?.contains(id) == true, try store.task(id) == nil { return id }
        return try store.reserveTaskIDs(1)
    }

    private func insertReplica(
        _ incoming: IncomingTask, as id: TaskID, among numbers: ClosedRange<TaskID>?
    ) throws {
        let identity = try store.storeRecord().identity
        if TaskOrigin.id(of: incoming.origin, in: identity) == nil {
            try store.putOrigin(incoming.origin, of: id)
        }
        let task = try incoming.replica(as: id, in: store, identity, numbers, now: now)
        try store.insert([NewTask(task: task, payload: incoming.payload)])
        if let result = incoming.result { try store.setResult(result, of: id) }
        try put(incoming.attempts, of: task, beside: [])
    }

    private func change(
        _ actual: QueueTask, to incoming: IncomingTask, _ scan: ReplicaScan
    ) throws {
        try store.update([try scan.replica(of: incoming, as: actual.id)])
        if try store.payload(of: actual.id) != incoming.payload {
            try store.setPayload(incoming.payload, of: actual.id)
        }
        try store.setResult(incoming.result, of: actual.id)
        try put(incoming.attempts, of: actual, beside: try store.attempts(of: actual.id))
    }

    /// Executions that are here already stay as they are, with their places in the journal.
    private func put(
        _ attempts: [AttemptRecord], of task: QueueTask, beside known: [AttemptRecord]
    ) throws {
        let known = Set(known.map(\.travelling))
        let new = attempts.filter { !known.contains($0.travelling) }.map { attempt in
            var attempt = attempt
            (attempt.task, attempt.queue, attempt.endSequence) = (task.id, task.queue, -1)
            return attempt
        }
        if !new.isEmpty { try store.put(new) }
    }

    /// Removes tasks of a queue that no runner works here.
    package func removeStrangers(_ ids: [TaskID]) throws { try store.remove(ids) }
}

extension AttemptRecord {
    /// The attempt without store-specific values.
    var travelling: AttemptRecord {
        var attempt = self
        (attempt.task, attempt.queue, attempt.endSequence) = (0, "", 0)
        (attempt.childPID, attempt.childStartTime) = (nil, nil)
        return attempt
    }
}
