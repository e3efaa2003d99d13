package import SluiceModel

/// Questions about tasks that a selection answers.
extension StoreReader {
    /// The tasks of a page, in order.
    package func tasks(matching query: TaskQuery) throws -> [QueueTask] {
        try tasks(.page(query), limit: query.limit)
    }

    package func first(_ selection: TaskSelection) throws -> QueueTask? {
        try tasks(selection, limit: 1).first
    }

    /// By reading them.
    package func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int {
        try tasks(selection, limit: limit).count
    }

    /// By asking for the page of each queue.
    package func candidates(_ plan: [TaskQuery]) throws -> [[QueueTask]] {
        try plan.map { try tasks(matching: $0) }
    }

    /// The number of the first start of `group` that holds members, between the positions `last`
    /// and `position`.
    package func holdingStart(
        queue: String, group: String, after last: Int64 = .min, before position: Int64
    ) throws -> TaskID? {
        try first(.holdingStarts(queue: queue, group: group, after: last, before: position))?.id
    }

    /// The waiting task, or with `includingRunning` also the running one, of a unique key (T5).
    package func uniqueHolders(
        queue: String, type: String, key: String, includingRunning: Bool
    ) throws -> [TaskID] {
        try tasks(.uniqueHolders(queue: queue, type: type, key: key), limit: .max)
            .filter { includingRunning || $0.waiting != nil }.map(\.id)
    }

    /// The earliest expiry time of a waiting task.
    package func nextExpiry() throws -> Timestamp? { try first(.expiring())?.expiresAt }

    /// How many tasks of a batched queue are fresh (Q4), counted to `limit`, and the first moment.
    package func fresh(
        queue: String, since: Timestamp?, now: Timestamp, limit: Int
    ) throws -> FreshTasks {
        let selection = TaskSelection.fresh(queue: queue, since: since, now: now)
        guard let first = try first(selection) else { return FreshTasks(count: 0, first: nil) }
        return FreshTasks(
            count: try countTasks(selection, limit: limit), first: first.freshAt)
    }

    package func tasksRun(by process: ProcessID) throws -> [QueueTask] {
        try tasks(.running(by: process), limit: .max)
    }

    /// The leases of a process's running tasks, without other fields.
    package func leases(of process: ProcessID) throws -> [Lease] {
        try tasksRun(by: process).compactMap { task in
            task.running.map { Lease(task: task.id, token: $0.token, stop: $0.stop) }
        }
    }

    /// The numbers of the tasks that a task's handler enqueued.
    package func followUps(of id: TaskID) throws -> [TaskID] {
        try tasks(.followUps(of: id), limit: .max).map(\.id)
    }

    /// Waiting tasks with an attempt of this process that continues (B12).
    package func tasksLingering(of process: ProcessID) throws -> [QueueTask] {
        try tasks(.lingering(of: process), limit: .max)
    }

    /// The nearest position in use before, or after, `position` in a queue.
    package func neighbour(
        queue: String, of position: Int64, isBefore: Bool
    ) throws -> Int64? {
        try first(
            isBefore
                ? .arrivedBefore(queue: queue, position: position)
                : .arrived(queue: queue, after: position)
        )?.position
    }

    /// One task, or nil.
    package func task(_ id: TaskID) throws -> QueueTask? { try tasks([id]).first }

    /// One task; throws `unknownTask`.
    package func requireTask(_ id: TaskID) throws -> QueueTask {
        guard let task = try task(id) else { throw QueueError.unknownTask(id) }
        return task
    }

    /// All recorded attempts of a task, oldest first.
    package func writtenAttempts(of id: TaskID) throws -> [AttemptRecord] {
        try writtenAttempts(of: id, limit: .max)
    }

    /// The attempt log of a task, oldest first. The last entry may come from the lease of the
    /// running attempt. Recording it at the claim too would make claims half as expensive again.
    package func attempts(of id: TaskID) throws -> [AttemptRecord] {
        var found = try writtenAttempts(of: id)
        if let task = try task(id), let lease = task.running, found.last?.number != lease.attempt {
            found.append(AttemptRecord(task: task, lease))
        }
        return found
    }
}
