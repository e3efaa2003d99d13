package import SluiceModel

extension EnqueueRequest {
    /// The task that waits when the request is granted; its position, and what its queue says about
    /// its expiry, are still to be set. `now` is by the clock of the store, `real` in real time.
    package func task(
        id: TaskID, queue: String, createdAt: Timestamp, now: Timestamp,
        real: Timestamp? = nil
    ) -> QueueTask {
        var task = QueueTask(id: id, queue: queue, type: type, position: 0, createdAt: createdAt)
        task.updatedAt = real ?? now
        task.priority = priority
        task.sortKey = sortKey
        task.groupStart = groupStart
        task.groupMembers = groupMembers
        task.requires = requires
        task.isRequired = isRequired
        task.attempts = attempts
        task.executions = attempts
        task.attemptLimit = attemptLimit
        task.expiresAt = expiresAt
        task.uniqueKey = uniqueKey
        task.label = label
        task.session = session
        task.clientString = clientString
        task.collector = collector
        task.parent = parent
        task.scheduled = scheduled
        task.depth = depth
        task.freshAt = now
        if let begin = notBefore, begin > now {
            task.state = .waiting(
                Waiting(timer: WaitTimer(until: begin, cause: .notBefore, since: now)))
            task.freshAt = begin
        }
        return task
    }
}
