import SluiceModel
import SluiceSystem

/// Sidekiq: lists and sorted sets of JSON jobs.
final class SidekiqSystem: MessageListSystem {
    typealias Message = SidekiqJob
    static let systemName = "sidekiq"
    let title = "Sidekiq"
    let session: RedisSession
    /// Whether a polling fetcher was seen.
    var hasFetcher = false

    init(_ session: RedisSession) { self.session = session }

    static let probes = [
        RedisCommand("TYPE", "queues"), RedisCommand("TYPE", "processes"),
        RedisCommand("EXISTS", "stat:processed"),
    ]

    static func isKnown(by answers: [RedisValue]) -> Bool {
        answers[0].text == "set" && (answers[1].text == "set" || answers[2] == .integer(1))
    }

    static let shapes = [fetchedShape, heartbeatShape]

    /// Detects Sidekiq even without workers, by the fields that its library gives every job.
    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        let answers = try redis.lookAll(
            [RedisCommand("SMEMBERS", "queues")]
                + sets.map { RedisCommand("ZRANGE", $0.key, 0, 0) })
        let names = answers[0].array.compactMap(\.bytes).prefix(10)
        let heads = try redis.lookAll(
            names.map { RedisCommand("LINDEX", Array("queue:".utf8) + $0, -1) })
        let jobs =
            heads.compactMap(\.bytes) + answers.dropFirst().flatMap(\.array).compactMap(\.bytes)
        return jobs.contains { SidekiqJob($0)?.isWhole == true }
    }

    static let appPrefix: AppPrefix? = AppPrefix(
        title: "Sidekiq", own: "", ends: [("processes", "set"), ("queues", "set")])

    let risks = ["unique locks of add-ons may expire"]

    func workLists(of queue: String) -> [WorkList] { [WorkList("queue:\(queue)", takes: .right)] }

    /// The sorted sets, each with the display of its jobs.
    static let sets: [(key: String, display: ForeignTask.Display)] = [
        ("schedule", .delayed), ("retry", .retrying), ("dead", .failed),
    ]
    /// The maximum number of set members to read for one answer.
    static let setLimit = 10_000

    func queues() throws -> [ForeignQueue] {
        let answers = try redis.lookAll(
            [RedisCommand("SMEMBERS", "queues")]
                + Self.sets.map { Self.range($0.key, limit: Self.setLimit) })
        var timed: [ExactText: [ForeignTask.Display: Int]] = [:]
        for ((_, display), answer) in zip(Self.sets, answers.dropFirst()) {
            for member in Self.members(answer) {
                timed[member.job.queue, default: [:]][display, default: 0] += 1
            }
        }
        let processes = try processes()
        let busy = Set(texts: runners(processes).flatMap(\.running))
        let work = processes.flatMap(\.work)
        let taken = try onlyFetched(work)
        let names = (answers[0].array.compactMap(\.text) + timed.texts).distinctNames
        return try glance(at: names) { queue in
            [RedisCommand("SISMEMBER", "paused", queue)] + heads(of: queue)
        }.map { queue, answers in
            var queue = queue
            let counts = timed[queue.name] ?? [:]
            queue.delayed = (counts[.delayed] ?? 0) + (counts[.retrying] ?? 0)
            queue.failed = counts[.failed] ?? 0
            queue.running = work.count {
                $0.queue.isSame(as: queue.name) && busy.contains($0.reference)
            }
            queue.taken = taken.count { $0.queue.isSame(as: queue.name) }
            if answers[0].integer == 1 { queue.ownPause = "Sidekiq Pro" }
            let head = answers.dropFirst().compactMap(\.bytes).first
            queue.oldest = head.flatMap { SidekiqJob($0)?.task(in: queue.name, .due).createdAt }
            return queue
        }
    }

    /// A member of a sorted set.
    struct Member {
        var job: SidekiqJob
        var at: Timestamp?
        var score: String
    }

    func members(_ key: String, limit: Int) throws -> [Member] {
        Self.members(try redis.lookAll([Self.range(key, limit: limit)])[0])
    }

    private static func range(_ key: String, limit: Int) -> RedisCommand {
        RedisCommand("ZRANGE", key, 0, limit - 1, "WITHSCORES")
    }

    private static func members(_ answer: RedisValue) -> [Member] {
        answer.pairs.compactMap { bytes, score in
            guard let job = SidekiqJob(bytes), let text = score.text else { return nil }
            let moment = Double(text).flatMap(ForeignTime.moment(seconds:))
            return Member(job: job, at: moment, score: text)
        }
    }

    private func timed(_ queue: String, _ key: String, _ display: ForeignTask.Display) throws
        -> [ForeignTask]
    {
        try members(key, limit: Self.setLimit).filter { $0.job.queue.isSame(as: queue) }.map {
            member in
            var task = member.job.task(in: queue, display)
            if display != .failed { task.notBefore = member.at }
            return task
        }
    }

    /// A worker process, with its last heartbeat and its current work.
    private struct Process {
        var name: String
        var fields: [String: RedisValue]
        var work: [ForeignTask]
    }

    private func processes() throws -> [Process] {
        let names = try redis.look("SMEMBERS", "processes").array.compactMap(\.text).sorted()
        // Up to 6.4 the hash of what a process does has the longer name.
        let keys = names.map { [$0, "\($0):work", "\($0):workers"] }
        let answers = try redis.lookAll(keys.joined().map { RedisCommand("HGETALL", $0) })
        return names.enumerated().map { place, name in
            let work = answers[3 * place + 1].pairs + answers[3 * place + 2].pairs
            return Process(
                name: name, fields: answers[3 * place].dictionary,
                work: work.compactMap { self.work($0.value) })
        }
    }

    private func work(_ value: RedisValue) -> ForeignTask? {
        guard let work = value.bytes.flatMap({ try? JSONValue.parse($0) }) else { return nil }
        // The job is JSON in JSON, or an object.
        let payload = work["payload"]
        let bytes = payload?.string.map { Array($0.utf8) } ?? payload?.bytes ?? []
        guard let job = SidekiqJob(bytes) else { return nil }
        seen.keep(bytes, of: job.id)
        var task = job.task(in: work["queue"]?.string ?? "", .running)
        task.startedAt = work["run_at"]?.double.flatMap(ForeignTime.moment(seconds:))
        return task
    }

    /// The running jobs in the last heartbeats, and the additional jobs of fetchers.
    func working() throws -> [ForeignTask] {
        let work = try processes().flatMap(\.work)
        return try work + onlyFetched(work)
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        switch state {
        case .running: return try working().filter { $0.queue.isSame(as: queue) }
        case .failed: return try timed(queue, "dead", .failed).reversed()
        case .succeeded, .deleted: return []
        case .waiting:
            var tasks: [ForeignTask] = []
            for (key, display) in Self.sets where display != .failed && tasks.count < limit {
                tasks += try timed(queue, key, display)
            }
            return tasks
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let all = try Self.sets.filter { $0.display != .failed }.flatMap { key, display in
            try members(key, limit: limit).map { member in
                var task = member.job.task(in: member.job.queue, display)
                task.notBefore = member.at
                return task
            }
        }
        return ForeignTimer.first(limit, of: all)
    }

    func runners() throws -> [ForeignRunner] { runners(try processes()) }

    private func runners(_ processes: [Process]) -> [ForeignRunner] {
        processes.compactMap { process in
            guard let info = process.fields["info"]?.bytes.flatMap({ try? JSONValue.parse($0) })
            else { return nil }
            let queues = (info["queues"]?.array ?? []).compactMap(\.string)
            var runner = ForeignRunner(name: process.name, queues: Set(texts: queues).texts)
            runner.host = info["hostname"]?.string
            runner.processID = info["pid"]?.integer
            runner.slots = info["concurrency"]?.integer.map(Int.init)
            runner.heardAt = process.fields["beat"]?.text.flatMap { Double($0) }
                .flatMap(ForeignTime.moment(seconds:))
            runner.running = process.work.map(\.reference)
            return runner
        }
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        // A successful job leaves only a counter that Sidekiq writes every ten seconds, so wait at
        // most one second.
        try stepByGuards(queue, task: task, limits: limits.ending(within: 1_000))
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        for (key, display) in Self.sets where display != .delayed {
            let found = try members(key, limit: Self.setLimit).last {
                $0.job.id.isSame(as: task.reference)
            }
            guard let found else { continue }
            let error = found.job.task(in: task.queue, display).error
            return (display == .failed ? "giveUp" : "retry", error)
        }
        return nil
    }
}

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

