import SluiceModel
import SluiceSystem

extension LaravelSystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try queueNames() {
            if let detail = try listed(reference, in: queue) { return detail }
            if let found = try member(reference, in: queue) {
                return found.member.job.detail(found.member.task)
            }
        }
        for horizon in horizons {
            guard let ended = try horizon.ended(reference) else { continue }
            return ended.job.detail(in: ended.job.queue, ended.display)
        }
        return nil
    }

    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let ended = tasks.filter { [.failed, .succeeded].contains($0.display) }
        var found: [ExactText: ForeignDetail] = [:]
        for horizon in ended.isEmpty ? [] : horizons {
            for (task, job) in zip(ended, try horizon.jobs(ended.map(\.reference))) {
                found[task.reference] = job?.detail(in: task.queue, task.display)
            }
        }
        return try tasks.map { task in
            if let detail = found[task.reference] { return detail }
            return try seen[task.reference].flatMap { detail(task, in: $0) }
                ?? detail(task.reference)
        }
    }

    /// A job in one of a queue's sorted sets.
    private func member(
        _ reference: String, in queue: String
    ) throws -> (key: [UInt8], member: Member)? {
        let keys = keys(of: queue)
        for (key, display) in [
            (keys.reserved, ForeignTask.Display.running), (keys.delayed, .delayed),
        ] {
            let found = try members(key, of: queue, display, limit: Self.setLimit).first {
                $0.job.id.isSame(as: reference)
            }
            if let found { return (key, found) }
        }
        return nil
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let (reference, queue) = (detail.task.reference, detail.task.queue)
        if let place = try place(of: reference, in: queue) { return try inList(place, change) }
        if let found = try member(reference, in: queue), found.member.task.display != .running {
            return try inSet(found.key, found.member, change)
        }
        for horizon in horizons {
            guard let ended = try horizon.ended(reference), ended.display == .failed else {
                continue
            }
            return try failed(ended.job, of: horizon, change)
        }
        throw QueueError.notLegal("task \(reference) is running, or gone")
    }

    private func inList(_ place: ListPlace, _ change: ForeignChange) throws -> RedisSteps {
        var steps = RedisChange()
        guard let job = LaravelJob(place.element) else {
            throw QueueError.notLegal("it is no job that could be read")
        }
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            steps.swap(place.element, for: try job.edited(value), in: place.list)
        case .postpone(let moment):
            steps.take(place.element, from: place.list)
            steps.putMember(
                place.element, into: keys(of: place.queue).delayed,
                score: Double(moment.milliseconds) / 1000)
        default: return try changeOfPlace(place, change)
        }
        return (steps, [])
    }

    private func inSet(
        _ key: [UInt8], _ member: Member, _ change: ForeignChange
    ) throws -> RedisSteps {
        var steps = RedisChange()
        steps.removeMember(member.job.bytes, from: key)
        switch change {
        case .delete: break
        case .edit(let value):
            steps.putMember(try member.job.edited(value), into: key, score: member.score)
        case .postpone(let moment):
            steps.putMember(
                member.job.bytes, into: key, score: Double(moment.milliseconds) / 1000)
        case .retry:
            let consequences = try enqueueNoticed(member.job.bytes, member.task.queue, &steps)
            return (steps, consequences)
        default: throw QueueError.notLegal("it waits for its time, not in the queue")
        }
        return (steps, [])
    }

    private func failed(
        _ record: HorizonJob, of horizon: Horizon, _ change: ForeignChange
    ) throws -> RedisSteps {
        let id = record.job.id
        var steps = RedisChange()
        steps.removeMember(Array(id.utf8), from: horizon.failed)
        steps.keep(horizon.key(id))
        switch change {
        case .delete:
            steps.call(RedisCommand("DEL", horizon.key(id)))
            return (steps, [])
        case .retry:
            // Horizon's own retry is a copy with another id. This is the same job again.
            steps.call(RedisCommand("HSET", horizon.key(id), "status", "pending"))
            steps.call(RedisCommand("HDEL", horizon.key(id), "exception", "failed_at"))
            let bytes = record.job.with(attempts: 0)
            let consequences = try enqueueNoticed(bytes, record.queue, &steps)
            return (steps, consequences)
        default: throw QueueError.notLegal("it has failed", fix: "sluice retry brings it back")
        }
    }

    /// Adds a job at the end of its queue, with the notice that Laravel adds to each.
    private func enqueueNoticed(
        _ bytes: [UInt8], _ queue: String, _ steps: inout RedisChange
    ) throws -> [String] {
        let consequences = try enqueue(bytes, in: queue, &steps)
        if try !isHeld(queue) {
            steps.call(RedisCommand("RPUSH", keys(of: queue).notices, 1))
        }
        return consequences
    }
}

