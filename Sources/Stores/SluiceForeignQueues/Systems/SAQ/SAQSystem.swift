import SluiceModel
import SluiceSystem

/// SAQ with Redis: a list of keys, and a JSON text for each job.
final class SAQSystem: IDListSystem {
    static let systemName = "saq"
    let title = "SAQ"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    private static let sets = ["incomplete", "stats"].map {
        KeySurvey.Shape("saq:", end: ":\($0)")
    }
    static let shapes = sets + [jobShape]

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !queueNames(redis).isEmpty || !redis.keys.names(jobShape, in: redis).isEmpty
    }

    private static func queueNames(_ redis: RedisConnection) throws -> [String] {
        try redis.names(sets, type: "zset") { key in
            key.dropFirst("saq:".count).lastIndex(of: ":").map {
                String(key[..<$0].dropFirst("saq:".count))
            }
        }.sorted()
    }

    let risks = ["a job with the key of a held job is not taken"]

    func workLists(of queue: String) -> [WorkList] {
        [WorkList("saq:\(queue):queued", takes: .left)]
    }

    func queues() throws -> [ForeignQueue] {
        let ended = try ended()
        let names = try Set(texts: Self.queueNames(redis) + ended.tasks.map(\.queue)).texts
        return try glance(at: names.sorted()) { queue in
            [
                RedisCommand("LLEN", "saq:\(queue):active"),
                RedisCommand("ZCOUNT", "saq:\(queue):incomplete", 1, "+inf"),
            ]
        }.map { queue, answers in
            var queue = queue
            (queue.running, queue.delayed) = (
                Int(answers[0].integer ?? 0), Int(answers[1].integer ?? 0)
            )
            for task in ended.tasks where task.queue.isSame(as: queue.name) {
                queue.add(1, task.display)
            }
            if !ended.isAll { queue.bounds.formUnion([.failed, .succeeded]) }
            return queue
        }
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        switch state {
        case .running:
            let ids = try redis.look("LRANGE", "saq:\(queue):active", 0, limit - 1).array
            return try tasks(ids.compactMap(\.bytes), in: queue, .running)
        case .waiting: return try timed(queue, limit: limit)
        case .failed, .succeeded, .deleted:
            return try Array(
                ended().tasks.filter {
                    $0.display.state == state && $0.queue.isSame(as: queue)
                }.prefix(limit))
        }
    }

    private func timed(_ queue: String, limit: Int) throws -> [ForeignTask] {
        let pairs = try redis.look(
            "ZRANGEBYSCORE", "saq:\(queue):incomplete", 1, "+inf", "WITHSCORES", "LIMIT", 0, limit
        ).pairs
        return zip(try tasks(pairs.map(\.name), in: queue, .delayed), pairs).map { task, pair in
            var task = task
            Self.delay(&task, until: pair.value)
            return task
        }
    }

    /// Shows a job that waits for the time of its score.
    private static func delay(_ task: inout ForeignTask, until score: RedisValue) {
        let seconds = score.text.flatMap { Double($0) }
        task.notBefore = seconds.flatMap(ForeignTime.moment(seconds:))
        task.display = task.attempts ?? 0 > 0 ? .retrying : .delayed
    }

    func tasks(
        _ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        guard !elements.isEmpty else { return [] }
        let texts = try redis.call(RedisCommand("MGET", words: elements)).array
        return zip(elements, texts).map { id, text in
            let job = text.bytes.flatMap { Self.read($0)?.job }
            return Self.task(String(decoding: id, as: UTF8.self), queue, display, job)
        }
    }

    /// Decodes a job from JSON or MessagePack.
    static func read(_ bytes: [UInt8]) -> (job: JSONValue, format: String)? {
        if let job = try? JSONValue.parse(bytes) { return (job, "json") }
        guard let job = MessagePackReader.value(bytes), job.object != nil else { return nil }
        return (job, "msgpack")
    }

    static func task(
        _ id: String, _ queue: String, _ display: ForeignTask.Display, _ job: JSONValue?
    ) -> ForeignTask {
        var task = ForeignTask(
            reference: id, queue: queue, type: job?["function"]?.string ?? "?", display: display)
        // SAQ leaves out a field with its default. Its retries count the first execution too.
        task.attempts = job.map { Int(clamping: $0["attempts"]?.integer ?? 0) }
        task.attemptLimit = job.map { Int(clamping: $0["retries"]?.integer ?? 1) }
        task.createdAt = job?["queued"]?.integer.map { Timestamp(milliseconds: $0) }
        task.priority = job?["priority"]?.integer
        if display == .running, let began = job?["started"]?.integer, began > 0 {
            task.startedAt = Timestamp(milliseconds: began)
        }
        task.endedAt = job?["completed"]?.integer.flatMap {
            $0 > 0 ? Timestamp(milliseconds: $0) : nil
        }
        // The error of an aborted job is the word of the person who aborted it.
        if display != .cancelled {
            task.error = job?["error"]?.string?.split(whereSeparator: \.isNewline).last
                .map(String.init)
        }
        task.label = job?["kwargs"].map { "\(task.type)(\($0.text))" }
        return task
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let all = try Self.queueNames(redis).flatMap { try timed($0, limit: limit) }
        return ForeignTimer.first(limit, of: all)
    }

    func runners() throws -> [ForeignRunner] {
        try Self.queueNames(redis).flatMap { queue -> [ForeignRunner] in
            let keys = try redis.look("ZRANGE", "saq:\(queue):stats", 0, -1).array.compactMap(
                \.text)
            return keys.map { key in
                let id = key.split(separator: ":").last.map(String.init) ?? key
                return ForeignRunner(name: id, queues: [queue])
            }
        }
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        guard let bytes = try redis.look("GET", task.reference).bytes,
            let job = Self.read(bytes)?.job
        else { return (nil, nil) }
        let error = Self.task(task.reference, task.queue, .failed, job).error
        switch job["status"]?.string {
        case "complete": return ("success", nil)
        case "failed": return ("giveUp", error)
        case "aborted": return ("cancelled", error)
        case "queued" where job["attempts"]?.integer ?? 0 > Int64(task.attempts ?? 0):
            return ("retry", error)
        default: return nil
        }
    }
}

