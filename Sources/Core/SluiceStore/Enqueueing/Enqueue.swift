public import SluiceModel

/// A request to enqueue one task.
public struct EnqueueRequest: Hashable, Sendable {
    /// The type.
    public var type: String
    /// The payload.
    public var payload: [UInt8]
    /// Its priority. The default is the rank of its type in the queue, or 0.
    public var priority: Int {
        get { ownPriority ?? 0 }
        set { ownPriority = newValue }
    }
    /// The priority that it was given; nil for none.
    package var ownPriority: Int?
    /// Its priority by a name that the queue has for it; nil takes `priority`.
    public var priorityName: String?
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
    /// The requirements of the task.
    public var requires: Set<Requirement> = []
    /// Whether giving it up pauses the queue.
    public var isRequired = false
    /// Its unique key.
    public var uniqueKey: String?
    /// The rule if a task with the key is waiting.
    public var uniquePolicy = UniquePolicy.keep
    /// How long the task has its unique key.
    package var uniqueTime = UniqueTime.waiting
    /// A person's word for it.
    public var label: String?
    /// Texts by name for its handler, such as `traceparent` (T7).
    public var headers: [String: String] {
        get { givenHeaders ?? [:] }
        set { givenHeaders = newValue.isEmpty ? nil : newValue }
    }
    package var session: String?
    /// A string that the session's owner gets back with the result.
    public var clientString: ClientString?
    /// The attached process that waits for its end (S3).
    package var collector: ProcessID?
    /// The task whose handler enqueues it.
    public var parent: TaskID?
    package var scheduled: ScheduledMoment?
    /// The depth in its chain of parents.
    package var depth = 0
    /// The creation time if the task comes from elsewhere; `nil` for now.
    package var createdAt: Timestamp?
    /// Counted executions that it had elsewhere.
    package var attempts = 0
    /// The line of a file that says it, for errors; nil where it comes from no file.
    package var line: Int?
    /// Most requests have none, and a copy of nil costs less than one of an empty dictionary.
    private var givenHeaders: [String: String]?

    /// A task of a type with a payload. The queue's settings supply omitted values.
    public init(
        type: String, payload: [UInt8] = [], priority: Int? = nil, sortKey: SortKey? = nil,
        groupStart: String? = nil, groupMembers: [String] = [], notBefore: Timestamp? = nil,
        expiresAt: Timestamp? = nil, attemptLimit: Int? = nil, uniqueKey: String? = nil,
        label: String? = nil, headers: [String: String] = [:]
    ) {
        self.type = type
        self.payload = payload
        (ownPriority, self.sortKey) = (priority, sortKey)
        (self.groupStart, self.groupMembers) = (groupStart, groupMembers)
        (self.notBefore, self.expiresAt) = (notBefore, expiresAt)
        (self.attemptLimit, self.uniqueKey, self.label) = (attemptLimit, uniqueKey, label)
        self.headers = headers
    }
}

package struct EnqueueResult: Hashable, Sendable {
    /// The numbers, in the order of the requests; a kept one gives the waiting task's.
    package var ids: [TaskID]
    /// The newly added ones of `ids`.
    package var added: [TaskID]
    package var createdQueue = false

    /// The tasks that were kept instead of new ones, each as often as it was.
    package var kept: [TaskID] {
        guard ids.count > added.count else { return [] }
        var rest = added[...]
        return ids.filter { id in
            guard rest.first == id else { return true }
            rest.removeFirst()
            return false
        }
    }

    package init(ids: [TaskID] = [], added: [TaskID] = []) {
        self.ids = ids
        self.added = added
    }
}

/// The distance between two tasks that arrive one after the other: room for `move`.
package let positionGap: Int64 = 1 << 20

extension Mutation {
    /// Adds tasks to a queue, all or none (T3). Creates a missing queue with the defaults of Q11. A
    /// follow-up of a success passes `isEffect`: it is never refused, because the work is done
    /// (A3).
    package func enqueue(
        _ requests: [EnqueueRequest], to name: String, isEffect: Bool = false
    ) throws -> EnqueueResult {
        var rest = CollectionOfOne(requests).makeIterator()
        return try enqueue(to: name, isEffect: isEffect) { rest.next() }
    }

