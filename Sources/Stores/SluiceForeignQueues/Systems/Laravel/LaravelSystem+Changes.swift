import SluiceModel
import SluiceRedisClient

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
