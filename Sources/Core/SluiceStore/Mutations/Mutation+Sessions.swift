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

/// Pauses of apps, which end with their processes (D1).
extension Mutation {
    /// Pauses a queue, or the whole store, for as long as a process is attached.
    package func pause(
        _ name: String?, for process: ProcessID, by person: String, reason: String?
    ) throws {
        guard var record = try store.processes().first(where: { $0.id == process }) else {
            throw QueueError(
                .changed, "process \(process) is no longer attached", fix: "start the app again")
        }
        var pause = Pause(cause: .app, by: person, reason: reason, since: now)
        pause.owner = process
        if let name {
            let name = try queue(name).name
            try addPause(pause, to: name)
            if !record.pausedQueues.contains(name) { record.pausedQueues.append(name) }
        } else {
            pause.isOfStore = true
            try addStorePause(pause)
            record.pausesStore = true
        }
        try store.put(record)
        let why = reason.map { ": \($0)" } ?? ""
        try recordEvent(
            "pause", name, "\(name ?? "the store") paused by \(person) while it lives\(why)", person
        )
    }

    /// Ends what a process paused: a queue, or the whole store.
    package func endPause(of name: String?, for process: ProcessID, by person: String) throws {
        guard var record = try store.processes().first(where: { $0.id == process }) else { return }
        if let name {
            let name = try queue(name).name
            record.pausedQueues.removeAll { $0 == name }
        } else {
            record.pausesStore = false
        }
        try store.put(record)
        try lift(name, of: process, by: person, "resumed by \(person)")
    }

    /// Resumes the queues that a process paused for its own lifetime, after it detached or died.
    func endPauses(of process: ProcessID) throws {
        guard let record = try store.processes().first(where: { $0.id == process }) else { return }
        let places = record.pausedQueues.map(Optional.some) + (record.pausesStore ? [nil] : [])
        for place in places {
            try lift(place, of: process, by: "sluice", "resumes: the app that paused it has ended")
        }
    }

    private func lift(
        _ name: String?, of process: ProcessID, by person: String, _ what: String
    ) throws {
        if let name {
            guard let queue = try store.queue(named: name),
                queue.pauses.contains(where: { $0.owner == process })
            else { return }
            try changeQueue(queue.name) { $0.pauses.removeAll { $0.owner == process } }
        } else {
            var record = try store.storeRecord()
            guard record.pauses.contains(where: { $0.owner == process }) else { return }
            record.pauses.removeAll { $0.owner == process }
            record.version += 1
            try store.put(record)
        }
        try recordEvent("resume", name, "\(name ?? "the store") \(what)", person)
    }

    private func recordEvent(_ kind: String, _ queue: String?, _ text: String, _ person: String)
        throws
    {
        try store.append([
            JournalEvent(at: real, kind: kind, queue: queue, task: nil, by: person, text: text)
        ])
    }

    /// Adds a pause of the whole store. It stops the runs that people requested (D4).
    package func addStorePause(_ pause: Pause) throws {
        var record = try store.storeRecord()
        record.pauses = record.pauses.adding(pause, at: now, real: real)
        record.version += 1
        try store.put(record)
        guard pause.direction.stopsWork else { return }
        for queue in try store.queues() where queue.run?.limit != nil {
            try changeQueue(queue.name) { $0.run?.limit = nil }
        }
    }
}