    /// The same with tasks that come by the batch, until `next` gives none.
    package func enqueue(
        to name: String, isEffect: Bool = false, _ next: () throws -> [EnqueueRequest]?
    ) throws -> EnqueueResult {
        try Names.check(name, of: "queue")
        var intake = Intake(isEffect: isEffect)
        if try store.queue(named: name) == nil {
            try store.put(QueueRecord(name: Names.composed(name), createdAt: now))
            intake.result.createdQueue = true
        }
        let queue = try queue(name)
        let settings = queue.settings
        let hasKeys = settings.hasUniqueRules
        try expectArrivals(in: queue)
        intake.room = isEffect ? Int.max / 2 : try room(in: queue)
        intake.position = try store.lastPosition(queue: name)
        while let requests = try next() {
            var id = try store.reserveTaskIDs(requests.count)
            for index in requests.indices {
                let composed =
                    requests[index].isComposed ? requests[index] : requests[index].composed
                let request = hasKeys ? composed.keyed(by: settings) : composed
                try request.check(settings, queue: name)
                if try take(request, as: id, in: queue, settings, &intake) { id += 1 }
            }
            // Insert each task before reading the next: payloads may be large.
            try insert(&intake.batch)
        }
        return intake.result
    }

    private struct Intake {
        var isEffect: Bool
        var result = EnqueueResult()
        var room = 0
        var position: Int64 = 0
        var batch: [NewTask] = []
    }

    /// Adds a task; true if it is new.
    private func take(
        _ request: EnqueueRequest, as id: TaskID, in queue: QueueRecord,
        _ settings: QueueSettings, _ intake: inout Intake
    ) throws -> Bool {
        intake.position += positionGap
        var entry = try make(
            request, id: id, position: intake.position, queue: queue.name, settings)
        if request.uniqueKey != nil || entry.task.hasGroupRole {
            // The rule queries the earlier tasks, so insert them first.
            try insert(&intake.batch)
        }
        switch try settleUnique(request, &entry.task, isEffect: intake.isEffect) {
        case .kept(let kept):
            intake.result.ids.append(kept)
            return false
        case .replaced: intake.room += 1
        case .free: break
        }
        guard intake.room > 0 else {
            throw try fullError(queue, adding: intake.result.added.count)
        }
        intake.room -= 1
        entry.task.isHeld = try isHeld(entry.task)
        intake.result.ids.append(id)
        intake.result.added.append(id)
        intake.batch.append(consume entry)
        // Full batches go to the store, to limit memory.
        if intake.batch.count == Self.insertedAtOnce { try insert(&intake.batch) }
        return true
    }

    private static let insertedAtOnce = 512

    private func insert(_ batch: inout [NewTask]) throws {
        guard !batch.isEmpty else { return }
        try store.insert(batch)
        if let first = batch.indices.first(where: { batch[$0].task.waitFlags == .ready }) {
            enqueuedQueues.insert(batch[first].task.queue)
        }
        for index in batch.indices {
            recordMade(batch[index].task.id, version: batch[index].task.version)
        }
        for index in batch.indices where batch[index].task.groupStart != nil {
            try followGroup(from: nil, to: batch[index].task)
        }
        batch.removeAll(keepingCapacity: true)
    }

    /// How many more tasks may wait; throws where none may come in now (D1, T6).
    func room(in queue: QueueRecord) throws -> Int {
        let pauses = try store.storeRecord().pauses + queue.pauses
        if let pause = pauses.first(where: {
            $0.direction.stopsEnqueues && $0.isActive(at: now)
        }) {
            throw QueueError(
                .enqueuePaused,
                "\(queue.name) takes no tasks: paused by \(pause.by)"
                    + (pause.reason.map { " (\($0))" } ?? ""),
                fix: "sluice "
                    + (pause.isOfStore
                        ? "resume --all" : ShellWord.command("resume", queue.name)))
        }
        guard let limit = queue.settings.maximumLength else { return .max / 2 }
        return max(0, limit - (try store.counts(queue: queue.name)[.waiting]))
    }