extension SAQSystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        guard reference.hasPrefix("saq:job:"),
            let bytes = try redis.pipeline([RedisCommand("GET", reference)]).first?.bytes,
            let (job, format) = Self.read(bytes), let queue = job["queue"]?.string
        else { return nil }
        var task = Self.task(
            reference, queue, Self.displays[job["status"]?.string ?? ""] ?? .cancelled, job)
        if task.display == .due {
            if let place = try place(of: reference, in: queue) {
                if place.list == place.workList.held { task.display = .held }
                if place.list == place.workList.skipped { task.display = .skipped }
            } else {
                let score = try redis.look("ZSCORE", "saq:\(queue):incomplete", reference)
                Self.delay(&task, until: score)
            }
        }
        return Self.detail(task, bytes, job, format)
    }

    /// The jobs of a page, in one question.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        guard !tasks.isEmpty else { return [] }
        let keys = tasks.map { Array($0.reference.utf8) }
        return zip(tasks, try redis.call(RedisCommand("MGET", words: keys)).array).map {
            task, text in
            guard let bytes = text.bytes, let (job, format) = Self.read(bytes) else { return nil }
            return Self.detail(task, bytes, job, format)
        }
    }

    private static func detail(
        _ task: ForeignTask, _ bytes: [UInt8], _ job: JSONValue, _ format: String
    ) -> ForeignDetail {
        var detail = ForeignDetail(
            task: task,
            payload: ForeignPayload(
                bytes: bytes, format: format, value: job["kwargs"] ?? .object([:]),
                whyFixed: format == "json" ? nil : "msgpack is read here and not written"))
        for pair in job.object?.pairs ?? [] where pair.key != "kwargs" && !pair.value.isNull {
            detail.fields[pair.key] = pair.value
        }
        return detail
    }

    static func isJSON(_ answer: RedisValue) -> Bool {
        answer.bytes.map { (try? JSONValue.parse($0)) != nil } ?? true
    }

    /// A job in JSON; `nil` for one in msgpack.
    private func object(_ reference: String) throws -> JSONObject? {
        try redis.look("GET", reference).bytes.flatMap { try? JSONValue.parse($0) }?.object
    }

    private static func write(_ job: JSONObject, to key: [UInt8], _ steps: inout RedisChange) {
        steps.keep(key)
        steps.call(RedisCommand("SET", key, JSONValue.object(job).bytes, "KEEPTTL"))
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let (reference, queue) = (detail.task.reference, detail.task.queue)
        guard let place = try place(of: reference, in: queue) else {
            throw QueueError.notLegal("task \(reference) waits in no list")
        }
        let incomplete = Array("saq:\(queue):incomplete".utf8)
        var steps = RedisChange()
        switch change {
        case .delete:
            steps.take(place.element, from: place.list)
            steps.removeMember(place.element, from: incomplete)
            steps.keep(place.element)
            steps.call(RedisCommand("DEL", place.element))
        case .edit(let value):
            guard try Self.isJSON(redis.look("GET", reference)) else {
                throw QueueError.notLegal(
                    "it cannot be edited: msgpack is read here and not written")
            }
            guard value.object != nil, var job = try object(reference) else {
                throw QueueError(
                    .badValue, "the payload is no object", fix: "SAQ's arguments are named")
            }
            job["kwargs"] = value
            Self.write(job, to: place.element, &steps)
        case .postpone(let moment):
            let milliseconds = moment.milliseconds
            steps.take(place.element, from: place.list)
            steps.putMember(place.element, into: incomplete, score: Double(milliseconds) / 1000)
            // SAQ's own page reads the time in the job. A job in msgpack keeps its old one.
            if var job = try object(reference) {
                job["scheduled"] = .integer(milliseconds / 1000)
                Self.write(job, to: place.element, &steps)
            }
        default: return try changeOfPlace(place, change)
        }
        return (steps, [])
    }
}