extension LaravelSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try learnNamed(queue)
        let answer = try holdByGuards(queue, note)
        try matchNotices(queue)
        return answer
    }

    /// Learns the keys, and refuses a queue whose app is not known: without a job there is no key.
    private func learnNamed(_ queue: String) throws {
        try learn()
        guard try !isKnown(queue) else { return }
        throw QueueError.notLegal(
            "no job of \(queue) is there, so the prefix of its keys is not known",
            fix: "send a first job, or name the whole list, such as "
                + "laravel_database_queues:\(queue)")
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        try learn()
        let answer = try releaseFromGuards(queue)
        try matchNotices(queue)
        return answer
    }

    /// The maximum number of notices to add. Each wakes a worker, which then continues to ask.
    private static let noticeLimit = 100

    /// Makes the list of notices fit to the waiting jobs. Each notice without a job would cost a
    /// waiting worker one look.
    private func matchNotices(_ queue: String) throws {
        let keys = keys(of: queue)
        let script = """
            local jobs, notices = redis.call('LLEN', KEYS[1]), redis.call('LLEN', KEYS[2])
            if notices > jobs then redis.call('LTRIM', KEYS[2], 1, jobs) end
            for _ = notices + 1, math.min(jobs, tonumber(ARGV[1])) do
                redis.call('RPUSH', KEYS[2], 1)
            end
            """
        try redis.call(
            .script(
                script, keys: [keys.workList.list, keys.notices], arguments: [Self.noticeLimit]))
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try learn()
        defer {
            // Notices left from arrivals cost a look at most, so a lost connection is no failure.
            try? matchNotices(queue)
        }
        return try stepByGuards(queue, task: task, limits: limits)
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        // A job moves from the reserved to the delayed ones, and from there into the list.
        let keys = keys(of: task.queue)
        func holds(_ key: [UInt8]) throws -> Bool {
            try members(key, of: task.queue, .delayed, limit: Self.setLimit).contains {
                $0.job.id.isSame(as: task.reference)
            }
        }
        if try holds(keys.reserved) { return nil }
        for horizon in horizons {
            guard let ended = try horizon.ended(task.reference) else { continue }
            return ended.display == .failed ? ("giveUp", ended.job.error) : ("success", nil)
        }
        let last = try redis.look("LRANGE", keys.workList.held, -50, -1).array.compactMap(\.bytes)
        let isAgain =
            try holds(keys.delayed)
            || last.contains { LaravelJob($0)?.id.isSame(as: task.reference) == true }
        return isAgain ? ("retry", nil) : (nil, nil)
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display == .running else { return nil }
        let keys = keys(of: detail.task.queue)
        let own = try members(keys.reserved, of: detail.task.queue, .running, limit: Self.setLimit)
            .first { $0.job.id.isSame(as: detail.task.reference) }
        guard let own, let moment = ForeignTime.moment(seconds: own.score) else { return nil }
        return ForeignHolder(
            worker: nil, since: nil, heardAt: nil,
            advice: "Laravel gives it to another worker at \(TimeText.rfc3339(moment)), when its "
                + "retry_after has passed")
    }
}
