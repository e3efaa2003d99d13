package import SluiceModel

extension EnqueueRequest {
    /// The waiting task for a valid request. The caller sets its position and the queue's default
    /// expiry. `now` is the store's clock, `real` is real time.
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
        if !headers.isEmpty { task.headers = headers }
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