/// The jobs that have ended. SAQ keeps each under its own key, for ten minutes by default, and in
/// no list.
extension SAQSystem {
    static let jobShape = KeySurvey.Shape("saq:job:")
    /// The maximum number of jobs to search for ended ones, since waiting jobs have such keys too.
    private static let limit = 2_000

    static let displays: [String: ForeignTask.Display] = [
        "new": .due, "queued": .due, "active": .running, "aborting": .running,
        "aborted": .cancelled, "failed": .failed, "complete": .succeeded,
    ]
    private static let words = ["aborted", "failed", "complete"].map { Array($0.utf8) }

    /// The ended jobs of all queues, the newest first, and whether they are all.
    func ended() throws -> (tasks: [ForeignTask], isAll: Bool) {
        let names = try redis.names([Self.jobShape]) { $0 }
        let keys = names.prefix(Self.limit).map { Array($0.utf8) }
        guard !keys.isEmpty else { return ([], true) }
        let texts = try redis.call(RedisCommand("MGET", words: keys)).array
        let tasks = zip(names, texts).compactMap { name, text -> ForeignTask? in
            // Most jobs wait: a text without such a word is not decoded.
            guard let bytes = text.bytes,
                Self.words.contains(where: { bytes.firstRange(of: $0) != nil }),
                let job = Self.read(bytes)?.job, let queue = job["queue"]?.string,
                let display = Self.displays[job["status"]?.string ?? ""],
                [.failed, .succeeded, .cancelled].contains(display)
            else { return nil }
            return Self.task(name, queue, display, job)
        }
        let newest = tasks.sorted { ($0.endedAt ?? .unknown) > ($1.endedAt ?? .unknown) }
        return (newest, names.count <= Self.limit)
    }
}
