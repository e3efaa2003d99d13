import SluiceModel
import SluiceRedisClient

extension SidekiqSystem {
    /// A job that waits for a time or is dead.
    private func member(_ reference: String) throws -> (key: String, Member)? {
        for (key, _) in Self.sets {
            if let found = try members(key, limit: Self.setLimit).first(where: {
                $0.job.id.isSame(as: reference)
            }) {
                return (key, found)
            }
        }
        return nil
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        let names = try redis.look("SMEMBERS", "queues").array.compactMap(\.text)
        for queue in names {
            if let detail = try listed(reference, in: queue) { return detail }
        }
        guard let (key, found) = try member(reference),
            let display = Self.sets.first(where: { $0.key == key })?.display
        else { return try working(reference) }
        var task = found.job.task(in: found.job.queue, display)
        if display != .failed { task.notBefore = found.at }
        return found.job.detail(task)
    }

    /// A job that a worker has.
    private func working(_ reference: String) throws -> ForeignDetail? {
        guard let task = try working().first(where: { $0.reference.isSame(as: reference) }) else {
            return nil
        }
        return seen[reference].flatMap { SidekiqJob($0)?.detail(task) }
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let reference = detail.task.reference
        if let place = try place(of: reference, in: detail.task.queue) {
            return try inList(place, change)
        }
        guard let (key, found) = try member(reference) else {
            throw QueueError.notLegal("task \(reference) is running, or gone")
        }
        return try inSet(Array(key.utf8), found, change)
    }

    private func inList(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> RedisSteps {
        var steps = RedisChange()
        guard let job = SidekiqJob(place.element) else {
            throw QueueError.notLegal("it is no job that could be read")
        }
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            steps.swap(place.element, for: try edited(job, value), in: place.list)
        case .postpone(let moment):
            steps.take(place.element, from: place.list)
            steps.putMember(
                job.with([("enqueued_at", nil)]), into: Array("schedule".utf8),
                score: Double(moment.milliseconds) / 1000)
        case .retry: throw QueueError.notLegal("it waits for no time and has not failed")
        default:
            return try changeOfPlace(place, change)
        }
        return (steps, [])
    }

    private func edited(_ job: SidekiqJob, _ value: JSONValue) throws -> [UInt8] {
        guard value.array != nil else {
            throw QueueError(
                .badValue, "the payload is no list", fix: "give the arguments: [1,\"a\"]")
        }
        return job.with([("args", value)])
    }

    private func inSet(
        _ key: [UInt8], _ found: Member, _ change: ForeignChange
    ) throws -> RedisSteps {
        var steps = RedisChange()
        let job = found.job
        steps.removeMember(job.bytes, from: key)
        switch change {
        case .delete: return (steps, [])
        case .retry:
            // As its own library does: the coming attempt counts up again.
            var element = job.bytes
            if key != Array("schedule".utf8) {
                element = job.with([("retry_count", .integer(job.retryCount - 1))])
            }
            let consequences = try enqueue(element, in: job.queue, &steps)
            return (steps, consequences)
        case .edit(let value):
            steps.putMember(
                try edited(job, value), into: key, score: Double(found.score) ?? 0)
            return (steps, [])
        case .postpone(let moment):
            guard key != Array("dead".utf8) else {
                throw QueueError.notLegal("it is dead", fix: "sluice retry brings it back")
            }
            steps.putMember(job.bytes, into: key, score: Double(moment.milliseconds) / 1000)
            return (steps, [])
        default:
            throw QueueError.notLegal(
                "it waits for its time, not in the queue", fix: "sluice retry brings it there")
        }
    }
}