    func fullError(_ queue: QueueRecord, adding count: Int) throws -> QueueError {
        let limit = queue.settings.maximumLength ?? 0
        let more = count == 0 ? "" : ", and \(count) of these would fill it"
        return QueueError(
            .queueFull, "\(queue.name) holds at most \(limit) waiting tasks\(more)",
            fix: "wait until it has drained, or sluice "
                + ShellWord.command("queue set", queue.name, " --max-length N"))
    }

    private func make(
        _ request: EnqueueRequest, id: TaskID, position: Int64, queue: String,
        _ settings: QueueSettings
    ) throws(QueueError) -> NewTask {
        let priority = try request.priority(in: settings, queue: queue)
        var new = NewTask(
            task: request.task(
                id: id, queue: queue, createdAt: request.createdAt ?? now, now: now,
                real: real),
            payload: request.payload)
        new.task.priority = priority
        new.task.position = position
        if settings.isRequired(type: request.type) { new.task.isRequired = true }
        let expires = request.groupStart == nil || settings.startsExpire
        let own = settings.expiresAfterMilliseconds.map { now + $0 }
        new.task.expiresAt = expires ? request.expiresAt ?? own : nil
        return new
    }

    /// The effect of a unique key on a new task.
    private enum KeyRule {
        case free, replaced
        case kept(TaskID)
    }

    /// Applies the rule of the unique key (T5). Never rejects effects of a success (A3).
    private func settleUnique(
        _ request: EnqueueRequest, _ task: inout QueueTask, isEffect: Bool
    ) throws -> KeyRule {
        guard let key = request.uniqueKey else { return .free }
        let policy = isEffect && request.uniquePolicy == .reject ? .keep : request.uniquePolicy
        let includesRunning = policy == .reject || request.uniqueTime != .waiting
        let holders = try store.uniqueHolders(
            queue: task.queue, type: task.type, key: key, includingRunning: includesRunning)
        guard let holder = try holders.first ?? ended(with: key, request, task) else {
            return .free
        }
        switch policy {
        case .keep: return .kept(holder)
        case .reject:
            throw QueueError(
                .uniqueTaken, "#\(holder) already has the unique key \"\(key)\"",
                fix: "use keep or replace, or delete #\(holder) first")
        case .replace:
            let waiting = try store.tasks(holders).first { $0.waiting != nil }
            guard let older = waiting else { return .kept(holder) }
            if let group = older.groupStart, task.groupStart != group, try hasMembers(older) {
                if isEffect { return .kept(holder) }
                throw QueueError(
                    .uniqueTaken, "#\(older.id) starts the group \(group), which has members",
                    fix: "start the same group, or delete #\(older.id) first")
            }
            try replace(older, by: &task)
            return .replaced
        }
    }

    /// The ended task that has the key for a time after its enqueue.
    private func ended(
        with key: String, _ request: EnqueueRequest, _ task: QueueTask
    ) throws -> TaskID? {
        guard case .milliseconds(let time) = request.uniqueTime else { return nil }
        let uses = TaskSelection.keyUses(queue: task.queue, type: task.type, key: key)
        return try store.first(uses).flatMap { now - $0.createdAt < time ? $0.id : nil }
    }

    private func hasMembers(_ start: QueueTask) throws -> Bool {
        try !store.tasks(
            .waitingMembers(
                queue: start.queue, group: start.groupStart ?? "", after: start.position), limit: 1
        ).isEmpty
    }

    /// Puts the newer task directly after the older one, which goes to the trash. If that position
    /// is taken, the newer task gets the older one's position, and the older one the next free
    /// position before it.
    private func replace(_ older: QueueTask, by task: inout QueueTask) throws {
        var older = older
        task.position = older.position + 1
        if try store.neighbour(queue: older.queue, of: older.position, isBefore: false)
            == task.position
        {
            task.position = older.position
            older.position = try freePosition(before: older)
        }
        try apply(.delete(Deletion(by: "replace", members: .release)), to: older)
    }

    private func freePosition(before task: QueueTask) throws -> Int64 {
        var position = task.position - 1
        while try store.neighbour(queue: task.queue, of: position + 1, isBefore: true) == position {
            position -= 1
        }
        return position
    }
}
