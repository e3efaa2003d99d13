public import SluiceModel

/// The owners of a session's tasks, and the tasks' ends (section 8).
extension Mutation {
    /// Assigns uncollected tasks of a part of a session to a process, if no attached process waits
    /// for them. Other processes do not get them while it is alive (S3). Excludes tasks that the
    /// process already has.
    package func adopt(
        session: String, by process: ProcessID, from place: SessionPlace, limit: Int
    ) throws -> (entries: [SessionEntry], next: SessionPlace?) {
        let page = try store.awaitedTasks(session: session, from: place, limit: limit)
        let living = Set(try store.processes().map(\.id))
        let free = page.tasks.filter { task in task.collector.map { !living.contains($0) } ?? true }
        let adopted = free.map { task -> QueueTask in
            var task = task
            task.collector = process
            return task
        }
        // Whom a task belongs to is no change of the task: its version stays.
        if !adopted.isEmpty { try store.update(adopted) }
        return (try store.entries(adopted), page.next)
    }

    /// A result was collected: forgets the task unless a setting keeps it (S4, Q9).
    package func acknowledge(_ task: QueueTask) throws {
        try apply(.acknowledge, to: task)
        guard case .succeeded = task.state else { return }
        switch try queue(task.queue).settings.keepFinished {
        case .none, .acknowledged: try store.remove([task.id])
        case .last, .milliseconds: break
        }
    }

    /// Withdraws a task on behalf of its client: trashes it if waiting, asks it to stop if running,
    /// and acknowledges it if ended. The session gets no event (S7).
    package func withdraw(_ task: QueueTask, by person: String) throws {
        guard !task.isAcknowledged else { return }
        var deletion = Deletion(by: person)
        deletion.isByClient = true
        switch task.state {
        case .waiting: try apply(.delete(deletion), to: task)
        case .running: try apply(.requestStop(.deleted, deletion), to: task)
        case .succeeded, .failed, .deleted: try acknowledge(task)
        }
    }

    /// Withdraws tasks of a part of a session, except tasks that other attached processes wait for.
    /// Returns the count and the next place.
    package func withdraw(
        session: String, of process: ProcessID, by person: String, from place: SessionPlace,
        limit: Int
    ) throws -> (count: Int, next: SessionPlace?) {
        let page = try store.awaitedTasks(session: session, from: place, limit: limit)
        let others = Set(try store.processes().map(\.id)).subtracting([process])
        var count = 0
        for task in page.tasks where task.collector.map({ !others.contains($0) }) ?? true {
            if task.running?.deletion?.isByClient == true { continue }
            try withdraw(task, by: person)
            count += 1
        }
        return (count, page.next)
    }

    /// Enqueues a task again, optionally with another type or payload, and withdraws the old one in
    /// the same commit (PN-09). Returns the new number.
    package func reissue(
        _ task: QueueTask, type: String?, payload: [UInt8]?, collector: ProcessID,
        by person: String
    ) throws -> TaskID {
        let former = try store.payload(of: task.id) ?? []
        var request = EnqueueRequest(copying: task, payload: payload ?? former)
        request.type = type ?? task.type
        request.session = task.session
        request.clientString = task.clientString
        request.collector = collector
        try withdraw(task, by: person)
        return try enqueue([request], to: task.queue).ids.first ?? task.id
    }
}

extension EnqueueRequest {
    /// The same work again: the given properties, without attempts and results.
    public init(copying task: QueueTask, payload: [UInt8]) {
        self.init(type: task.type, payload: payload)
        priority = task.priority
        sortKey = task.sortKey
        groupMembers = task.groupMembers
        groupStart = task.groupStart
        attemptLimit = task.attemptLimit
        requires = task.requires
        isRequired = task.isRequired
        label = task.label
        headers = task.headers
    }
}
