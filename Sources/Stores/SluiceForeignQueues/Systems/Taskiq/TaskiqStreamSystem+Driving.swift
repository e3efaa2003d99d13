import SluiceModel
import SluiceSystem

extension TaskiqStreamSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        let stream = try stream(queue)
        try check(stream)
        try RedisAbility.check(
            redis, ["XADD", "XDEL", "XRANGE", "HSET", "HGETALL", "DEL"],
            probe: stream.workList.probe)
        let script = """
            local last
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
                local fields = {}
                for place = 1, #group, 2 do fields[group[place]] = group[place + 1] end
                if fields['name'] == ARGV[1] then last = fields['last-delivered-id'] end
            end
            if not last or last == ARGV[2] then return 0 end
            redis.call('HSET', KEYS[2], 'system', ARGV[3], 'queue', KEYS[1], 'recipe', 'position',
                'by', ARGV[4], 'since', ARGV[5], 'reason', ARGV[6], 'group', ARGV[1],
                'last', last)
            redis.call('DEL', KEYS[3])
            redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], ARGV[2])
            return 1
            """
        let isNew =
            try redis.call(
                .script(
                    script, keys: [Array(queue.utf8), stream.workList.record, stream.stepped],
                    arguments: [
                        stream.group ?? "", TaskiqStream.mark, name, note.by,
                        note.since.milliseconds,
                        note.reason ?? "",
                    ])
            ).integer == 1
        guard isNew else { throw QueueError.heldAlready(queue) }
        return ForeignAnswer(consequences: ["tasks that workers have fetched before run on"])
    }

    /// Refuses a stream where a change would concern others.
    private func check(_ stream: TaskiqStream) throws {
        guard stream.groups > 0 else {
            throw QueueError.notLegal(
                "no worker of \(stream.name) has ever started: its consumer group is not there",
                fix: "start one first")
        }
        guard stream.groups == 1 else {
            throw QueueError.notLegal(
                "\(stream.name) has \(stream.groups) consumer groups: a step would be one for each",
                fix: "stop the workers instead")
        }
    }

    /// Ends a hold. Entries that a step let through are among the others, so the others move after
    /// them if there are any, in their order.
    func release(_ queue: String) throws -> ForeignAnswer {
        let stream = try stream(queue)
        guard stream.hold != nil, let group = stream.group else { throw QueueError.notHeld(queue) }
        var count = 0
        var start = stream.start
        if try redis.look("SCARD", stream.stepped).integer ?? 0 > 0 {
            let end = try lastID(stream)
            count = try move(stream, after: start, through: end)
            start = end
        } else {
            try each(of: stream) { _ in
                count += 1
                return true
            }
        }
        // Waiting workers look at a stream when an entry comes. So the last one comes again.
        let script = """
            redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], ARGV[2])
            redis.call('DEL', KEYS[2], KEYS[3])
            local last = redis.call('XREVRANGE', KEYS[1], '+', '(' .. ARGV[2], 'COUNT', 1)[1]
            if last then
                redis.call('XADD', KEYS[1], '*', unpack(last[2]))
                redis.call('XDEL', KEYS[1], last[1])
            end
            """
        try redis.call(
            .script(
                script, keys: [Array(queue.utf8), stream.workList.record, stream.stepped],
                arguments: [group, start]))
        return ForeignAnswer(consequences: ["\(count) given back to \(queue)"])
    }

    private func lastID(_ stream: TaskiqStream) throws -> String {
        try redis.call("XINFO", "STREAM", stream.name).dictionary["last-generated-id"]?.text
            ?? "0-0"
    }

    /// Moves waiting entries to the end of a stream, in their order. Gives how many.
    private func move(
        _ stream: TaskiqStream, after start: String, through end: String
    ) throws -> Int {
        let script = """
            local part = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], ARGV[2], 'COUNT', 500)
            local moved = 0
            for _, entry in ipairs(part) do
                if redis.call('SISMEMBER', KEYS[2], entry[1]) == 0 then
                    redis.call('XADD', KEYS[1], '*', unpack(entry[2]))
                    redis.call('XDEL', KEYS[1], entry[1])
                    moved = moved + 1
                end
            end
            return {moved, #part > 0 and part[#part][1] or false}
            """
        var (count, place) = (0, start)
        while true {
            let answer = try redis.call(
                .script(
                    script, keys: [Array(stream.name.utf8), stream.stepped],
                    arguments: [place, end])
            ).array
            count += Int(answer.first?.integer ?? 0)
            guard answer.count == 2, let next = answer[1].text else { return count }
            place = next
        }
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        let stream = try stream(queue)
        guard stream.hold != nil else { throw QueueError.notHeldYet(queue) }
        guard stream.isHeld else {
            throw QueueError.notLegal(
                "\(queue) leaks: the position of its group was changed",
                fix: "sluice \(ShellWord.command("pause", queue)) holds it again")
        }
        guard let entry = try steppable(stream, task) else { return nil }
        let task = entry.task(in: queue, .held)
        let began = SystemClock.monotonicMilliseconds()
        while true {
            if try hasWaitingWorker(), let new = try letThrough(task, stream) {
                return try followed(task, new, stream, began, limits)
            }
            guard SystemClock.monotonicMilliseconds() - began < limits.takeMilliseconds else {
                throw QueueError.nobodyTook(task)
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
        }
    }

    private func steppable(_ stream: TaskiqStream, _ reference: String?) throws -> TaskiqEntry? {
        guard let reference else { return try first(of: stream) }
        if let entry = try entry(reference, in: stream) { return entry }
        guard try detail(reference) != nil else { return nil }
        throw QueueError.notLegal(
            "task \(reference) is not held", fix: "sluice \(ShellWord.command("why", reference))")
    }

    /// Whether a worker waits at a stream, as far as the server lets this user look.
    private func hasWaitingWorker() throws -> Bool {
        guard case .bytes(let bytes)? = try redis.pipeline([RedisCommand("CLIENT", "LIST")]).first
        else { return true }
        return RedisClientLine.all(in: bytes, database: redis.address.database)
            .contains { $0.isBlocked && $0.readsGroup }
    }

    /// Delivers one entry to the worker that has waited longest. The entry comes again with a new
    /// id, just after the position of the group. The position moves on before the server reads
    /// another command. Gives the new id; `nil` if no worker waited.
    private func letThrough(_ task: ForeignTask, _ stream: TaskiqStream) throws -> String? {
        guard let group = stream.group, let entry = try entry(task.reference, in: stream) else {
            throw QueueError.notHeldAnyMore(task)
        }
        let script = """
            local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
            if not entry or redis.call('EXISTS', KEYS[3]) == 0
                or redis.call('SISMEMBER', KEYS[2], ARGV[2]) == 1 then
                return redis.error_reply('GONE it is not held')
            end
            local info, last = redis.call('XINFO', 'STREAM', KEYS[1])
            for place = 1, #info, 2 do
                if info[place] == 'last-generated-id' then last = info[place + 1] end
            end
            redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], last)
            local new = redis.call('XADD', KEYS[1], '*', unpack(entry[2]))
            redis.call('XDEL', KEYS[1], ARGV[2])
            redis.call('SADD', KEYS[2], new)
            return new
            """
        let name = Array(stream.name.utf8)
        // One write: workers get the entry after the script, before the server reads the rest.
        try redis.send([
            .script(
                script, keys: [name, stream.stepped, stream.workList.record],
                arguments: [group, entry.id]),
            RedisCommand("XINFO", "GROUPS", name),
            RedisCommand("XGROUP", "SETID", name, group, TaskiqStream.mark),
        ])
        let answers = try (0..<3).map { _ in try redis.receive() }
        if case .refusal(let text) = answers[0], text.starts(with: "GONE".utf8) {
            throw QueueError.notHeldAnyMore(task)
        }
        _ = try answers[2].accepted()
        let new = try answers[0].accepted().text ?? ""
        let isDelivered = answers[1].array.map(\.dictionary).contains {
            $0["name"]?.text == group && $0["last-delivered-id"]?.text == new
        }
        if isDelivered { return new }
        // It returns to its place: later ones move after it.
        try redis.call("SREM", stream.stepped, new)
        _ = try move(stream, after: entry.id, through: "(\(new)")
        seen.keep(Array(new.utf8), of: task.reference)
        return nil
    }

    /// Waits until the worker has acknowledged an entry.
    private func followed(
        _ task: ForeignTask, _ id: String, _ stream: TaskiqStream, _ began: Int64,
        _ limits: StepLimits
    ) throws -> ForeignStep {
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        let deadline = SystemClock.monotonicMilliseconds() + limits.endMilliseconds
        var pause = 2
        while try isPending(id, stream) {
            step.milliseconds = SystemClock.monotonicMilliseconds() - began
            guard SystemClock.monotonicMilliseconds() < deadline else {
                step.note = "a worker took it; it has not ended yet"
                return step
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pause)
            pause = min(pause * 2, 100)
        }
        step.milliseconds = SystemClock.monotonicMilliseconds() - began
        let last = try redis.call("XREVRANGE", stream.name, "+", "(\(id)", "COUNT", 50).array
        if last.contains(where: {
            TaskiqEntry($0)?.message.id.isSame(as: task.reference) == true
        }) {
            step.outcome = "retry"
        } else if let end = try redis.look("GET", task.reference).bytes
            .flatMap({ TaskiqMessage.outcome($0) })
        {
            (step.outcome, step.error) = end
        } else {
            step.note = "it has ended; nothing here says how"
        }
        return step
    }

    private func isPending(_ id: String, _ stream: TaskiqStream) throws -> Bool {
        try !redis.call("XPENDING", stream.name, stream.group ?? "", id, id, 1).array.isEmpty
    }
}

