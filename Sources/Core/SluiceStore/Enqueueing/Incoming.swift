package import SluiceModel

/// How tasks come in that were in another store, or in none.
extension Mutation {
    /// Adds tasks to the ends of their existing queues, in the given order and with their states;
    /// running tasks wait again. Skips known tasks, so that a repeated import adds nothing. With
    /// `again` it adds removed tasks once more.
    ///
    /// Throws if no task may be added (`enqueuePaused`, `queueFull`). The result has the errors of
    /// single tasks.
    package func bringIn(_ tasks: [IncomingTask], again: Bool = false) throws -> IncomingResult {
        let identity = try store.storeRecord().identity
        var rooms: [String: Int] = [:]
        var ends: [String: Int64] = [:]
        var result = IncomingResult()
        for (place, incoming) in tasks.enumerated() {
            guard try isNew(incoming.origin, identity, again: again) else {
                result.known += 1
                continue
            }
            let queue = try queue(incoming.task.queue)
            do throws(QueueError) {
                try incoming.check(queue.settings)
            } catch {
                result.refused[place] = error
                continue
            }
            let isWaiting = incoming.task.waiting != nil || incoming.task.running != nil
            if isWaiting, try isTaken(incoming.task, in: queue) {
                result.refused[place] = takenError(incoming.task)
                continue
            }
            if rooms[queue.name] == nil { rooms[queue.name] = try room(in: queue) }
            if isWaiting {
                guard rooms[queue.name, default: 0] > 0 else {
                    throw try fullError(queue, adding: result.added.count)
                }
                rooms[queue.name, default: 0] -= 1
            }
            let last = try ends[queue.name] ?? store.lastPosition(queue: queue.name)
            ends[queue.name] = last + positionGap
            let id = try number(for: incoming)
            try insert(incoming, as: id, position: last + positionGap, in: queue, identity)
            result.added.append(id)
        }
        return result
    }

    private func number(for incoming: IncomingTask) throws -> TaskID {
        guard incoming.keepsNumber else { return try store.reserveTaskIDs(1) }
        // Numbering continues after the largest number.
        let (id, next) = (incoming.task.id, try store.reserveTaskIDs(0))
        if id >= next { _ = try store.reserveTaskIDs(Int(id - next + 1)) }
        return id
    }

    /// Whether no task of that origin is here, or was.
    private func isNew(_ origin: String, _ identity: String, again: Bool) throws -> Bool {
        let noted = try store.task(ofOrigin: origin) ?? TaskOrigin.id(of: origin, in: identity)
        guard let noted else { return true }
        return try again && store.task(noted) == nil
    }

    private func insert(
        _ incoming: IncomingTask, as id: TaskID, position: Int64, in queue: QueueRecord,
        _ identity: String
    ) throws {
        var task = incoming.task.brought(
            as: id, position: position, into: queue, now: now, real: real)
        if let origin = incoming.parentOrigin {
            task.parent =
                try store.task(ofOrigin: origin) ?? TaskOrigin.id(of: origin, in: identity)
        }
        if incoming.takesExpiry, task.expiresAt == nil {
            task.expiresAt = queue.settings.expiry(of: task, from: now)
        }
        if task.waiting != nil { task.isHeld = try isHeld(task) }
        try store.putOrigin(incoming.origin, of: id)
        try store.insert([NewTask(task: task, payload: incoming.payload)])
        if let result = incoming.result { try store.setResult(result, of: id) }
        try store.put(
            incoming.attempts.map { attempt in
                var attempt = attempt
                (attempt.task, attempt.queue, attempt.endSequence) = (id, queue.name, -1)
                return attempt
            })
        record(before: nil, after: task)
        if task.groupStart != nil { try followGroup(from: nil, to: task) }
    }

    private func isTaken(_ task: QueueTask, in queue: QueueRecord) throws -> Bool {
        guard let key = task.uniqueKey.map(Names.composed) else { return false }
        return try !store.uniqueHolders(
            queue: queue.name, type: Names.composed(task.type), key: key, includingRunning: false
        ).isEmpty
    }

    private func takenError(_ task: QueueTask) -> QueueError {
        QueueError(
            .uniqueTaken, "another task waits with the unique key \"\(task.uniqueKey ?? "")\"",
            fix: "delete that one and import again")
    }
}

extension IncomingTask {
    /// Throws where the task can never be in a queue with these settings (T6).
    package func check(_ settings: QueueSettings) throws(QueueError) {
        var request = EnqueueRequest(type: task.type, payload: payload)
        request.groupStart = task.groupStart
        request.groupMembers = task.groupMembers
        request.attemptLimit = task.attemptLimit
        request.uniqueKey = task.uniqueKey
        request.session = task.session
        request.clientString = task.clientString
        request.headers = task.headers
        request.depth = task.depth
        try request.check(settings, queue: task.queue)
        try Names.check(origin, of: "origin")
    }
}

extension QueueTask {
    /// The task as added to another store: attempts, runs and edits of the old store have no
    /// meaning there.
    fileprivate func brought(
        as id: TaskID, position: Int64, into queue: QueueRecord, now: Timestamp,
        real: Timestamp
    ) -> QueueTask {
        var task = self
        (task.id, task.queue, task.position) = (id, queue.name, position)
        (task.version, task.updatedAt, task.parent, task.isHeld) = (1, real, nil, false)
        task.collector = nil
        task.type = Names.composed(type)
        task.groupStart = groupStart.map(Names.composed)
        task.groupMembers = groupMembers.map(Names.composed)
        task.uniqueKey = uniqueKey.map(Names.composed)
        task.session = session.map(Names.composed)
        task.headers = TaskHeaders.composed(headers)
        task.state = state.brought
        task.freshAt = Timestamp(milliseconds: 0)
        if let waiting = task.waiting { task.freshAt = max(now, waiting.timer?.until ?? now) }
        return task
    }
}

extension TaskState {
    /// The state in another store, without attempts, runs and edits of this one.
    var brought: TaskState {
        switch self {
        case .running: return .waiting(Waiting())
        case .waiting(var waiting):
            waiting.attemptedInRun = false
            waiting.lingering = nil
            if let cause = waiting.parking?.cause, [.editing, .breakpoint].contains(cause) {
                waiting.parking = nil
            }
            waiting.parking?.owner = nil
            return .waiting(waiting)
        case .deleted(var trash):
            trash.former = trash.former.brought
            if trash.startPolicy == .skipRun { trash.startPolicy = .release }
            return .deleted(trash)
        case .failed(var failure):
            failure.lingering = nil
            if failure.startPolicy == .skipRun { failure.startPolicy = .release }
            return .failed(failure)
        case .succeeded: return self
        }
    }
}
