public import QueueModel

/// A task as somebody hands it over.
public struct EnqueueRequest: Hashable, Sendable {
    /// The type.
    public var type: String
    /// The payload.
    public var payload: [UInt8]
    /// Its priority.
    public var priority: Int64 = 0
    /// Its key, for the order `key`.
    public var sortKey: SortKey?
    /// The group it starts.
    public var groupStart: String?
    /// The groups it belongs to.
    public var groupMembers: [String] = []
    /// Not before this moment.
    public var notBefore: Timestamp?
    /// Counted executions allowed; nil takes the queue's.
    public var attemptLimit: Int?
    /// When it expires; nil takes the queue's.
    public var expiresAt: Timestamp?
    /// What it needs.
    public var requires: Set<Requirement> = []
    /// Whether giving it up pauses the queue.
    public var isRequired = false
    /// Its unique key.
    public var uniqueKey: String?
    /// What happens when a task with the key waits.
    public var uniquePolicy = UniquePolicy.keep
    /// A person's word for it.
    public var label: String?
    /// Its session.
    public var session: String?
    /// What the session's owner wants back.
    public var clientString: String?
    /// The task whose handler enqueues it.
    public var parent: TaskID?
    /// How deep it stands under its parents.
    public var depth = 0
    /// When it was made, where it comes from elsewhere; nil for now.
    public var createdAt: Timestamp?
    /// Counted executions that it had elsewhere.
    public var attempts = 0

    /// A task of a type with a payload.
    public init(type: String, payload: [UInt8] = []) {
        self.type = type
        self.payload = payload
    }
}

/// What became of an enqueue.
public struct EnqueueResult: Hashable, Sendable {
    /// The numbers, in the order of the requests; a kept one gives the waiting task's.
    public var ids: [TaskID]
    /// Those of them that are new.
    public var added: [TaskID]
    /// Whether the queue was made.
    public var createdQueue = false

    /// A result with its numbers.
    public init(ids: [TaskID] = [], added: [TaskID] = []) {
        self.ids = ids
        self.added = added
    }
}

/// The distance between two tasks that arrive one after the other: room for `move`.
public let positionGap: Int64 = 1 << 20

extension Mutation {
    /// Adds tasks to a queue, all or none (T3); makes the queue with Q11's defaults where there is
    /// none. A follow-up of a success passes `isEffect`: what was done is never refused (A3).
    public func enqueue(
        _ requests: [EnqueueRequest], to name: String, isEffect: Bool = false
    ) throws -> EnqueueResult {
        try Names.check(name, of: "queue name")
        var result = EnqueueResult()
        if try store.queue(named: name) == nil {
            try store.put(QueueRecord(name: name, createdAt: now))
            result.createdQueue = true
        }
        let queue = try queue(name)
        if !isEffect { try refuseWhenFull(queue, adding: requests.count) }
        var position = (try store.positions(queue: name)?.upperBound ?? 0)
        var id = try store.takeTaskIDs(requests.count)
        var batch: [NewTask] = []
        for request in requests {
            try check(request, queue)
            position += positionGap
            var entry = make(request, id: id, position: position, queue: queue)
            if request.uniqueKey != nil || entry.task.hasGroupRole {
                // What follows asks about the tasks before it, so they must be there.
                try insert(&batch)
            }
            if let kept = try settleUnique(request, &entry.task, isEffect: isEffect) {
                result.ids.append(kept)
                continue
            }
            entry.task.isHeld = try isHeld(entry.task)
            result.ids.append(id)
            result.added.append(id)
            batch.append(entry)
            id += 1
        }
        try insert(&batch)
        return result
    }

    private func insert(_ batch: inout [NewTask]) throws {
        guard !batch.isEmpty else { return }
        try store.insert(batch)
        for entry in batch { record(before: nil, after: entry.task) }
        for entry in batch where entry.task.groupStart != nil {
            try followGroup(from: nil, to: entry.task)
        }
        batch.removeAll(keepingCapacity: true)
    }

    private func refuseWhenFull(_ queue: QueueRecord, adding count: Int) throws {
        let pauses = try store.storeRecord().pauses + queue.pauses
        if let pause = pauses.first(where: {
            $0.direction.stopsEnqueues && $0.isActive(at: now)
        }) {
            throw QueueError(
                .enqueuePaused,
                "\(queue.name) takes no tasks: paused by \(pause.by)"
                    + (pause.reason.map { " (\($0))" } ?? ""),
                fix: "sluice resume \(pause.cause == .store ? "--all" : queue.name)")
        }
        guard let limit = queue.settings.maximumLength else { return }
        let waiting = try store.counts(queue: queue.name)[.waiting]
        guard waiting + count > limit else { return }
        throw QueueError(
            .queueFull, "\(queue.name) holds \(waiting) waiting tasks of at most \(limit)",
            fix: "wait until it has drained, or sluice queue set \(queue.name) --max-length N")
    }

