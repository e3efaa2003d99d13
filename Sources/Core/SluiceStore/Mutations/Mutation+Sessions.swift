public import SluiceModel

/// Who waits for the tasks of a session, and what becomes of them (section 8).
extension Mutation {
    /// Gives a process the tasks of a part of a session that no attached process waits for, so that
    /// nobody else is offered them while it lives (S3); what it has already is not among them.
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

    /// A result was collected: the task is forgotten where nothing else keeps it (S4, Q9).
    package func acknowledge(_ task: QueueTask) throws {
        try apply(.acknowledge, to: task)
        guard case .succeeded = task.state else { return }
        switch try queue(task.queue).settings.keepFinished {
        case .none, .acknowledged: try store.remove([task.id])
        case .last, .milliseconds: break
        }
    }

    /// Its client no longer wants a task: a waiting one goes to the trash, a running one is told to
    /// stop, and what has ended is acknowledged; its session hears nothing of it (S7).
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

    /// Withdraws the tasks of a part of a session that `process`, or nobody, waits for; gives how
    /// many, and where to go on.
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

    /// Hands a task over once more, of another type or with another payload where they are given,
    /// and withdraws the former one in the same commit (PN-09); gives the new number.
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
    /// The same work once more: what a person or program said of it, not what became of it.
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
    }
}
