import SluiceModel
import SluiceSystem

/// RQ: lists of ids, and a hash for each job.
final class RQSystem: IDListSystem {
    static let systemName = "rq"
    let title = "RQ"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    /// Whether a store has such queues.
    static let probes = [
        RedisCommand("TYPE", "rq:queues"), RedisCommand("TYPE", schedulerSet),
    ]

    static func isKnown(by answers: [RedisValue]) -> Bool {
        answers[0].text == "set" || answers[1].text == "zset"
    }

    let risks = ["a job with a ttl is forgotten when that passes, held or not"]

    func workLists(of queue: String) -> [WorkList] { [WorkList("rq:queue:\(queue)", takes: .left)] }

    func queues() throws -> [ForeignQueue] {
        let prefix = "rq:queue:"
        let answers = try redis.lookAll([
            RedisCommand("SMEMBERS", "rq:queues"), RedisCommand("ZCARD", Self.schedulerSet),
        ])
        let keys = answers[0].array.compactMap(\.text)
        let own = keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        let timed = Int(answers[1].integer ?? 0)
        // rq-scheduler makes a queue known only with its first job there.
        let jobs = timed == 0 ? [] : try waitingSchedulerJobs()
        let names = Set(texts: own + jobs.map(\.queue)).texts
        let glances = try glance(at: names.sorted()) { queue in
            ["scheduled", "wip", "finished", "failed"].map {
                RedisCommand("ZCARD", "rq:\($0):\(queue)")
            } + [
                RedisCommand("EXISTS", "rq:suspended"),
                RedisCommand("LLEN", Self.intermediate(queue)),
                RedisCommand("ZCARD", "rq:deferred:\(queue)"),
            ] + heads(of: queue)
        }
        let next = glances.map { $0.answers.dropFirst(7).compactMap { $0.bytes }.first }
        var came: [ExactText: Timestamp] = [:]
        for task in try tasks(next.compactMap { $0 }, in: "", .due) {
            came[task.reference] = task.createdAt
        }
        return zip(glances, next).map { glance, element in
            var queue = glance.queue
            let counts = glance.answers.prefix(4).map { Int($0.integer ?? 0) }
            (queue.delayed, queue.running) = (counts[0], counts[1])
            (queue.succeeded, queue.failed) = (counts[2], counts[3])
            queue.taken = Int(glance.answers[5].integer ?? 0)
            queue.add(Int(glance.answers[6].integer ?? 0), .blocked)
            queue.add(
                jobs.count { $0.queue.isSame(as: queue.name) }, .delayed,
                isBound: timed > Self.schedulerLimit)
            if glance.answers[4].integer == 1 {
                queue.ownPause = "rq suspend, all queues; an idle worker takes one more"
            }
            queue.oldest = element.flatMap { came[String(decoding: $0, as: UTF8.self)] }
            return queue
        }
    }

    /// The list of jobs that a worker has taken but not begun.
    static func intermediate(_ queue: String) -> String { "rq:queue:\(queue):intermediate" }

    func intermediatePlace(of reference: String, in queue: String) throws -> Int64? {
        try redis.look("LPOS", Self.intermediate(queue), reference).integer
    }

    /// The jobs there that have not begun: one that begins is taken out a moment later.
    private func taken(_ queue: String, limit: Int) throws -> [ForeignTask] {
        guard limit > 0 else { return [] }
        let ids = try redis.look("LRANGE", Self.intermediate(queue), 0, limit - 1).array
            .compactMap(\.bytes)
        return try tasks(ids, in: queue, .taken)
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        var start = 0
        if let after = query.after {
            start = try offset(after: after, in: query.queue, query.state ?? .waiting)
        }
        let limit = query.limit + 1
        var tasks: [ForeignTask] = []
        let wanted = query.state.map { [$0] } ?? [.running, .waiting, .failed]
        for state in wanted where tasks.count < limit {
            if query.after != nil, query.state == nil, state == .running { continue }
            let from = state == (query.state ?? .waiting) ? start : 0
            tasks += try part(state, of: query.queue, from: from, limit: limit - tasks.count)
        }
        return ForeignPage(first: query.limit, of: tasks)
    }

    private func part(
        _ state: TaskState.Name, of queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        switch state {
        case .running:
            let running = try registry("wip", queue, .running, start, limit)
            let known = Set(texts: running.map(\.reference))
            let taken = try taken(queue, limit: limit - running.count)
            return running + taken.filter { !known.contains($0.reference) }
        case .failed: return try registry("failed", queue, .failed, start, limit)
        case .succeeded: return try registry("finished", queue, .succeeded, start, limit)
        case .deleted: return try registry("canceled", queue, .cancelled, start, limit)
        case .waiting: return try waitingJobs(of: queue, from: start, limit: limit)
        }
    }

    func waitingCount(_ queue: String) throws -> Int {
        let workList = workLists(of: queue)[0]
        return try redis.pipeline(
            [workList.held, workList.list, workList.skipped].map { RedisCommand("LLEN", $0) }
        ).reduce(0) { $0 + Int($1.integer ?? 0) }
    }

