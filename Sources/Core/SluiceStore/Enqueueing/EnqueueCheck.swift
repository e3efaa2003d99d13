package import SluiceModel

extension EnqueueRequest {
    /// Whether the names are certainly in stored form already, by a cheap check (T6).
    var isComposed: Bool {
        groupMembers.isEmpty && groupStart == nil && uniqueKey == nil && session == nil
            && headers.isEmpty && type.utf8.allSatisfy { $0 < 0x80 }
    }

    /// The request with its names in stored form (T6).
    var composed: EnqueueRequest {
        var request = self
        request.type = Names.composed(type)
        request.groupStart = groupStart.map(Names.composed)
        request.groupMembers = groupMembers.map(Names.composed)
        request.uniqueKey = uniqueKey.map(Names.composed)
        request.session = session.map(Names.composed)
        request.headers = TaskHeaders.composed(headers)
        return request
    }

    /// The same with the key that a rule of the queue takes from the payload (T5).
    func keyed(by settings: QueueSettings) -> EnqueueRequest {
        guard uniqueKey == nil, let rule = settings.unique(ofType: type),
            let key = rule.path.text(in: payload)
        else { return self }
        var keyed = self
        keyed.uniqueKey = Names.composed(key)
        (keyed.uniquePolicy, keyed.uniqueTime) = (rule.policy, rule.time)
        return keyed
    }

    /// Throws where the task can never come into a queue with these settings: its names, its
    /// attempt limit, its size, its depth (T6).
    package func check(_ settings: QueueSettings, queue: String) throws(QueueError) {
        do throws(QueueError) {
            try checkFields(settings, queue: queue)
        } catch {
            guard let line else { throw error }
            throw error.ofLine(line, then: "nothing was enqueued")
        }
    }

    private func checkFields(_ settings: QueueSettings, queue: String) throws(QueueError) {
        try Names.check(type, of: "type")
        if let groupStart { try Names.check(groupStart, of: "group") }
        for group in groupMembers { try Names.check(group, of: "group") }
        if let uniqueKey {
            try Names.check(uniqueKey, of: "unique key")
            try settings.checkKeys(for: uniqueTime, queue: queue)
        }
        if let session { try Names.check(session, of: "session") }
        try clientString?.check()
        if !headers.isEmpty { try TaskHeaders.check(headers) }
        _ = try priority(in: settings, queue: queue)
        if let limit = attemptLimit, limit < 1 {
            throw QueueError(
                .badValue, "attempts is \(limit)", fix: "a task needs at least 1 attempt")
        }
        try settings.check(payloadBytes: payload.count, queue: queue)
        if depth > settings.maximumDepth {
            throw QueueError(
                .tooDeep,
                "a chain of follow-ups \(depth) deep, and \(queue) allows "
                    + "\(settings.maximumDepth)",
                fix: "a task keeps enqueueing itself, or sluice "
                    + ShellWord.command("queue set", queue, " --max-depth N"))
        }
    }
}

extension EnqueueRequest {
    func priority(in settings: QueueSettings, queue: String) throws(QueueError) -> Int {
        guard let priorityName else {
            return ownPriority ?? settings.ranks.priority(of: type) ?? 0
        }
        return try settings.priority(of: PriorityWord(priorityName), queue: queue)
    }
}

extension QueueSettings {
    /// Throws `payloadTooLarge` where a payload has more bytes than a queue with these settings
    /// takes (T6).
    package func check(payloadBytes: Int, queue: String) throws(QueueError) {
        guard payloadBytes > maximumPayloadBytes else { return }
        throw QueueError(
            .payloadTooLarge,
            "the payload has \(payloadBytes) bytes, and \(queue) takes at most "
                + "\(SizeText.compact(maximumPayloadBytes))",
            fix:
                "sluice \(ShellWord.command("queue set", queue, " --max-payload SIZE")) allows more"
        )
    }
}

extension QueueSettings {
    /// Whether the queue, or one of its types, takes keys from payloads.
    var hasUniqueRules: Bool {
        unique != nil || types.values.contains { $0.unique != nil }
    }
}

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

/// A warning after an enqueue: the task is a member of a group without a start in its queue. The
/// enqueue remains valid, but no start holds the task, because starts hold only members of their
/// queue (B5).
package struct GroupMistake: Hashable, Sendable, CustomStringConvertible {
    package let task: TaskID
    package let queue: String
    package let group: String
    /// Another queue with a waiting or running start of that name, or `nil` if none was found.
    package let startQueue: String?

    package var description: String {
        let place = startQueue.map {
            "starts in \($0), and a start holds only members of its queue"
        }
        return "nothing holds #\(task) in \(queue): the group \(group) "
            + (place ?? "has no start")
    }
}

extension StoreReader {
    /// The warnings for tasks just enqueued. Checks their first few groups, and skips groups that
    /// may have had a start which ended. Searches the first hundred other queues for a start.
    package func groupMistakes(of ids: [TaskID]) throws -> [GroupMistake] {
        var found: [GroupMistake] = []
        var seen: Set<[String]> = []
        for task in try tasks(Array(ids.prefix(1_000))) {
            for group in task.groupMembers where seen.insert([task.queue, group]).inserted {
                guard seen.count <= 16 else { return found }
                guard try !mayBeStarted(group, in: task.queue) else { continue }
                found.append(
                    GroupMistake(
                        task: task.id, queue: task.queue, group: group,
                        startQueue: try queueThatStarts(group, besides: task.queue)))
            }
        }
        return found
    }

    private func mayBeStarted(_ group: String, in queue: String) throws -> Bool {
        if try holds(group, in: queue) { return true }
        return try [TaskState.Name.succeeded, .failed, .deleted].contains { state in
            var query = TaskQuery(queue: queue, state: state, limit: 1)
            query.group = group
            return try !tasks(matching: query).isEmpty
        }
    }

    private func holds(_ group: String, in queue: String) throws -> Bool {
        try first(.holdingStarts(queue: queue, group: group, after: .min, before: .max)) != nil
    }

    private func queueThatStarts(_ group: String, besides queue: String) throws -> String? {
        try queues(behind: 0, limit: 100).map(\.name).first {
            try $0 != queue && holds(group, in: $0)
        }
    }
}
