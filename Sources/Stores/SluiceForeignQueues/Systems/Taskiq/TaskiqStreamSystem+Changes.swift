import SluiceModel
import SluiceRedisClient

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
