import SluiceModel
import SluiceRedisClient

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
        return job.task(in: work["queue"]?.string ?? "", .running)
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