extension TaskiqStreamSystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        for stream in try streams() {
            if let detail = try waiting(reference, in: stream) { return detail }
            let all = try pending(stream, limit: Self.pendingLimit)
            guard let own = all.first(where: { $0.task.reference.isSame(as: reference) }) else {
                continue
            }
            return Self.detail(own)
        }
        return nil
    }

    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        var streams: [ExactText: TaskiqStream] = [:]
        var taken: [ExactText: ForeignDetail] = [:]
        for task in tasks where streams[task.queue] == nil {
            let stream = try stream(task.queue)
            streams[task.queue] = stream
            guard tasks.contains(where: { $0.display == .taken }) else { continue }
            for own in try pending(stream, limit: Self.pendingLimit) {
                taken[own.task.reference] = Self.detail(own)
            }
        }
        let ids = tasks.map { seen[$0.reference].map { String(decoding: $0, as: UTF8.self) } }
        let answers = try redis.lookAll(
            zip(tasks, ids).map { RedisCommand("XRANGE", $0.queue, $1 ?? "+", $1 ?? "+") })
        return try zip(tasks, answers).map { task, answer in
            if task.display == .taken { return taken[task.reference] }
            let entry = answer.array.first.flatMap { TaskiqEntry($0) }
            if let entry, entry.message.id.isSame(as: task.reference), task.display != .skipped {
                return entry.message.detail(task)
            }
            return try streams[task.queue].flatMap { try waiting(task.reference, in: $0) }
        }
    }

    private static let pendingLimit = 1000

    private static func detail(_ own: Pending) -> ForeignDetail {
        var detail = own.entry.message.detail(own.task)
        var attempt = ForeignAttempt(number: max(own.task.attempts ?? 1, 1))
        attempt.runner = own.worker
        detail.attempts = [attempt]
        return detail
    }

    /// A task that waits in a stream, or that was skipped there.
    private func waiting(
        _ reference: String, in stream: TaskiqStream
    ) throws -> ForeignDetail? {
        if let entry = try entry(reference, in: stream) {
            var display = stream.isHeld ? ForeignTask.Display.held : .due
            if !stream.isHeld, try first(of: stream)?.id == entry.id { display = .next }
            return entry.message.detail(entry.task(in: stream.name, display))
        }
        return try skipped(reference, in: stream).map {
            $0.detail($0.task(in: stream.name, .skipped))
        }
    }

    func first(of stream: TaskiqStream) throws -> TaskiqEntry? {
        var first: TaskiqEntry?
        try each(of: stream) {
            first = $0
            return false
        }
        return first
    }

    private func skipped(
        _ reference: String, in stream: TaskiqStream
    ) throws -> TaskiqMessage? {
        try redis.look("LRANGE", stream.workList.skipped, 0, -1).array.compactMap(\.bytes)
            .compactMap { TaskiqMessage($0) }.first { $0.id.isSame(as: reference) }
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display == .taken else { return nil }
        let all = try pending(try stream(detail.task.queue), limit: Self.pendingLimit)
        let own = all.first { $0.task.reference.isSame(as: detail.task.reference) }
        guard let own else { return nil }
        return ForeignHolder(
            worker: own.worker, since: own.since, heardAt: nil,
            advice: "Taskiq gives it to another worker after its idle_timeout, which is 10 minutes "
                + "unless the broker says otherwise")
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let reference = detail.task.reference
        let stream = try stream(detail.task.queue)
        guard stream.groups <= 1 else {
            throw QueueError.notLegal(
                "\(stream.name) has \(stream.groups) consumer groups: a change would be one for "
                    + "each",
                fix: "stop the workers instead")
        }
        var steps = RedisChange()
        if let entry = try entry(reference, in: stream) {
            steps.take(entry: entry.id, of: stream)
            switch change {
            case .delete: return (steps, [])
            case .skip:
                steps.put(entry.message.bytes, into: stream.workList.skipped, at: .right)
                return (
                    steps,
                    [
                        "it is kept in \(String(decoding: stream.workList.skipped, as: UTF8.self)) "
                            + "until it is unskipped"
                    ]
                )
            case .edit(let value):
                steps.put(entry: try entry.message.edited(value), into: stream)
                return (steps, ["it comes last in its stream"])
            default: break
            }
        } else if let message = try skipped(reference, in: stream) {
            steps.take(message.bytes, from: stream.workList.skipped)
            switch change {
            case .delete: return (steps, [])
            case .unskip:
                steps.put(entry: message.bytes, into: stream)
                return (steps, ["it comes last in its stream"])
            case .edit(let value):
                steps.put(
                    try message.edited(value), into: stream.workList.skipped, at: .right)
                return (steps, [])
            default: break
            }
        }
        throw QueueError.notLegal("a worker has task \(reference), or it has ended")
    }
}

extension RedisChange {
    /// Removes an entry that no worker has got. Fails if a worker has it, or if it is missing.
    fileprivate mutating func take(entry id: String, of stream: TaskiqStream) {
        call(deed: "xdel", [Array(stream.name.utf8), Array(id.utf8)] + Self.marks(stream))
    }

    /// Adds an entry at the end of a stream.
    fileprivate mutating func put(entry data: [UInt8], into stream: TaskiqStream) {
        call(
            deed: "xadd",
            [Array(stream.name.utf8)] + Self.marks(stream) + [Array("data".utf8), data])
    }

    /// The set of entries that steps let through, and the position of a held group.
    private static func marks(_ stream: TaskiqStream) -> [[UInt8]] {
        [stream.stepped, Array(TaskiqStream.mark.utf8)]
    }
}