    private func check(_ request: EnqueueRequest, _ queue: QueueRecord) throws {
        try Names.check(request.type, of: "type")
        if let group = request.groupStart { try Names.check(group, of: "group") }
        for group in request.groupMembers { try Names.check(group, of: "group") }
        if let key = request.uniqueKey { try Names.check(key, of: "unique key") }
        if let limit = request.attemptLimit, limit < 1 {
            throw QueueError(
                .badValue, "attempts is \(limit)", fix: "a task needs at least 1 attempt")
        }
        let most = queue.settings.maximumPayloadBytes
        if request.payload.count > most {
            throw QueueError(
                .payloadTooLarge,
                "the payload has \(request.payload.count) bytes, and \(queue.name) takes at most "
                    + "\(SizeText.compact(most))",
                fix: "sluice queue set \(queue.name) --max-payload SIZE allows more")
        }
        if request.depth > queue.settings.maximumDepth {
            throw QueueError(
                .tooDeep,
                "a chain of follow-ups \(request.depth) deep, and \(queue.name) allows "
                    + "\(queue.settings.maximumDepth)",
                fix: "a task keeps enqueueing itself, or sluice queue set \(queue.name) "
                    + "--max-depth N")
        }
    }

    private func make(
        _ request: EnqueueRequest, id: TaskID, position: Int64, queue: QueueRecord
    ) -> NewTask {
        var task = QueueTask(
            id: id, queue: queue.name, type: request.type, position: position,
            createdAt: request.createdAt ?? now)
        task.updatedAt = now
        task.priority = request.priority
        task.sortKey = request.sortKey
        task.groupStart = request.groupStart
        task.groupMembers = request.groupMembers
        task.requires = request.requires
        task.isRequired = request.isRequired
        task.attempts = request.attempts
        task.executions = request.attempts
        task.attemptLimit = request.attemptLimit
        if request.groupStart == nil || queue.settings.startsExpire {
            task.expiresAt =
                request.expiresAt ?? queue.settings.expiresAfterMilliseconds.map { now + $0 }
        }
        task.uniqueKey = request.uniqueKey
        task.label = request.label
        task.session = request.session
        task.clientString = request.clientString
        task.parent = request.parent
        task.depth = request.depth
        let fresh = max(now, (queue.lastRunEnd ?? now) + (queue.lastRunEnd == nil ? 0 : 1))
        task.freshAt = fresh
        if let begin = request.notBefore, begin > now {
            task.state = .waiting(
                Waiting(timer: WaitTimer(until: begin, cause: .notBefore, since: now)))
            task.freshAt = max(begin, fresh)
        }
        return NewTask(task: task, payload: request.payload)
    }

    /// The unique key's rule (T5): the number of the task that is kept instead, or nil to add.
    private func settleUnique(
        _ request: EnqueueRequest, _ task: inout QueueTask, isEffect: Bool
    ) throws -> TaskID? {
        guard let key = request.uniqueKey else { return nil }
        let policy = isEffect && request.uniquePolicy == .reject ? .keep : request.uniquePolicy
        let holders = try store.uniqueHolders(
            queue: task.queue, type: task.type, key: key, includingRunning: policy == .reject)
        guard let holder = holders.first else { return nil }
        switch policy {
        case .keep: return holder
        case .reject:
            throw QueueError(
                .uniqueTaken, "#\(holder) already has the unique key \"\(key)\"",
                fix: "use keep or replace, or delete #\(holder) first")
        case .replace:
            try replace(try store.requireTask(holder), by: &task)
            return nil
        }
    }

    private func replace(_ older: QueueTask, by task: inout QueueTask) throws {
        if let group = older.groupStart, task.groupStart != group,
            !(try store.waitingMembers(
                queue: older.queue, group: group, after: older.position, through: nil, limit: 1
            ).isEmpty)
        {
            throw QueueError(
                .uniqueTaken, "#\(older.id) starts the group \(group), which has members",
                fix: "start the same group, or delete #\(older.id) first")
        }
        try apply(.delete(Deletion(by: "replace", members: .release)), to: older)
        task.position = older.position + 1
    }
}