/// A reliable fetcher moves a job to a list of its process before it runs.
extension SidekiqSystem {
    // A fetcher that keeps taken jobs, such as GitLab's: a list for each process and queue, and a
    // key for each live process.
    private static let fetchedPrefix = "working:queue:"
    private static let heartbeatPrefix = "reliable-fetcher-heartbeat-"
    static let fetchedShape = KeySurvey.Shape(fetchedPrefix)
    static let heartbeatShape = KeySurvey.Shape(heartbeatPrefix)

    /// Such a fetcher asks every five seconds, instead of waiting in the server.
    var polling: ListPolling? { hasFetcher ? ListPolling(fillers: 0) : nil }

    func learn() throws {
        hasFetcher = try !redis.names(Self.shapes) { $0 }.isEmpty
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try learn()
        return try holdByGuards(queue, note)
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        try learn()
        return try releaseFromGuards(queue)
    }

    /// The jobs of such fetchers, and whether the process no longer sends heartbeats.
    private func fetched() throws -> [(task: ForeignTask, isOrphan: Bool)] {
        let keys = try redis.names([Self.fetchedShape], type: "list") { $0 }
        guard !keys.isEmpty else { return [] }
        let alive = Set(
            try redis.names([Self.heartbeatShape]) {
                String($0.dropFirst(Self.heartbeatPrefix.count))
            }
        )
        let answers = try redis.lookAll(keys.map { RedisCommand("LRANGE", $0, 0, 99) })
        return zip(keys, answers).flatMap { key, answer in
            // The key has the queue, the host and the process id, with more parts in newer
            // versions.
            let parts = key.dropFirst(Self.fetchedPrefix.count).split(separator: ":")
            let isAlive = parts.indices.contains { place in
                place + 1 < parts.count && alive.contains("\(parts[place])-\(parts[place + 1])")
            }
            return answer.array.compactMap(\.bytes).compactMap { SidekiqJob($0) }.map { job in
                seen.keep(job.bytes, of: job.id)
                return (job.task(in: job.queue, .taken), !isAlive)
            }
        }
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard detail.task.display == .taken else { return nil }
        let own = try fetched().first { $0.task.reference.isSame(as: detail.task.reference) }
        guard own?.isOrphan == true else { return nil }
        return "the process that took it does not tell of itself any more: its fetcher gives it "
            + "back when another one looks for orphans"
    }

    /// The jobs of fetchers that no process reports as running.
    func onlyFetched(_ work: [ForeignTask]) throws -> [ForeignTask] {
        let known = Set(texts: work.map(\.reference))
        return try fetched().map(\.task).filter { !known.contains($0.reference) }
    }
}