    /// The offset after a task in the order of a page.
    private func offset(
        after reference: String, in queue: String, _ state: TaskState.Name
    ) throws -> Int {
        guard state == .waiting else {
            let names: [TaskState.Name: String] = [
                .running: "wip", .failed: "failed", .succeeded: "finished", .deleted: "canceled",
            ]
            let key = "rq:\(names[state] ?? "failed"):\(queue)"
            return Int(try redis.look("ZRANK", key, reference).integer ?? -1) + 1
        }
        return try offset(afterWaiting: reference, in: queue)
    }

    /// A part of a sorted set of jobs.
    func registry(
        _ word: String, _ queue: String, _ display: ForeignTask.Display, _ start: Int, _ limit: Int
    ) throws -> [ForeignTask] {
        guard limit > 0 else { return [] }
        let answer = try redis.look(
            "ZRANGE", "rq:\(word):\(queue)", start, start + limit - 1, "WITHSCORES")
        let pairs = answer.pairs
        // A running job's member is its id, a colon and its attempt.
        let ids = pairs.map { pair in
            word == "wip" ? Array(pair.name.prefix { $0 != UInt8(ascii: ":") }) : pair.name
        }
        var tasks = try tasks(ids, in: queue, display)
        let scores = Dictionary(
            zip(ids.map { ExactText(String(decoding: $0, as: UTF8.self)) }, pairs.map(\.value)),
            uniquingKeysWith: { first, _ in first })
        if word == "scheduled" {
            for index in tasks.indices {
                tasks[index].notBefore = scores[tasks[index].reference].flatMap(Self.moment)
            }
        }
        return tasks
    }

    private static let shown = [
        "description", "status", "created_at", "started_at", "ended_at", "number_of_retries",
        "retries_left", "exc_info", "enqueued_at",
    ]

    func tasks(
        _ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        let names = Self.shown.map { Array($0.utf8) }
        var commands = elements.map { RedisCommand("HMGET", words: [RQJob.key($0)] + names) }
        // Newer versions store the error separately from the job.
        if display == .failed {
            commands += elements.map { id in
                RedisCommand(
                    "XREVRANGE", RQJob.results(String(decoding: id, as: UTF8.self)), "+", "-",
                    "COUNT", 1)
            }
        }
        let answers = try redis.pipeline(commands)
        let calls = try calls(elements)
        return elements.enumerated().map { place, id in
            var fields: [String: RedisValue] = ["data": calls[place]]
            for (name, value) in zip(Self.shown, answers[place].array) where !value.isNone {
                fields[name] = value
            }
            let reference = String(decoding: id, as: UTF8.self)
            var task = RQJob(fields).task(reference, queue, display)
            if task.error == nil, answers.count > elements.count {
                let last = answers[elements.count + place].array.first?.array.last
                task.error = RQJob.error(ofResult: last?.dictionary ?? [:]).map(RQJob.lastLine)
            }
            return task
        }
    }

    /// The calls of listed jobs, without large ones.
    private func calls(_ elements: [[UInt8]]) throws -> [RedisValue] {
        let keys = elements.map(RQJob.key)
        let sizes = try redis.pipeline(keys.map { RedisCommand("HSTRLEN", $0, "data") })
        let places = sizes.indices.filter { (1...RQJob.listedLimit) ~= sizes[$0].integer ?? 0 }
        let read = try redis.pipeline(places.map { RedisCommand("HGET", keys[$0], "data") })
        var calls = Array(repeating: RedisValue.none, count: elements.count)
        for (place, call) in zip(places, read) { calls[place] = call }
        return calls
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let all = try queues().flatMap { queue in
            try registry("scheduled", queue.name, .delayed, 0, limit)
        }
        return ForeignTimer.first(limit, of: all + (try schedulerJobs()))
    }

    func runners() throws -> [ForeignRunner] {
        let keys = try redis.look("SMEMBERS", "rq:workers").array.compactMap(\.bytes)
            .sorted { $0.lexicographicallyPrecedes($1) }
        let executions = Array(":executions".utf8)
        let answers = try redis.lookAll(
            keys.flatMap { key in
                [RedisCommand("HGETALL", key), RedisCommand("SMEMBERS", key + executions)]
            })
        return keys.enumerated().map { place, key in
            let fields = answers[2 * place].dictionary
            let name = String(decoding: key.dropFirst("rq:worker:".count), as: UTF8.self)
            let queues = fields["queues"]?.text?.split(separator: ",").map(String.init) ?? []
            var runner = ForeignRunner(name: name, queues: queues)
            runner.host = fields["hostname"]?.text
            runner.processID = fields["pid"]?.integer
            runner.slots = 1
            // Up to version 2 the worker's hash names the job; later versions list each attempt,
            // with a colon after the job's id.
            let runs = answers[2 * place + 1].array.compactMap(\.text).map { execution in
                String(execution.prefix { $0 != ":" })
            }
            let own = [fields["current_job"]?.text].compactMap { $0 }.filter { !$0.isEmpty }
            runner.running = own + runs.sorted().filter { !own.contains($0) }
            runner.heardAt = fields["last_heartbeat"]?.text.flatMap(TimeText.rfc3339)
            return runner
        }
    }
}
