import SluiceModel
import SluiceSystem

/// Resque: lists of jobs, which its workers ask again and again, each time for one.
final class ResqueSystem: MessageListSystem {
    typealias Message = ResqueJob
    static let systemName = "resque"
    let title = "Resque"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    static let probes = [RedisCommand("TYPE", "resque:queues")]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].text == "set" }

    static let appPrefix: AppPrefix? = AppPrefix(
        title: "Resque", own: "resque",
        ends: [("stat:processed", "string"), ("workers", "set"), ("queues", "set")])

    let polling: ListPolling? = ListPolling(fillers: 0)
    let risks = [
        "a task that comes in the moment of a step may be taken too: its workers do not wait in "
            + "the server"
    ]

    func workLists(of queue: String) -> [WorkList] {
        [WorkList("resque:queue:\(queue)", takes: .left)]
    }

    /// The id is a hash of the whole element, so the cheap test is not possible.
    func mayBe(_ reference: String, _ element: [UInt8]) -> Bool { true }

    static let failed = Array("resque:failed".utf8)
    /// The maximum number of recent failures to read for one answer.
    private static let failedLimit = 1000

    /// The last failures, the newest one first.
    func failures() throws -> [ResqueFailure] {
        try redis.look("LRANGE", Self.failed, -Self.failedLimit, -1).array.reversed()
            .compactMap { $0.bytes.flatMap { ResqueFailure($0) } }
    }

    func queues() throws -> [ForeignQueue] {
        let names = try redis.look("SMEMBERS", "resque:queues").array.compactMap(\.text)
        let failed = try failures()
        let work = try working()
        let isPaused =
            try redis.pipeline([RedisCommand("GET", "resque:pause-all-workers")]).first?.text
            == "true"
        return try glance(at: names.sorted()).map { queue, _ in
            var queue = queue
            queue.failed = failed.count { $0.queue.isSame(as: queue.name) }
            queue.running = work.count { $0.task?.queue.isSame(as: queue.name) == true }
            if isPaused { queue.ownPause = "pause-all-workers, all queues" }
            return queue
        }
    }

    private func working() throws -> [ResqueWork] {
        let workers = try redis.look("SMEMBERS", "resque:workers").array.compactMap(\.text)
        let answers = try redis.pipeline(
            workers.map { RedisCommand("GET", "resque:worker:\($0)") })
        return zip(workers, answers).map { worker, answer in
            let work = answer.bytes.flatMap { try? JSONValue.parse($0) }
            let job = work?["payload"].flatMap { ResqueJob($0.bytes) }
            return ResqueWork(
                worker: worker, job: job, queue: work?["queue"]?.string ?? "",
                since: work?["run_at"]?.string.flatMap(TimeText.rfc3339))
        }
    }

    /// A job that a worker runs, with the worker and its start.
    func running(_ reference: String) throws -> ForeignDetail? {
        let work = try working().first { $0.job?.id == reference }
        guard let work, let job = work.job, let task = work.task else { return nil }
        var detail = job.detail(task)
        var attempt = ForeignAttempt(number: 1)
        attempt.runner = work.worker
        attempt.startedAt = work.since
        detail.attempts = [attempt]
        return detail
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        switch state {
        case .running: try working().compactMap(\.task).filter { $0.queue.isSame(as: queue) }
        case .failed: try failures().map(\.task).filter { $0.queue.isSame(as: queue) }
        default: []
        }
    }

    /// Its own keys have no times; an add-on has.
    func timers(limit: Int) throws -> [ForeignTimer] { [] }

    func runners() throws -> [ForeignRunner] {
        try working().map { work in
            let worker = work.worker
            // Its name is its machine, its number there, and its queues.
            let parts = worker.split(separator: ":", maxSplits: 2).map(String.init)
            let queues = parts.count == 3 ? parts[2].split(separator: ",").map(String.init) : []
            var runner = ForeignRunner(
                name: worker, queues: queues.contains { $0.contains("*") } ? [] : queues)
            runner.host = parts.first
            runner.processID = parts.count > 1 ? Int64(parts[1]) : nil
            runner.slots = 1
            runner.running = [work.task?.reference].compactMap { $0 }
            runner.heardAt = work.since
            return runner
        }
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        // Success leaves nothing but a counter.
        try stepByGuards(queue, task: task, limits: limits.ending(within: 1_000))
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        let found = try failures().first { failure in
            guard failure.job.id.isSame(as: task.reference),
                failure.queue.isSame(as: task.queue)
            else {
                return false
            }
            // Its time is in whole seconds.
            let moment = failure.moment.flatMap(TimeText.rfc3339)
            return moment.map { $0.milliseconds >= since - 1000 } ?? true
        }
        return found.map { ("giveUp", $0.task.error) }
    }
}

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
