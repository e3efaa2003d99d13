import SluiceModel
import SluiceRedisClient

extension ResqueSystem {
    func refusal(of verb: ForeignVerb) -> String? {
        switch verb {
        case .priority: "Resque keeps no priorities; sluice move changes the order"
        case .postpone: "Resque has no times; its add-on resque-scheduler is not known here"
        default: nil
        }
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try redis.look("SMEMBERS", "resque:queues").array.compactMap(\.text) {
            guard let place = try place(of: reference, in: queue),
                let job = ResqueJob(place.element)
            else { continue }
            var detail = ForeignDetail(
                task: job.task(in: queue, place.display), payload: job.payload)
            detail.fields = job.fields
            return detail
        }
        guard let failure = try failure(reference) else { return nil }
        var detail = ForeignDetail(task: failure.task, payload: failure.job.payload)
        detail.attempts = [failure.attempt]
        detail.fields = failure.job.fields
        return detail
    }

    private func failure(_ reference: String) throws -> ResqueFailure? {
        try failures().first { $0.job.id == reference }
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
        } else if let failure = try failure(reference) {
            (steps, consequences) = try failed(failure, change)
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
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            guard let job = ResqueJob(place.element) else {
                throw QueueError.notLegal("it is no job that could be read")
            }
            steps.swap(place.element, for: try job.edited(value), in: place.list)
            return (steps, ["its id is made of its content, so it has another one"])
        case .retry: throw QueueError.notLegal("it has not failed")
        default:
            return try changeOfPlace(place, change)
        }
        return (steps, [])
    }

    private func failed(
        _ failure: ResqueFailure, _ change: ForeignChange
    ) throws -> (RedisChange, [String]) {
        var steps = RedisChange()
        switch change {
        case .delete: steps.take(failure.bytes, from: Self.failed)
        case .retry:
            steps.take(failure.bytes, from: Self.failed)
            let lane = lanes(of: failure.queue)[0]
            let isHeld = try isHeld(failure.queue)
            steps.put(
                failure.job.bytes, into: isHeld ? lane.held : lane.list, at: lane.takes.other)
            return (
                steps, isHeld ? ["it is held with its queue"] : ["the next idle worker takes it"]
            )
        default: throw QueueError.notLegal("it has failed", fix: "sluice retry brings it back")
        }
        return (steps, [])
    }
}
