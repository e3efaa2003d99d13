import SluiceModel
import SluiceRedisClient

extension ResqueSystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try redis.look("SMEMBERS", "resque:queues").array.compactMap(\.text) {
            if let detail = try listed(reference, in: queue) { return detail }
        }
        return try running(reference) ?? failure(reference).map(Self.detail)
    }

    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let hasFailed = tasks.contains { $0.display == .failed }
        let failed = Dictionary(
            try hasFailed ? failures().map { (ExactText($0.job.id), $0) } : [],
            uniquingKeysWith: { newest, _ in newest })
        return try tasks.map { task in
            if task.display == .failed { return failed[task.reference].map(Self.detail) }
            return try seen[task.reference].flatMap { detail(task, in: $0) }
                ?? detail(task.reference)
        }
    }

    private static func detail(_ failure: ResqueFailure) -> ForeignDetail {
        var detail = failure.job.detail(failure.task)
        detail.attempts = [failure.attempt]
        return detail
    }

    private func failure(_ reference: String) throws -> ResqueFailure? {
        try failures().first { $0.job.id.isSame(as: reference) }
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let reference = detail.task.reference
        if let place = try place(of: reference, in: detail.task.queue) {
            return try inList(place, change)
        }
        guard let failure = try failure(reference) else {
            throw QueueError.notLegal("task \(reference) is running, or gone")
        }
        return try failed(failure, change)
    }

    private func inList(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> RedisSteps {
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
    ) throws -> RedisSteps {
        var steps = RedisChange()
        switch change {
        case .delete: steps.take(failure.bytes, from: Self.failed)
        case .retry:
            steps.take(failure.bytes, from: Self.failed)
            let consequences = try enqueue(failure.job.bytes, in: failure.queue, &steps)
            return (steps, consequences)
        default: throw QueueError.notLegal("it has failed", fix: "sluice retry brings it back")
        }
        return (steps, [])
    }
}
