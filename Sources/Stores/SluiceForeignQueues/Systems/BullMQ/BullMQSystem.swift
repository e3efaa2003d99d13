import SluiceModel
import SluiceSystem

/// BullMQ: lists, sorted sets and a hash for each job, under a prefix for each queue.
final class BullMQSystem: RedisSystem {
    static let systemName = "bullmq"
    let title = "BullMQ"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    static let shapes = BullMQKeys.shapes
    static let staysInOneSlot = true

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !queueNames(redis).isEmpty
    }

    static func queueNames(_ redis: RedisConnection) throws -> [String] {
        let keys = try redis.names(shapes, type: "hash") { $0 }.sorted()
        // Under another prefix than its own the name alone says little.
        let foreign = keys.filter { $0.hasPrefix("{") }
        let answers = try redis.lookAll(
            foreign.map { RedisCommand("HEXISTS", $0, "opts.maxLenEvents") })
        let others = Set(texts: zip(foreign, answers).filter { $0.1.integer != 1 }.map(\.0))
        return keys.filter { !others.contains($0) }.map(BullMQKeys.queue).sorted()
    }

    /// Throws `notLegal` if the keys of a queue are on several nodes of a cluster.
    func requireOneSlot(_ queue: String) throws {
        guard redis.isCluster, !BullMQKeys(queue).isInOneSlot else { return }
        throw QueueError.notLegal(
            "the keys of \(queue) lie in several slots of the cluster",
            fix: "BullMQ itself needs a prefix in braces there, such as {bull}")
    }

    func queues() throws -> [ForeignQueue] {
        let names = try Self.queueNames(redis)
        let answers = try redis.lookAll(
            names.flatMap { name in
                let keys = BullMQKeys(name)
                return BullMQKeys.places.map {
                    RedisCommand($0.isList ? "LLEN" : "ZCARD", keys.key($0.name))
                } + [
                    RedisCommand("HGETALL", keys.key("meta")),
                    RedisCommand("EXISTS", keys.key("meta-paused")),
                ]
            })
        return names.enumerated().map { place, queueName in
            let own = answers[(place * (BullMQKeys.places.count + 2))...]
            let counts = own.prefix(BullMQKeys.places.count).map { Int($0.integer ?? 0) }
            var queue = ForeignQueue(name: queueName, system: name)
            queue.running = counts[0]
            queue.waiting = counts[1...4].reduce(0, +)
            queue.delayed = counts[5]
            queue.failed = counts[7]
            queue.succeeded = counts[8]
            let meta = own[own.startIndex + BullMQKeys.places.count].dictionary
            queue.hold = Self.hold(meta)
            if own[own.startIndex + BullMQKeys.places.count + 1].integer == 1,
                meta["opts.maxLenEvents"] == nil, meta["version"] == nil
            {
                queue.ownPause = "Bull's own pause: it is a queue of Bull, not of BullMQ"
            } else if queue.hold != nil {
                queue.held = queue.waiting
                if meta["paused"] == nil { queue.hold?.leak = "BullMQ's own resume opened it" }
            } else if meta["paused"] != nil {
                queue.ownPause = "BullMQ's own pause"
            } else {
                queue.held = counts[1] + counts[2]
            }
            queue.add(counts[6], .blocked)
            return queue
        }
    }

    private static func hold(_ meta: [String: RedisValue]) -> ForeignHold? {
        guard let by = meta["sluice:by"]?.text, let since = meta["sluice:since"]?.integer else {
            return nil
        }
        let reason = meta["sluice:reason"]?.text ?? ""
        return ForeignHold(
            note: HoldNote(
                by: by, since: Timestamp(milliseconds: since),
                reason: reason.isEmpty ? nil : reason), recipe: "its own pause and a gate")
    }

    func isHeld(_ queue: String) throws -> Bool {
        try redis.look("HEXISTS", BullMQKeys(queue).key("meta"), "sluice:by").integer == 1
    }

    /// The hold of a queue and BullMQ's own pause, which decide what its waiting jobs show.
    private struct Stop {
        let isHeld: Bool
        let isPaused: Bool

        /// The display of a job in a place. No worker takes one in the list of a pause that ended.
        func display(in place: ForeignTask.Display) -> ForeignTask.Display {
            guard place == .due || place == .held else { return place }
            return isHeld || place == .held && !isPaused ? .held : .due
        }
    }

    private func stop(of queue: String) throws -> Stop {
        let meta = try redis.look("HMGET", BullMQKeys(queue).key("meta"), "sluice:by", "paused")
            .array.map { !$0.isNone }
        return Stop(isHeld: meta.first ?? false, isPaused: meta.last ?? false)
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        var tasks: [ForeignTask] = []
        let limit = query.limit + 1
        let stop = try stop(of: query.queue)
        var after = query.after
        for place in BullMQKeys.places where tasks.count < limit {
            let state = place.display.state
            let isDefault = place.display != .succeeded
            guard query.state == state || (query.state == nil && isDefault) else { continue }
            let key = BullMQKeys(query.queue).key(place.name)
            var start = 0
            if let id = after.map(BullMQKeys(query.queue).id) {
                let command = place.isList ? "LPOS" : "ZRANK"
                guard let rank = try redis.look(command, key, id).integer else { continue }
                let length = Int(try redis.look(place.isList ? "LLEN" : "ZCARD", key).integer ?? 0)
                start = place.isList ? length - Int(rank) : Int(rank) + 1
                after = nil
            }
            let display = stop.display(in: place.display)
            let ids = try ids(key, place.isList, from: start, limit: limit - tasks.count)
            tasks += try self.tasks(ids, query.queue, display)
        }
        if query.after == nil, let first = tasks.firstIndex(where: { $0.display == .due }) {
            tasks[first].display = .next
        }
        return ForeignPage(first: query.limit, of: tasks)
    }

    /// Workers take from the right end of a list.
    func ids(_ key: [UInt8], _ isList: Bool, from start: Int, limit: Int) throws -> [[UInt8]] {
        guard isList else {
            return try redis.look("ZRANGE", key, start, start + limit - 1).array
                .compactMap(\.bytes)
        }
        return ListEnd.right.ordered(try redis.lookAll([ListEnd.right.range(key, start, limit)])[0])
    }

    func tasks(
        _ ids: [[UInt8]], _ queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        let names = [
            "name", "data", "timestamp", "delay", "priority", "atm", "failedReason", "opts",
            "processedOn",
        ]
        let answers = try redis.pipeline(
            ids.map { id in
                RedisCommand(
                    "HMGET", words: [BullMQKeys(queue).key("") + id] + names.map { Array($0.utf8) })
            })
        return zip(ids, answers).map { id, answer in
            var fields: [String: RedisValue] = [:]
            for (name, value) in zip(names, answer.array) where !value.isNone {
                fields[name] = value
            }
            return Self.task(String(decoding: id, as: UTF8.self), queue, display, fields)
        }
    }

    private static func task(
        _ id: String, _ queue: String, _ display: ForeignTask.Display,
        _ fields: [String: RedisValue]
    ) -> ForeignTask {
        var task = ForeignTask(
            reference: BullMQKeys(queue).reference(id), queue: queue,
            type: fields["name"]?.text ?? "?", display: display)
        task.createdAt = fields["timestamp"]?.integer.map { Timestamp(milliseconds: $0) }
        if display == .running {
            task.startedAt = fields["processedOn"]?.integer.map { Timestamp(milliseconds: $0) }
        }
        task.attempts = Int(clamping: fields["atm"]?.integer ?? 0)
        task.priority = fields["priority"]?.integer
        task.label = fields["data"]?.text.map { String($0.prefix(200)) }
        task.error = fields["failedReason"]?.text
        let options = fields["opts"]?.bytes.flatMap { try? JSONValue.parse($0) }
        // A job without a number of attempts, or with 0, runs once.
        task.attemptLimit = max(1, Int(clamping: options?["attempts"]?.integer ?? 1))
        if display == .delayed, let delay = fields["delay"]?.integer, let made = task.createdAt {
            task.notBefore = made + delay
            if task.attempts ?? 0 > 0 { task.display = .retrying }
        }
        return task
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let all = try Self.queueNames(redis).flatMap { queue -> [ForeignTask] in
            let answer = try redis.look(
                "ZRANGE", BullMQKeys(queue).key("delayed"), 0, limit - 1, "WITHSCORES")
            let pairs = answer.pairs
            let tasks = try tasks(pairs.map(\.name), queue, .delayed)
            return zip(tasks, pairs).map { task, pair in
                // Milliseconds, with a counter below.
                var task = task
                let score = pair.value.text.flatMap { Double($0) }
                task.notBefore = score.map { Timestamp(milliseconds: Int64($0 / 4096)) }
                return task
            }
        }
        return ForeignTimer.first(limit, of: all)
    }

    /// The workers name their connections after their queue.
    func runners() throws -> [ForeignRunner] {
        let queues = try Self.queueNames(redis)
        let lines = try RedisClientLine.all(redis, database: redis.address.database)
        return queues.flatMap { queue -> [ForeignRunner] in
            lines.filter(BullMQKeys(queue).isWorker).map {
                ForeignRunner(name: "\(queue) #\($0.id)", queues: [queue])
            }
        }
    }

    let listsRunners = false

    /// By its queue and its id, or by its id alone where no other queue has a job of that id;
    /// throws `ambiguousTask` if one has.
    func detail(_ reference: String) throws -> ForeignDetail? {
        let names = try Self.queueNames(redis)
        let whole = try having(names.filter { reference.hasPrefix("\($0):") }, reference)
        let queues = whole.isEmpty ? try having(names, reference) : whole
        guard queues.count < 2 else {
            let all = queues.map { BullMQKeys($0).reference(BullMQKeys($0).id(reference)) }
            throw QueueError(
                .ambiguousTask,
                "\"\(reference)\" may be \(all.prefix(3).joined(separator: ", "))"
                    + (all.count > 3 ? " or others" : ""), fix: "give the whole id")
        }
        return try queues.first.flatMap { try detail(BullMQKeys($0).id(reference), in: $0) }
    }

    /// Those queues that have a job of that name.
    private func having(_ queues: [String], _ reference: String) throws -> [String] {
        let answers = try redis.lookAll(
            queues.map { queue in
                let keys = BullMQKeys(queue)
                return RedisCommand("HEXISTS", keys.key(keys.id(reference)), "opts")
            })
        return zip(queues, answers).filter { $0.1.integer == 1 }.map(\.0)
    }

    private func detail(_ id: String, in queue: String) throws -> ForeignDetail? {
        let keys = BullMQKeys(queue)
        let fields = try redis.look("HGETALL", keys.key(id)).dictionary
        guard fields["name"] != nil, fields["opts"] != nil else { return nil }
        var display = ForeignTask.Display.cancelled
        for place in BullMQKeys.places {
            let command = place.isList ? "LPOS" : "ZSCORE"
            if try !redis.look(command, keys.key(place.name), id).isNone {
                display = place.display
                break
            }
        }
        display = try stop(of: queue).display(in: display)
        return Self.detail(Self.task(id, queue, display, fields), fields)
    }

    /// The jobs of a page, in one question.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let answers = try redis.pipeline(
            tasks.map { task in
                let keys = BullMQKeys(task.queue)
                return RedisCommand("HGETALL", keys.key(keys.id(task.reference)))
            })
        return zip(tasks, answers).map { task, answer in
            let fields = answer.dictionary
            return fields["name"] == nil ? nil : Self.detail(task, fields)
        }
    }

    private static func detail(
        _ task: ForeignTask, _ fields: [String: RedisValue]
    ) -> ForeignDetail {
        let bytes = fields["data"]?.bytes ?? []
        let value = try? JSONValue.parse(bytes)
        var detail = ForeignDetail(
            task: task,
            payload: ForeignPayload(
                bytes: bytes, format: "json", value: value,
                whyFixed: value == nil ? "it is no JSON" : nil))
        detail.attempts = attempts(fields, task.display == .failed)
        for (name, value) in fields.sorted(by: { $0.key < $1.key })
        where !["data", "stacktrace"].contains(name) {
            detail.fields[name] = .string(value.text ?? "")
        }
        return detail
    }

    /// The failed attempts; the last one of a failed job ended it.
    private static func attempts(
        _ fields: [String: RedisValue], _ hasFailed: Bool
    ) -> [ForeignAttempt] {
        let traces = fields["stacktrace"]?.bytes.flatMap { try? JSONValue.parse($0) }?.array ?? []
        return traces.enumerated().map { index, trace in
            var attempt = ForeignAttempt(number: index + 1)
            attempt.outcome = hasFailed && index == traces.count - 1 ? "giveUp" : "retry"
            attempt.error = trace.string
            return attempt
        }
    }
}
