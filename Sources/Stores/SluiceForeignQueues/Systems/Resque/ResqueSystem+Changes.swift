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
            return Self.detail(job, job.task(in: queue, place.display))
        }
        return try failure(reference).map(Self.detail)
    }

    /// All of a job stands in its element, and in its failure.
    func detail(_ task: ForeignTask, in element: [UInt8]) -> ForeignDetail? {
        ResqueJob(element).map { Self.detail($0, task) }
    }

    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let hasFailed = tasks.contains { $0.display == .failed }
        let failed = Dictionary(
            try hasFailed ? failures().map { ($0.job.id, $0) } : [],
            uniquingKeysWith: { newest, _ in newest })
        return try tasks.map { task in
            if task.display == .failed { return failed[task.reference].map(Self.detail) }
            return try seen[task.reference].flatMap { detail(task, in: $0) }
                ?? detail(task.reference)
        }
    }

    private static func detail(_ job: ResqueJob, _ task: ForeignTask) -> ForeignDetail {
        var detail = ForeignDetail(task: task, payload: job.payload)
        detail.fields = job.fields
        return detail
    }

    private static func detail(_ failure: ResqueFailure) -> ForeignDetail {
        var detail = detail(failure.job, failure.task)
        detail.attempts = [failure.attempt]
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
            let workList = workLists(of: failure.queue)[0]
            let isHeld = try isHeld(failure.queue)
            steps.put(
                failure.job.bytes, into: isHeld ? workList.held : workList.list,
                at: workList.takes.other)
            return (
                steps, isHeld ? ["it is held with its queue"] : ["the next idle worker takes it"]
            )
        default: throw QueueError.notLegal("it has failed", fix: "sluice retry brings it back")
        }
        return (steps, [])
    }
}
