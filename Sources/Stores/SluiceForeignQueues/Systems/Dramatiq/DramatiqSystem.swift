import SluiceModel
import SluiceSystem

/// Dramatiq with Redis: a list of ids for each queue, and a hash of messages. Its workers ask the
/// list again and again, each time for several.
final class DramatiqSystem: IDListSystem {
    static let systemName = "dramatiq"
    let title = "Dramatiq"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    static let appPrefix: AppPrefix? = AppPrefix(
        title: "Dramatiq", own: "dramatiq", ends: [("__heartbeats__", "zset")])
    private static let prefix = "dramatiq:"
    static let heartbeats = "dramatiq:__heartbeats__"
    private static let acknowledgements = "dramatiq:__acks__."

    static let shapes = [KeySurvey.Shape(prefix), KeySurvey.Shape("{\(prefix)")]

    static let probes = [RedisCommand("TYPE", heartbeats)]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].text == "zset" }

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !redis.names(shapes, queueName).isEmpty
    }

    private static func queueName(_ key: String) -> String? {
        let own = key.hasPrefix("{") ? key.dropFirst().prefix { $0 != "}" } : key[...]
        guard own.hasPrefix(prefix), own != heartbeats else { return nil }
        if let fetched = fetched(String(own)) { return fetched.queue }
        var queue = own.dropFirst(prefix.count)
        for end in [".msgs", ".XQ", ".DQ"] where queue.hasSuffix(end) {
            queue = queue.dropLast(end.count)
        }
        return queue.isEmpty || queue.hasPrefix("__") ? nil : String(queue)
    }

    /// Decodes the key of a worker's set: the worker, its queue, and whether the set is for delayed
    /// messages.
    static func fetched(
        _ key: String
    ) -> (worker: String, queue: String, isTimed: Bool)? {
        guard key.hasPrefix(acknowledgements) else { return nil }
        let parts = key.dropFirst(acknowledgements.count).split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let isTimed = parts[1].hasSuffix(".DQ")
        return (String(parts[0]), String(isTimed ? parts[1].dropLast(3) : parts[1]), isTimed)
    }

    /// The keys of the sets of what workers have fetched of a queue.
    func fetchedKeys(_ queue: String? = nil) throws -> [String] {
        try redis.names(Self.shapes) { $0 }.filter { key in
            guard let found = Self.fetched(key), !found.isTimed else { return false }
            return queue.map { found.queue.isSame(as: $0) } ?? true
        }.sorted()
    }

    private func queueNames() throws -> [String] {
        try redis.names(Self.shapes, Self.queueName).sorted()
    }

    let listsEmptyQueues = false
    let polling: ListPolling? = ListPolling(fillers: 4000)
    let risks = [
        "messages that workers have fetched before run on",
        "with each step workers log a message 'None' for the tasks after it",
    ]

    static func messages(_ queue: String) -> [UInt8] { Array("\(prefix)\(queue).msgs".utf8) }
    static func dead(_ queue: String) -> [UInt8] { Array("\(prefix)\(queue).XQ".utf8) }
    static func timedList(_ queue: String) -> [UInt8] { Array("\(prefix)\(queue).DQ".utf8) }

    func workLists(of queue: String) -> [WorkList] {
        [WorkList("\(Self.prefix)\(queue)", takes: .left)]
    }

    /// The fillers in the lists of held queues during a step, by the place of the queue. Without a
    /// step such a list is empty, because the process that holds it moves arrivals.
    private func fillers(of queues: [ForeignQueue]) throws -> [Int: Int] {
        let shown = queues.indices.filter {
            queues[$0].hold != nil && queues[$0].waiting > queues[$0].held
        }
        let end = (polling?.fillers ?? 0) + 1
        let lists = try redis.lookAll(
            shown.map { RedisCommand("LRANGE", workLists(of: queues[$0].name)[0].list, 0, end) })
        let counts = lists.map { list in
            list.array.filter { $0.bytes == ListPolling.filler }.count
        }
        return Dictionary(uniqueKeysWithValues: zip(shown, counts))
    }

    func queues() throws -> [ForeignQueue] {
        let fetched = Dictionary(grouping: try fetchedKeys()) {
            ExactText(Self.fetched($0)?.queue ?? "")
        }
        let glances = try glance(at: queueNames()) { queue in
            [
                RedisCommand("HLEN", Self.messages("\(queue).DQ")),
                RedisCommand("ZCARD", Self.dead(queue)),
            ] + heads(of: queue)
                + fetched[queue, default: []].flatMap {
                    [
                        RedisCommand("SCARD", $0),
                        RedisCommand("SISMEMBER", $0, ListPolling.filler),
                    ]
                }
        }
        let texts = try redis.lookAll(
            glances.map { glance in
                let next = glance.answers[2...3].compactMap { $0.bytes }.first ?? []
                return RedisCommand("HGET", Self.messages(glance.queue.name), next)
            })
        let fillers = try fillers(of: glances.map(\.queue))
        return zip(glances, texts).enumerated().map { place, pair in
            let (glance, text) = pair
            var queue = glance.queue
            queue.waiting -= fillers[place] ?? 0
            let counts = glance.answers.map { Int($0.integer ?? 0) }
            (queue.delayed, queue.failed) = (counts[0], counts[1])
            // A fetched filler is no message.
            let members = counts.dropFirst(4).enumerated()
            queue.running = members.reduce(0) { $0 + ($1.offset % 2 == 0 ? 1 : -1) * $1.element }
            queue.oldest =
                text.bytes.flatMap { DramatiqMessage($0) }?
                .task("", in: queue.name, .due).createdAt
            return queue
        }
    }

    func tasks(
        _ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        try tasks(elements, in: queue, display, of: Self.messages(queue))
    }

    private func tasks(
        _ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display, of hash: [UInt8]
    ) throws -> [ForeignTask] {
        let ids = elements.filter { $0 != ListPolling.filler }
        guard !ids.isEmpty else { return [] }
        let texts = try redis.call(RedisCommand("HMGET", words: [hash] + ids)).array
        return zip(ids, texts).map { id, text in
            let reference = String(decoding: id, as: UTF8.self)
            return text.bytes.flatMap { DramatiqMessage($0) }?.task(reference, in: queue, display)
                ?? ForeignTask(reference: reference, queue: queue, type: "?", display: display)
        }
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        switch state {
        case .waiting: return try timed(queue)
        case .failed:
            let ids = try redis.look("ZREVRANGE", Self.dead(queue), 0, limit - 1).array
            return try tasks(
                ids.compactMap(\.bytes), in: queue, .failed, of: Self.messages("\(queue).XQ"))
        case .succeeded, .deleted: return []
        case .running:
            var found: [ForeignTask] = []
            for key in try fetchedKeys(queue) where found.count < limit {
                let ids = try redis.look("SRANDMEMBER", key, limit).array.compactMap(\.bytes)
                found += try tasks(ids, in: queue, .running)
            }
            return found
        }
    }

    /// The maximum number of delayed messages to read.
    private static let timedLimit = 1000

    /// The delayed messages; most of them wait in the memory of workers.
    private func timed(_ queue: String) throws -> [ForeignTask] {
        let hash = Self.messages("\(queue).DQ")
        let answer = try redis.look("HSCAN", hash, 0, "COUNT", Self.timedLimit).array
        return (answer.last?.pairs ?? []).compactMap { id, text in
            text.bytes.flatMap { DramatiqMessage($0) }?.task(
                String(decoding: id, as: UTF8.self), in: queue, .delayed)
        }.map { task in
            var task = task
            if task.attempts ?? 0 > 0 { task.display = .retrying }
            return task
        }.sorted { ($0.notBefore?.milliseconds ?? 0) < ($1.notBefore?.milliseconds ?? 0) }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        ForeignTimer.first(limit, of: try queueNames().flatMap { try timed($0) })
    }

    /// The brokers that are workers: a program that only sends has a heartbeat too. A worker has
    /// fetched messages, or asks for some at least once a second.
    func runners() throws -> [ForeignRunner] {
        let keys = try fetchedKeys()
        let beats = try redis.look("ZRANGE", Self.heartbeats, 0, -1, "WITHSCORES").pairs
        let busy = Set(keys.compactMap { Self.fetched($0)?.worker })
        let names = beats.map { String(decoding: $0.name, as: UTF8.self) }
        let asking = try names.allSatisfy(busy.contains) ? nil : timesOfAsking()
        return try zip(names, beats).compactMap { worker, beat in
            let score = beat.value
            let own = keys.filter { Self.fetched($0)?.worker == worker }
            let heard = score.text.flatMap { Double($0) } ?? 0
            guard !own.isEmpty || asking?.contains(heard) == true else { return nil }
            // A worker has a set only for queues with fetched messages, so its list of queues is
            // unknown.
            var runner = ForeignRunner(name: worker, queues: [])
            runner.running = try own.flatMap { key in
                try redis.look("SRANDMEMBER", key, 100).array.compactMap(\.bytes)
                    .filter { $0 != ListPolling.filler }
                    .map { String(decoding: $0, as: UTF8.self) }
            }
            runner.heardAt = score.text.flatMap { Double($0) }
                .flatMap { ForeignTime.moment(seconds: $0 / 1000) }
            return runner
        }
    }

    /// The heartbeats, in milliseconds, of workers without messages; `nil` if no connection asks
    /// for messages, as far as the server lets this user look. A program that only sends has such
    /// a heartbeat for a moment.
    private func timesOfAsking() throws -> ClosedRange<Double>? {
        let answers = try redis.pipeline([
            RedisCommand("TIME"), RedisCommand("CLIENT", "LIST"),
        ])
        if case .bytes(let bytes) = answers[1],
            !RedisClientLine.all(in: bytes, database: redis.address.database)
                .contains(where: { $0.runsScript && !$0.name.hasPrefix("sluice") })
        {
            return nil
        }
        let seconds = answers[0].array.first?.text.flatMap { Double($0) } ?? 0
        return seconds * 1000 - Self.askingMilliseconds...seconds * 1000 + Self.askingMilliseconds
    }

    /// A worker asks at least once a second, and the clocks of machines may differ.
    private static let askingMilliseconds = 3_000.0

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        let step = try stepByGuards(queue, task: task, limits: limits)
        // Remove fetched fillers, which a worker never acknowledges.
        _ = try redis.pipeline(
            try fetchedKeys(queue).map { RedisCommand("SREM", $0, ListPolling.filler) })
        return step
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        let answers = try redis.pipeline([
            RedisCommand("HGET", Self.messages(task.queue), task.reference),
            RedisCommand("HGET", Self.messages("\(task.queue).XQ"), task.reference),
        ])
        if let dead = answers[1].bytes {
            return ("giveUp", DramatiqMessage(dead)?.error)
        }
        guard answers[0].isNone else { return nil }
        // A retry has the same message with another id.
        let again = try timed(task.queue).first { other in
            other.attempts ?? 0 > task.attempts ?? 0 && other.createdAt == task.createdAt
                && other.label == task.label
        }
        return again.map { ("retry", $0.error) } ?? ("success", nil)
    }
}
