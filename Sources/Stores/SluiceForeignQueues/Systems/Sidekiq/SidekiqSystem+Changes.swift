import SluiceModel
import SluiceRedisClient

extension SidekiqSystem {
    func refusal(of verb: ForeignVerb) -> String? {
        verb == .priority ? "Sidekiq keeps no priorities; sluice move changes the order" : nil
    }

    /// A job that waits for a time or is dead.
    private func member(_ reference: String) throws -> (key: String, Member)? {
        for (key, _) in Self.sets {
            if let found = try members(key, limit: Self.setLimit).first(where: {
                $0.job.id == reference
            }) {
                return (key, found)
            }
        }
        return nil
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        let names = try redis.look("SMEMBERS", "queues").array.compactMap(\.text)
        for queue in names {
            guard let place = try place(of: reference, in: queue),
                let job = SidekiqJob(place.element)
            else { continue }
            return detail(job, job.task(in: queue, place.display))
        }
        guard let (key, found) = try member(reference),
            let display = Self.sets.first(where: { $0.key == key })?.display
        else { return nil }
        var task = found.job.task(in: found.job.queue, display)
        if display != .failed { task.notBefore = found.at }
        return detail(found.job, task)
    }

    func detail(_ task: ForeignTask, in element: [UInt8]) -> ForeignDetail? {
        SidekiqJob(element).map { detail($0, task) }
    }

    private func detail(_ job: SidekiqJob, _ task: ForeignTask) -> ForeignDetail {
        var detail = ForeignDetail(task: task, payload: job.payload)
        detail.attempts = [job.attempt].compactMap { $0 }
        detail.fields = job.fields
        return detail
    }

    func change(
        _ reference: String, _ change: ForeignChange, by person: String
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let task = try require(reference).task
        var steps = RedisChange()
        var consequences: [String] = []
        if let place = try place(of: reference, in: task.queue) {
            (steps, consequences) = try inList(place, change)
        } else if let (key, found) = try member(reference) {
            (steps, consequences) = try inSet(Array(key.utf8), found, change)
        } else {
            throw QueueError.notLegal("task \(reference) is running, or gone")
        }
        return try RedisJournal(redis: redis).perform(
            steps, task: reference, verb: change.verb, by: person, consequences: consequences)
    }

    private func inList(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> (RedisChange, [String]) {
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
    ) throws -> (RedisChange, [String]) {
        var steps = RedisChange()
        let job = found.job
        steps.takeMember(job.bytes, from: key)
        switch change {
        case .delete: return (steps, [])
        case .retry:
            let workList = workLists(of: job.queue)[0]
            let isHeld = try isHeld(job.queue)
            // As its own library does: the coming attempt counts up again.
            var element = job.bytes
            if key != Array("schedule".utf8) {
                element = job.with([("retry_count", .integer(job.retryCount - 1))])
            }
            steps.put(
                element, into: isHeld ? workList.held : workList.list, at: workList.takes.other)
            return (
                steps, isHeld ? ["it is held with its queue"] : ["the next idle worker takes it"]
            )
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
