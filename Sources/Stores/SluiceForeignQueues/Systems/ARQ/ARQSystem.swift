import SluiceModel
import SluiceSystem

/// ARQ: a sorted set of ids by due time, and a key for each job. Its workers poll the first due
/// jobs, a hundred or more.
///
/// A hold adds plugs at the front: members that look like running jobs. Workers read no further
/// than the plugs.
final class ARQSystem: RedisSystem {
    static let systemName = "arq"
    let title = "ARQ"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    private static let health = ":health-check"
    private static let defaultQueue = "arq:queue"

    private static let told = KeySurvey.Shape("", end: health)
    private static let plugs = KeySurvey.Shape("{", end: "}:sluice:plugs")
    private static let jobs = KeySurvey.Shape("arq:job:")
    static let shapes = [told, plugs, jobs, results]
    private static let anyName = KeySurvey.Shape("")
    /// The number of sorted sets to inspect for jobs, and the number of members of each.
    private static let setLimit = 1000
    private static let memberLimit = 10

    static let probes = [RedisCommand("TYPE", defaultQueue)]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].text == "zset" }

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !toldNames(redis).isEmpty || !redis.keys.names(results, in: redis).isEmpty
    }

    /// The queues that a worker has told of itself in, that are held, and that have jobs.
    private static func toldNames(_ redis: RedisConnection) throws -> Set<String> {
        let told = try redis.names([told], type: "string") {
            String($0.dropLast(health.count))
        }
        var found: Set<String> = []
        let names = told.sorted()
        let answers = try redis.lookAll(names.map { RedisCommand("GET", $0 + health) })
        for (name, answer) in zip(names, answers)
        where answer.text?.contains("j_complete=") == true {
            found.insert(name)
        }
        found.formUnion(
            try redis.names([plugs]) { key in String(key.dropFirst().prefix { $0 != "}" }) })
        return found.union(try setNames(redis, beside: found))
    }

    /// The sorted sets of any other name whose members are jobs, where there are jobs at all.
    private static func setNames(
        _ redis: RedisConnection, beside known: Set<String>
    ) throws -> [String] {
        guard try !redis.keys.names(jobs, in: redis).isEmpty else { return [] }
        redis.sortedSets.isHurried = redis.keys.isHurried
        let sets = try redis.sortedSets.names(anyName, in: redis)
            .map { String(decoding: $0, as: UTF8.self) }
            .filter {
                !known.contains($0) && $0 != "arq:abort" && !$0.hasSuffix("}:sluice:skipped")
            }.sorted().prefix(setLimit)
        let members = try redis.lookAll(
            sets.map { RedisCommand("ZRANGE", $0, 0, memberLimit - 1) }
        ).map { $0.array.compactMap(\.bytes) }
        let isThere = try redis.lookAll(
            members.map { ids in
                RedisCommand("EXISTS", words: ([[]] + ids).map { Array(Self.job("").utf8) + $0 })
            })
        return zip(sets, isThere).filter { $0.1.integer ?? 0 > 0 }.map(\.0)
    }

    /// The same, and the one that has no other name.
    private static func queueNames(_ redis: RedisConnection) throws -> [String] {
        var found = try toldNames(redis)
        if isKnown(by: try redis.lookAll(probes)) { found.insert(defaultQueue) }
        return found.sorted()
    }

    let listsEmptyQueues = false

    static func job(_ id: String) -> String { "arq:job:\(id)" }
    static func inProgress(_ id: String) -> String { "arq:in-progress:\(id)" }
    static func retries(_ id: String) -> String { "arq:retry:\(id)" }

    /// The additional keys of a hold, with the same names as for a list.
    static func workList(_ queue: String) -> WorkList { WorkList(queue, takes: .left) }

    /// The lowest score of jobs. Lower scores are plugs and jobs that a step let through.
    static let first = "-900000000000000"
    /// The number of jobs to inspect for running ones, since a running job keeps its place in the
    /// set.
    private static let runningLimit = 500

    func queues() throws -> [ForeignQueue] {
        let now = try serverMilliseconds()
        let ended = try ended()
        let names = try Set(
            texts: Self.queueNames(redis) + ended.details.map(\.task.queue)
        ).texts
        return try names.sorted().map { queueName in
            var queue = ForeignQueue(name: queueName, system: name)
            let workList = Self.workList(queueName)
            queue.hold = HoldRecord.read(try redis.look("HGETALL", workList.record))
            let counts = try redis.pipeline([
                RedisCommand("ZCOUNT", queueName, Self.first, now),
                RedisCommand("ZCOUNT", queueName, "(\(now)", "+inf"),
                RedisCommand("ZCARD", workList.skipped),
            ]).map { Int($0.integer ?? 0) }
            let front = try members(queueName, "-inf", "+inf", from: 0, limit: Self.runningLimit)
            queue.running = front.count { $0.isRunning }
            let inFront = front.count {
                $0.isRunning && $0.score >= -9e14 && $0.score <= Double(now)
            }
            queue.waiting = max(0, counts[0] - inFront)
            queue.held = queue.hold == nil ? 0 : queue.waiting
            (queue.delayed, queue.skipped) = (counts[1], counts[2])
            for detail in ended.details where detail.task.queue.isSame(as: queueName) {
                queue.add(1, detail.task.display)
            }
            if !ended.isAll { queue.bounds.formUnion([.failed, .succeeded]) }
            return queue
        }
    }

    /// A job in its place.
    struct Member {
        var id: String
        var score: Double
        var isRunning: Bool
    }

    /// The jobs between two times, without plugs.
    func members(
        _ key: String, _ low: String, _ high: String, from start: Int, limit: Int
    ) throws -> [Member] {
        guard limit > 0 else { return [] }
        // Jobs that a step let through come before the plugs.
        var found: [Member] = []
        for (from, to) in low == "-inf"
            ? [("-inf", "(-1000000000000000"), (Self.first, high)]
            : [(low, high)] where found.count < limit
        {
            let pairs = try redis.look(
                "ZRANGEBYSCORE", key, from, to, "WITHSCORES", "LIMIT",
                found.isEmpty ? start : 0, limit - found.count
            ).pairs
            let ids = pairs.map { String(decoding: $0.name, as: UTF8.self) }
            let running = try redis.pipeline(
                ids.map { RedisCommand("EXISTS", Self.inProgress($0)) })
            for ((id, pair), isRunning) in zip(zip(ids, pairs), running) {
                found.append(
                    Member(
                        id: id, score: pair.value.text.flatMap { Double($0) } ?? 0,
                        isRunning: isRunning == .integer(1)))
            }
        }
        return found
    }

    /// The tasks of members of a queue's set.
    private func tasks(
        _ members: [Member], in queue: String, isHeld: Bool, now: Int64, isSkipped: Bool = false
    ) throws -> [ForeignTask] {
        guard !members.isEmpty else { return [] }
        let answers = try redis.pipeline(
            members.flatMap {
                [RedisCommand("GET", Self.job($0.id)), RedisCommand("GET", Self.retries($0.id))]
            })
        return members.enumerated().map { index, member in
            let job = answers[2 * index].bytes.map { ARQJob($0) }
            let attempts = answers[2 * index + 1].integer
            var display: ForeignTask.Display = isHeld ? .held : .due
            let isTimed = member.score > Double(now)
            if isTimed { display = attempts == nil ? .delayed : .retrying }
            if isSkipped { display = .skipped }
            if member.isRunning { display = .running }
            var task =
                job?.task(member.id, in: queue, display)
                ?? ForeignTask(reference: member.id, queue: queue, type: "?", display: display)
            if job == nil { task.label = "its payload has expired" }
            task.attempts = attempts.map { Int(clamping: $0) }
            if isTimed { task.notBefore = ForeignTime.moment(seconds: member.score / 1000) }
            return task
        }
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        let queue = query.queue
        let limit = query.limit + 1
        let now = try serverMilliseconds()
        let isHeld = try isHeld(queue)
        var tasks: [ForeignTask] = []
        if query.state == .running || (query.state == nil && query.after == nil) {
            let front = try members(queue, "-inf", "+inf", from: 0, limit: Self.runningLimit)
            tasks += try self.tasks(
                front.filter(\.isRunning), in: queue, isHeld: isHeld, now: now)
        }
        if query.state == nil || query.state == .waiting, tasks.count < limit {
            let start = try query.after.map { try offset(after: $0, in: queue) } ?? 0
            let own = try members(
                queue, Self.first, "+inf", from: start, limit: limit - tasks.count)
            var waiting = try self.tasks(own, in: queue, isHeld: isHeld, now: now)
                .filter { $0.display != .running }
            if start == 0, waiting.first?.display == .due { waiting[0].display = .next }
            tasks += waiting
            if own.count < limit - tasks.count || tasks.count < limit {
                let skipped = try members(
                    String(decoding: Self.workList(queue).skipped, as: UTF8.self), Self.first,
                    "+inf",
                    from: 0, limit: limit - tasks.count)
                tasks += try self.tasks(
                    skipped, in: queue, isHeld: isHeld, now: now, isSkipped: true)
            }
        }
        if query.state != .running, query.state != .waiting, tasks.count < limit {
            tasks += try endedTasks(query.state ?? .failed, of: queue)
        }
        return ForeignPage(first: query.limit, of: tasks)
    }

    func isHeld(_ queue: String) throws -> Bool {
        try redis.call("EXISTS", Self.workList(queue).record).integer == 1
    }

    /// The offset after a job in its queue; 0 if the job no longer exists.
    private func offset(after reference: String, in queue: String) throws -> Int {
        guard let score = try redis.look("ZSCORE", queue, reference).text,
            let rank = try redis.look("ZRANK", queue, reference).integer
        else { return 0 }
        guard (Double(score) ?? 0) >= -9e14 else { return 0 }
        let front = try redis.look("ZCOUNT", queue, "-inf", "(\(Self.first)").integer ?? 0
        return Int(rank - front) + 1
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        guard !reference.hasPrefix(Self.plugPrefix) else { return nil }
        let now = try serverMilliseconds()
        for queue in try Self.queueNames(redis) {
            let skipped = Self.workList(queue).skipped
            for (key, isSkipped) in [(Array(queue.utf8), false), (skipped, true)] {
                guard let text = try redis.look("ZSCORE", key, reference).text,
                    let score = Double(text)
                else { continue }
                let isRunning =
                    try redis.call("EXISTS", Self.inProgress(reference)).integer == 1
                let member = Member(id: reference, score: score, isRunning: isRunning)
                let task = try tasks(
                    [member], in: queue, isHeld: try isHeld(queue), now: now,
                    isSkipped: isSkipped)[0]
                return Self.detail(
                    task, try redis.look("GET", Self.job(reference)).bytes, score: score)
            }
        }
        let result = try redis.look("GET", Self.result(reference)).bytes
        return result.flatMap { Self.ended(reference, $0) }
    }

    /// The jobs of a page, in one question.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let answers = try redis.pipeline(
            tasks.flatMap { task in
                [
                    RedisCommand("GET", Self.job(task.reference)),
                    RedisCommand("GET", Self.result(task.reference)),
                    RedisCommand(
                        "ZSCORE",
                        task.display == .skipped
                            ? Self.workList(task.queue).skipped : Array(task.queue.utf8),
                        task.reference),
                ]
            })
        return tasks.indices.map { place in
            let own = answers[(3 * place)..<(3 * place + 3)]
            if tasks[place].display.state != .waiting, tasks[place].display != .running {
                return own.dropFirst().first?.bytes.flatMap {
                    Self.ended(tasks[place].reference, $0)
                }
            }
            let score = own.last?.text.flatMap { Double($0) }
            return score.map { Self.detail(tasks[place], own.first?.bytes, score: $0) }
        }
    }

    private static func detail(
        _ task: ForeignTask, _ bytes: [UInt8]?, score: Double
    ) -> ForeignDetail {
        guard let bytes else {
            return ForeignDetail(
                task: task,
                payload: ForeignPayload(
                    bytes: [], format: "none", value: nil,
                    whyFixed: "its payload has expired"))
        }
        var detail = ForeignDetail(task: task, payload: ARQJob(bytes).payload)
        detail.fields["score"] = JSONValue(score)
        return detail
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let now = try serverMilliseconds()
        let all = try Self.queueNames(redis).flatMap { queue in
            try tasks(
                try members(queue, "(\(now)", "+inf", from: 0, limit: limit), in: queue,
                isHeld: false, now: now)
        }
        return ForeignTimer.first(limit, of: all)
    }

    /// All workers of a queue write one text, which stays for up to an hour after the last one.
    func runners() throws -> [ForeignRunner] {
        try Self.queueNames(redis).compactMap { queue in
            guard let text = try redis.look("GET", queue + Self.health).text else { return nil }
            return ForeignRunner(name: text, queues: [queue])
        }
    }

    let listsRunners = false
}
