import SluiceModel
import SluiceSystem

/// Asynq: lists and sorted sets of ids for each queue, and a hash with a protobuf message for each
/// task. Read-only.
final class AsynqSystem: RedisSystem {
    static let systemName = "asynq"
    let title = "Asynq"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    static let probes = [RedisCommand("TYPE", "asynq:queues")]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].text == "set" }

    /// The keys of a queue's tasks, each with the display of its tasks.
    private static let places: [(key: String, isList: Bool, display: ForeignTask.Display)] = [
        ("active", true, .running), ("pending", true, .due), ("scheduled", false, .delayed),
        ("retry", false, .retrying), ("archived", false, .failed),
        ("completed", false, .succeeded),
    ]

    private static func key(_ queue: String, _ word: String) -> String {
        "asynq:{\(queue)}:\(word)"
    }

    private func names() throws -> [String] {
        try redis.look("SMEMBERS", "asynq:queues").array.compactMap(\.text).sorted()
    }

    func queues() throws -> [ForeignQueue] {
        let names = try names()
        let size = Self.places.count + 1
        let answers = try redis.lookAll(
            names.flatMap { name in
                Self.places.map {
                    RedisCommand($0.isList ? "LLEN" : "ZCARD", Self.key(name, $0.key))
                } + [RedisCommand("EXISTS", Self.key(name, "paused"))]
            })
        return names.enumerated().map { place, name in
            var queue = ForeignQueue(name: name, system: self.name)
            let own = answers[(place * size)..<((place + 1) * size)].map(\.integer)
            for (place, count) in zip(Self.places, own) {
                queue.add(Int(clamping: count ?? 0), place.display, isEstimate: false)
            }
            if own.last == 1 { queue.ownPause = "asynq queue pause" }
            return queue
        }
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        var tasks: [ForeignTask] = []
        let limit = query.limit + 1
        var after = query.after
        for place in Self.places where tasks.count < limit {
            let isDefault = place.display != .succeeded
            guard query.state == place.display.state || (query.state == nil && isDefault) else {
                continue
            }
            let key = Array(Self.key(query.queue, place.key).utf8)
            var start = 0
            if let reference = after {
                let command = place.isList ? "LPOS" : "ZRANK"
                guard let rank = try redis.look(command, key, reference).integer else { continue }
                let length = place.isList ? try redis.look("LLEN", key).integer ?? 0 : 0
                start = Int(place.isList ? length - rank : rank + 1)
                after = nil
            }
            tasks += try part(
                place, key, of: query.queue, from: start, limit: limit - tasks.count)
        }
        return ForeignPage(first: query.limit, of: tasks)
    }

    /// A part of a list, which is taken from at its right end, or of a sorted set.
    private func part(
        _ place: (key: String, isList: Bool, display: ForeignTask.Display), _ key: [UInt8],
        of queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        guard place.isList else {
            let pairs = try redis.look(
                "ZRANGE", key, start, start + limit - 1, "WITHSCORES"
            ).pairs
            return zip(try tasks(pairs.map(\.name), queue, place.display), pairs).map {
                var task = $0
                if place.display.state == .waiting {
                    task.notBefore = $1.value.text.flatMap { Double($0) }
                        .flatMap(ForeignTime.moment(seconds:))
                }
                return task
            }
        }
        let ids = ListEnd.right.ordered(
            try redis.lookAll([ListEnd.right.range(key, start, limit)])[0])
        var tasks = try tasks(ids, queue, place.display)
        if place.display == .due, start == 0, !tasks.isEmpty { tasks[0].display = .next }
        return tasks
    }

    private func tasks(
        _ ids: [[UInt8]], _ queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        let names = ids.map { String(decoding: $0, as: UTF8.self) }
        let answers = try redis.lookAll(
            names.map { RedisCommand("HMGET", Self.key(queue, "t:\($0)"), "msg", "pending_since") })
        return zip(names, answers).map { name, answer in
            Self.task(name, queue, display, answer.array)
        }
    }

    /// A task by the message and the time in nanoseconds that its hash has.
    private static func task(
        _ id: String, _ queue: String, _ display: ForeignTask.Display, _ values: [RedisValue]
    ) -> ForeignTask {
        var task =
            values.first?.bytes.flatMap { AsynqMessage($0) }?.task(id, in: queue, display)
            ?? ForeignTask(reference: id, queue: queue, type: "?", display: display)
        task.createdAt = values.dropFirst().first?.integer.map {
            Timestamp(milliseconds: $0 / 1_000_000)
        }
        return task
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        let names = try names()
        let answers = try redis.lookAll(
            names.map {
                RedisCommand(
                    "HMGET", Self.key($0, "t:\(reference)"), "msg", "pending_since", "state",
                    "result")
            })
        for (queue, answer) in zip(names, answers) {
            let values = answer.array
            guard let bytes = values.first?.bytes, let message = AsynqMessage(bytes) else {
                continue
            }
            let state = values[2].text ?? ""
            var detail = ForeignDetail(
                task: Self.task(reference, queue, Self.display(state), values),
                payload: message.payload)
            detail.fields = message.others
            if let result = values[3].bytes, let text = String(validating: result, as: UTF8.self) {
                detail.fields["result"] = .string(text)
            }
            if detail.task.display.state == .waiting, detail.task.display != .due {
                let score = try redis.look("ZSCORE", Self.key(queue, state), reference).text
                detail.task.notBefore = score.flatMap { Double($0) }
                    .flatMap(ForeignTime.moment(seconds:))
            }
            return detail
        }
        return nil
    }

    /// The display for Asynq's own state. A task that waits for its group is in no list.
    private static func display(_ state: String) -> ForeignTask.Display {
        if state == "aggregating" { return .blocked }
        return places.first { $0.key == state }?.display ?? .due
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let timed = Self.places.filter { [.delayed, .retrying].contains($0.display) }
        let all = try names().flatMap { queue in
            try timed.flatMap { place in
                try part(
                    place, Array(Self.key(queue, place.key).utf8), of: queue, from: 0,
                    limit: limit)
            }
        }
        return ForeignTimer.first(limit, of: all)
    }

    func runners() throws -> [ForeignRunner] {
        let keys = try redis.look("ZRANGE", "asynq:servers", 0, -1).array.compactMap(\.text)
        let work = try redis.lookAll(
            keys.flatMap { key in
                let process = key.dropFirst("asynq:servers:".count)
                return [
                    RedisCommand("GET", key), RedisCommand("HVALS", "asynq:workers:\(process)"),
                ]
            })
        return keys.enumerated().compactMap { place, key in
            // The key of a dead server expires.
            guard let bytes = work[2 * place].bytes, let server = ProtobufFields(bytes) else {
                return nil
            }
            // A map from each queue to its weight.
            let queues: [String] = server.all.compactMap { field in
                guard field.number == 5, case .bytes(let pair) = field.value else { return nil }
                return ProtobufFields(Array(pair))?.text(1)
            }
            var runner = ForeignRunner(
                name: String(key.dropFirst("asynq:servers:".count)), queues: queues.sorted())
            runner.host = server.text(1)
            runner.processID = server.integer(2)
            runner.slots = server.integer(4).map { Int(clamping: $0) }
            runner.running = work[2 * place + 1].array.compactMap { worker in
                worker.bytes.flatMap { ProtobufFields($0) }?.text(4)
            }
            return runner
        }
    }
}

/// No verb of it is built.
extension AsynqSystem {
    private func refused(_ verb: ForeignVerb) throws -> Never {
        try check(verb)
        throw QueueError.notLegal("\(name) cannot \(verb.infinitive)")
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer { try refused(.pause) }
    func release(_ queue: String) throws -> ForeignAnswer { try refused(.resume) }
    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try refused(.step)
    }
    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        try refused(change.verb)
    }
    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? { try refused(.undo) }
}
