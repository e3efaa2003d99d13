import SluiceModel
import SluiceSystem

/// Taskiq's `RedisStreamBroker`: a stream of messages for each queue, with a consumer group.
///
/// A hold moves the position of the group past every entry. The server then delivers nothing, and
/// no process is needed.
final class TaskiqStreamSystem: RedisSystem {
    static let systemName = "taskiqstream"
    let title = "Taskiq on streams"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    static let shapes = TaskiqListSystem.shapes
    static let probes = TaskiqListSystem.probes
    private static let anyName = KeySurvey.Shape("")
    /// The maximum number of streams to inspect for messages.
    private static let streamLimit = 1000

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].text == "stream" }

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        let names = try redis.names([TaskiqListSystem.named], type: "stream") { $0 }
        return try !found(names, redis).isEmpty
            || !TaskiqListSystem.held(systemName, redis).isEmpty
    }

    /// The streams with a message as last entry, or with a group of Taskiq's own name.
    private static func found(
        _ names: [String], _ redis: RedisConnection
    ) throws -> [TaskiqStream] {
        let names = Array(names.prefix(streamLimit))
        let answers = try TaskiqStream.ask(
            names.flatMap { name in
                TaskiqStream.questions(name)
                    + [RedisCommand("XREVRANGE", name, "+", "-", "COUNT", 1)]
            }, redis)
        return names.enumerated().compactMap { place, name in
            let stream = TaskiqStream(name, answers[(3 * place)..<(3 * place + 2)])
            let last = answers[3 * place + 2].array.first
            let isOwn = last.flatMap { TaskiqEntry($0) } != nil
            let isEmpty = last == nil && stream.group == TaskiqListSystem.defaultQueue
            return isOwn || isEmpty || stream.hold != nil ? stream : nil
        }
    }

    func streams() throws -> [TaskiqStream] {
        let names = try redis.streams.names(Self.anyName, in: redis)
            .map { String(decoding: $0, as: UTF8.self) }.sorted { $0.precedes($1) }
        return try Self.found(names, redis)
    }

    func stream(_ name: String) throws -> TaskiqStream {
        TaskiqStream(name, try TaskiqStream.ask(TaskiqStream.questions(name), redis)[...])
    }

    /// The maximum number of entries to count.
    private static let countLimit = 10_000

    func queues() throws -> [ForeignQueue] {
        let streams = try streams()
        let answers = try redis.lookAll(
            streams.flatMap { stream in
                [
                    counting(stream), RedisCommand("LLEN", stream.workList.skipped),
                    RedisCommand("XRANGE", stream.name, "(\(stream.start)", "+", "COUNT", 1),
                ]
            })
        return streams.enumerated().map { place, stream in
            let own = Array(answers[(3 * place)..<(3 * place + 3)])
            var queue = ForeignQueue(name: stream.name, system: name)
            queue.hold = stream.hold
            queue.waiting = stream.count ?? Int(own[0].integer ?? 0)
            if stream.count == nil, queue.waiting >= Self.countLimit {
                queue.bounds.formUnion([.waiting, .held])
            }
            queue.held = stream.isHeld ? queue.waiting : 0
            queue.taken = stream.pending
            queue.skipped = Int(own[1].integer ?? 0)
            let head = own[2].array.first.flatMap { TaskiqEntry($0) }
            queue.oldest = head?.task(in: queue.name, .due).createdAt
            return queue
        }
    }

    /// Counts the waiting entries up to the limit.
    private func counting(_ stream: TaskiqStream) -> RedisCommand {
        .script(
            """
            local count, place = 0, '(' .. ARGV[1]
            while count < tonumber(ARGV[2]) do
                local part = redis.call('XRANGE', KEYS[1], place, '+', 'COUNT', 500)
                for _, entry in ipairs(part) do
                    count = count + 1 - redis.call('SISMEMBER', KEYS[2], entry[1])
                end
                if #part < 500 then return count end
                place = '(' .. part[#part][1]
            end
            return tonumber(ARGV[2])
            """, keys: [Array(stream.name.utf8), stream.stepped],
            arguments: [stream.start, stream.count == nil ? Self.countLimit : 0])
    }

    /// Hands over the waiting entries after one of them, until `body` gives false.
    func each(
        of stream: TaskiqStream, after id: String? = nil, _ body: (TaskiqEntry) throws -> Bool
    ) throws {
        var place = id ?? stream.start
        let stepped =
            stream.hold == nil
            ? [] : Set(try redis.look("SMEMBERS", stream.stepped).array.compactMap(\.text))
        while true {
            let part = try redis.look("XRANGE", stream.name, "(\(place)", "+", "COUNT", 500).array
            for answer in part {
                guard let entry = TaskiqEntry(answer), !stepped.contains(entry.id) else { continue }
                seen.keep(Array(entry.id.utf8), of: entry.message.id)
                guard try body(entry) else { return }
            }
            guard part.count == 500, let last = part.last?.array.first?.text else { return }
            place = last
        }
    }

    var seen: SeenElements { session.seen }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        let stream = try stream(query.queue)
        let limit = query.limit + 1
        var tasks: [ForeignTask] = []
        if query.state == .running || query.state == nil && query.after == nil {
            tasks += try pending(stream, limit: limit).map(\.task)
        }
        if query.state == nil || query.state == .waiting {
            tasks += try waiting(stream, after: query.after, limit: limit - tasks.count)
        }
        return ForeignPage(first: query.limit, of: tasks)
    }

    private func waiting(
        _ stream: TaskiqStream, after reference: String?, limit: Int
    ) throws -> [ForeignTask] {
        let skipped = try redis.look("LRANGE", stream.workList.skipped, 0, -1).array
            .compactMap(\.bytes).compactMap { TaskiqMessage($0) }
        if let place = skipped.firstIndex(where: { $0.id == reference }) {
            return skipped[(place + 1)...].prefix(max(limit, 0)).map {
                $0.task(in: stream.name, .skipped)
            }
        }
        var tasks: [ForeignTask] = []
        let after = try reference.flatMap { try entry($0, in: stream)?.id }
        if limit > 0 {
            try each(of: stream, after: after) { entry in
                let isFirst = after == nil && tasks.isEmpty
                tasks.append(
                    entry.task(
                        in: stream.name, stream.isHeld ? .held : isFirst ? .next : .due))
                return tasks.count < limit
            }
        }
        let rest = max(0, limit - tasks.count)
        return tasks + skipped.prefix(rest).map { $0.task(in: stream.name, .skipped) }
    }

    /// A waiting entry: the one that was last read for the task, or the first of its id.
    func entry(_ reference: String, in stream: TaskiqStream) throws -> TaskiqEntry? {
        if let id = seen[reference].map({ String(decoding: $0, as: UTF8.self) }),
            Self.isAfter(id, stream.start)
        {
            let answers = try redis.lookAll([
                RedisCommand("XRANGE", stream.name, id, id),
                RedisCommand("SISMEMBER", stream.stepped, id),
            ])
            let isStepped = stream.hold != nil && answers[1].integer == 1
            let entry = answers[0].array.first.flatMap { TaskiqEntry($0) }
            if let entry, !isStepped, entry.message.id.isSame(as: reference) { return entry }
        }
        var found: TaskiqEntry?
        try each(of: stream) { entry in
            if entry.message.id.isSame(as: reference) { found = entry }
            return found == nil
        }
        return found
    }

    /// Whether an entry comes after another one.
    static func isAfter(_ one: String, _ other: String) -> Bool {
        func parts(_ id: String) -> (UInt64, UInt64) {
            let parts = id.split(separator: "-").map { UInt64($0) ?? 0 }
            return (parts.first ?? 0, parts.count > 1 ? parts[1] : 0)
        }
        return parts(one) > parts(other)
    }

    /// A task that a worker has fetched: it runs, or waits in the worker's memory.
    struct Pending {
        var entry: TaskiqEntry
        var task: ForeignTask
        var worker: String
        var since: Timestamp
    }

    func pending(_ stream: TaskiqStream, limit: Int) throws -> [Pending] {
        guard let group = stream.group, stream.pending > 0 else { return [] }
        let now = try serverMilliseconds()
        let lines = try redis.look("XPENDING", stream.name, group, "-", "+", limit).array
            .map(\.array).filter { $0.count == 4 }
        let entries = try redis.lookAll(
            lines.map { line in
                let id = line[0].text ?? ""
                return RedisCommand("XRANGE", stream.name, id, id)
            })
        return zip(lines, entries).compactMap { line, answer in
            guard let entry = answer.array.first.flatMap({ TaskiqEntry($0) }) else { return nil }
            var task = entry.task(in: stream.name, .taken)
            task.attempts = line[3].integer.map { Int(clamping: $0) }
            return Pending(
                entry: entry, task: task, worker: line[1].text ?? "?",
                since: Timestamp(milliseconds: now - (line[2].integer ?? 0)))
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] { [] }

    /// A consumer that has been silent for so long counts as gone, unless it has tasks.
    private static let silentMilliseconds: Int64 = 60_000

    func runners() throws -> [ForeignRunner] {
        let now = try serverMilliseconds()
        return try streams().flatMap { stream -> [ForeignRunner] in
            guard let group = stream.group else { return [] }
            let tasks = try pending(stream, limit: 1000)
            return try redis.look("XINFO", "CONSUMERS", stream.name, group).array.map(\.dictionary)
                .compactMap { fields in
                    let idle = fields["idle"]?.integer ?? 0
                    guard let name = fields["name"]?.text,
                        idle < Self.silentMilliseconds || fields["pending"]?.integer != 0
                    else { return nil }
                    var runner = ForeignRunner(name: name, queues: [stream.name])
                    runner.running = tasks.filter { $0.worker == name }.map(\.task.reference)
                    runner.heardAt = Timestamp(milliseconds: now - idle)
                    return runner
                }
        }
    }
}
