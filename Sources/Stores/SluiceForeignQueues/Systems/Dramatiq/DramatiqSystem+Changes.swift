import SluiceModel
import SluiceSystem

extension DramatiqSystem {
    /// The hash that contains a message, and the message's bytes.
    private func message(
        _ reference: String, in queue: String
    ) throws -> (hash: [UInt8], kind: Kind, bytes: [UInt8])? {
        let places: [(Kind, String)] = [
            (.own, queue), (.timed, "\(queue).DQ"), (.dead, "\(queue).XQ"),
        ]
        let answers = try redis.pipeline(
            places.map { RedisCommand("HGET", Self.messages($0.1), reference) })
        for (place, answer) in zip(places, answers) {
            if let bytes = answer.bytes { return (Self.messages(place.1), place.0, bytes) }
        }
        return nil
    }

    private enum Kind { case own, timed, dead }

    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try queues().map(\.name) {
            guard let found = try message(reference, in: queue) else { continue }
            let display = try display(reference, in: queue, found.kind)
            let task = DramatiqMessage(found.bytes)?.task(reference, in: queue, display)
            return Self.detail(
                task ?? ForeignTask(reference: reference, queue: queue, type: "?", display: .due),
                found.bytes)
        }
        return nil
    }

    /// The messages of a page in one round trip. Each task's display determines its hash.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let answers = try redis.pipeline(
            tasks.map { task in
                let end = ["delayed": ".DQ", "retrying": ".DQ", "failed": ".XQ"]
                let hash = task.queue + (end[task.display.rawValue] ?? "")
                return RedisCommand("HGET", Self.messages(hash), task.reference)
            })
        return zip(tasks, answers).map { task, answer in
            answer.bytes.map { Self.detail(task, $0) }
        }
    }

    private static func detail(_ task: ForeignTask, _ bytes: [UInt8]) -> ForeignDetail {
        guard let message = DramatiqMessage(bytes) else {
            return ForeignDetail(
                task: task,
                payload: ForeignPayload(
                    bytes: bytes, format: "unknown", value: nil,
                    whyFixed: "it is no message that could be read"))
        }
        var detail = ForeignDetail(task: task, payload: message.payload)
        detail.attempts = [message.attempt].compactMap { $0 }
        detail.fields = message.fields
        return detail
    }

    private func display(
        _ reference: String, in queue: String, _ kind: Kind
    ) throws -> ForeignTask.Display {
        switch kind {
        case .timed: return .delayed
        case .dead: return .failed
        case .own:
            guard let place = try place(of: reference, in: queue) else { return .running }
            if place.list == place.workList.skipped { return .skipped }
            return place.list == place.workList.held ? .held : .due
        }
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let task = detail.task
        guard let found = try message(task.reference, in: task.queue),
            let message = DramatiqMessage(found.bytes)
        else { throw QueueError.notLegal("it is no message that could be read") }
        if let place = try place(of: task.reference, in: task.queue) {
            return try inList(place, message, change)
        }
        guard found.kind == .dead else {
            throw QueueError.notLegal(
                "task \(task.reference) is running, or is in a worker's memory until its time")
        }
        return try dead(task, message, change)
    }

    private func inList(
        _ place: ListPlace, _ message: DramatiqMessage, _ change: ForeignChange
    ) throws -> RedisSteps {
        let reference = Self.text(place.element)
        let hash = Self.messages(place.queue)
        var steps = RedisChange()
        switch change {
        case .delete:
            steps.take(place.element, from: place.list)
            steps.field(hash, reference, nil)
        case .edit(let value):
            steps.require(hash, reference, Self.text(message.bytes))
            steps.field(hash, reference, try message.edited(value))
        case .postpone(let moment):
            steps.take(place.element, from: place.list)
            steps.field(hash, reference, nil)
            let timed = message.with(
                queue: "\(place.queue).DQ", [("eta", .integer(moment.milliseconds))])
            steps.field(Self.messages("\(place.queue).DQ"), reference, timed)
            steps.put(place.element, into: Self.timedList(place.queue), at: .right)
            return (steps, ["a worker takes it into its memory until then"])
        case .retry: throw QueueError.notLegal("it waits for no time and has not failed")
        default:
            return try changeOfPlace(place, change)
        }
        return (steps, [])
    }

    private func dead(
        _ task: ForeignTask, _ message: DramatiqMessage, _ change: ForeignChange
    ) throws -> RedisSteps {
        let element = Array(task.reference.utf8)
        let hash = Self.messages("\(task.queue).XQ")
        var steps = RedisChange()
        switch change {
        case .delete, .retry:
            steps.removeMember(element, from: Self.dead(task.queue))
            steps.field(hash, task.reference, nil)
            guard change == .retry else { return (steps, []) }
            steps.field(
                Self.messages(task.queue), task.reference,
                message.with(queue: task.queue, [("retries", .integer(0)), ("eta", nil)]))
            let consequences = try enqueue(element, in: task.queue, &steps)
            return (steps, consequences)
        case .edit(let value):
            steps.field(hash, task.reference, try message.edited(value))
            return (steps, [])
        default:
            throw QueueError.notLegal("it has failed", fix: "sluice retry brings it back")
        }
    }
}

extension DramatiqSystem {
    /// The silence after which Dramatiq's own maintenance calls a worker dead: the default of its
    /// `heartbeat_timeout`.
    private static let silentMilliseconds: Int64 = 60_000

    /// The set of fetched messages with this one, and its worker.
    private func fetcher(of task: ForeignTask) throws -> (key: String, worker: String)? {
        let keys = try fetchedKeys(task.queue)
        let answers = try redis.lookAll(
            keys.map { RedisCommand("SISMEMBER", $0, task.reference) })
        return zip(keys, answers).first { $1.integer == 1 }.flatMap { key, _ in
            Self.fetched(key).map { (key, $0.worker) }
        }
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display == .running, let fetcher = try fetcher(of: detail.task) else {
            return nil
        }
        return holder(fetcher.worker, try redis.look("ZSCORE", Self.heartbeats, fetcher.worker))
    }

    private func holder(_ worker: String, _ heartbeat: RedisValue) -> ForeignHolder {
        ForeignHolder(
            worker: worker, since: nil,
            heardAt: heartbeat.text.flatMap { Double($0) }
                .flatMap { ForeignTime.moment(seconds: $0 / 1000) },
            advice: "Dramatiq's maintenance does so too, at one in a thousand requests of a living "
                + "worker of the queue")
    }

    func reclaim(_ reference: String) throws -> ForeignAnswer {
        let task = try require(reference).task
        try check(.reclaim, on: task)
        guard let fetcher = try fetcher(of: task) else { throw Self.hasChanged(reference) }
        let heartbeat = try redis.look("ZSCORE", Self.heartbeats, fetcher.worker)
        try checkSilence(
            of: holder(fetcher.worker, heartbeat), with: reference, for: Self.silentMilliseconds)
        let isHeld = try isHeld(task.queue)
        let list = workLists(of: task.queue)[0]
        let answer = try redis.call(
            .script(
                Self.reclaiming,
                keys: [
                    Array(fetcher.key.utf8), Self.messages(task.queue),
                    isHeld ? list.held : list.list, Array(Self.heartbeats.utf8),
                ],
                arguments: [reference, fetcher.worker, heartbeat.text ?? ""]))
        guard answer.integer == 1 else { throw Self.hasChanged(reference) }
        return ForeignAnswer(
            changed: [reference], consequences: [Self.place(isHeld: isHeld)])
    }

    /// As the maintenance of Dramatiq's `dispatch.lua` does for each message of a dead worker.
    private static let reclaiming = """
        if (redis.call('ZSCORE', KEYS[4], ARGV[2]) or '') ~= ARGV[3] then return 0 end
        if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return 0 end
        if redis.call('SREM', KEYS[1], ARGV[1]) == 0 then return 0 end
        redis.call('RPUSH', KEYS[3], ARGV[1])
        return 1
        """
}
