import SluiceModel
import SluiceSystem

extension BullMQSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try requireOneSlot(queue)
        try refuseBull(queue)
        try RedisAbility.check(redis, Self.gating, probe: BullMQKeys(queue).key("sluice:probe"))
        guard try redis.call(BullMQKeys(queue).pausing(note)).integer == 1 else {
            throw QueueError.heldAlready(queue)
        }
        return ForeignAnswer(consequences: [
            "BullMQ's own pause; running jobs finish",
            "repeated jobs are still made, and wait with the others",
        ])
    }

    /// The commands that scripts of the gate use. A refused command would leave a script half done.
    private static let gating = [
        "HSET", "HGET", "HDEL", "HEXISTS", "HMGET", "DEL", "LLEN", "LRANGE", "LTRIM", "LREM",
        "RENAME", "LPOS", "LPUSH", "RPUSH", "ZADD", "ZREM", "ZCARD", "XADD",
    ]

    func release(_ queue: String) throws -> ForeignAnswer {
        try refuseBull(queue)
        let count = try redis.call(BullMQKeys(queue).resuming()).integer ?? -1
        guard count >= 0 else {
            throw QueueError.notHeld(queue)
        }
        return ForeignAnswer(consequences: ["\(count) given back to \(queue)"])
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try refuseBull(queue)
        guard try isHeld(queue) else {
            throw QueueError.notHeldYet(queue)
        }
        guard let task = try steppable(queue, task) else { return nil }
        let keys = BullMQKeys(queue)
        let id = keys.id(task.reference)
        let began = SystemClock.monotonicMilliseconds()
        try awaitIdle(queue, limits, began)
        let last =
            try redis.look("XREVRANGE", keys.key("events"), "+", "-", "COUNT", 1)
            .array.first?.array.first?.text ?? "0-0"
        let opened = try redis.pipeline([keys.opening(Array(id.utf8))]).first ?? .none
        if case .refusal = opened {
            throw QueueError(
                .changed, "task \(task.reference) does not wait any more",
                fix: "look at it again and repeat the verb")
        }
        // Close the gate even if the wait fails.
        let seen = Result { try awaitActive(keys, id, since: last, limits, began) }
        let isThrough = try redis.call(keys.closing(Array(id.utf8))).integer == 1
        _ = try seen.get()
        guard isThrough else {
            throw QueueError.notLegal(
                "no worker of \(queue) took \(task.reference); it is the next one now",
                fix: "sluice workers shows who serves it")
        }
        return try followed(task, keys, since: last, began, limits)
    }

    private func steppable(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        if let reference {
            guard let task = try detail(reference)?.task, task.queue.isSame(as: queue) else {
                return nil
            }
            guard task.display == .held else {
                throw QueueError.notLegal("task \(reference) is not held")
            }
            return task
        }
        return try page(ForeignQuery(queue: queue, state: .waiting, limit: 1)).tasks
            .first { $0.display == .held }
    }

    /// Waits for an idle worker, so that the gate is open as briefly as possible.
    private func awaitIdle(_ queue: String, _ limits: StepLimits, _ began: Int64) throws {
        let keys = BullMQKeys(queue)
        while true {
            let lines = try RedisClientLine.all(redis, database: redis.address.database)
            let workers = lines.filter(keys.isWorker)
            // A port may name its connections otherwise, or not at all.
            let waiting = workers.isEmpty ? lines : workers
            if waiting.contains(where: { $0.isBlocked && $0.takes }) { return }
            guard SystemClock.monotonicMilliseconds() - began < limits.takeMilliseconds else {
                throw QueueError.notLegal(
                    "no worker of \(queue) is idle", fix: "sluice workers shows who serves it")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
        }
    }

    private func awaitActive(
        _ keys: BullMQKeys, _ id: String, since: String, _ limits: StepLimits, _ began: Int64
    ) throws {
        var last = since
        while SystemClock.monotonicMilliseconds() - began < limits.takeMilliseconds {
            for fields in try events(keys, &last, blocking: 200)
            where fields["event"]?.text == "active" && fields["jobId"]?.text?.isSame(as: id) == true
            {
                return
            }
        }
    }

    /// The events of a queue after a position of its stream.
    private func events(
        _ keys: BullMQKeys, _ last: inout String, blocking: Int
    ) throws -> [[String: RedisValue]] {
        let answer = try redis.call(
            "XREAD", "COUNT", 1000, "BLOCK", blocking, "STREAMS", keys.key("events"), last)
        let entries = answer.array.first?.array.last?.array ?? []
        let found = entries.compactMap { entry -> ([String: RedisValue], String)? in
            guard let place = entry.array.first?.text, let fields = entry.array.last else {
                return nil
            }
            return (fields.dictionary, place)
        }
        if let place = found.last?.1 { last = place }
        return found.map(\.0)
    }

    /// The error of the last failure. The events of a retry do not have it.
    private func reason(of task: ForeignTask, _ keys: BullMQKeys) throws -> String? {
        try redis.call("HGET", keys.key(keys.id(task.reference)), "failedReason").text
    }

    private func followed(
        _ task: ForeignTask, _ keys: BullMQKeys, since: String, _ began: Int64,
        _ limits: StepLimits
    ) throws -> ForeignStep {
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        step.note = "a worker took it; it has not ended yet"
        var last = since
        var left = limits.endMilliseconds
        let start = SystemClock.monotonicMilliseconds()
        search: while left > 0 {
            for fields in try events(keys, &last, blocking: 200)
            where fields["jobId"]?.text == keys.id(task.reference) {
                switch fields["event"]?.text {
                case "completed": step.outcome = "success"
                case "failed":
                    step.outcome = "giveUp"
                    step.error = fields["failedReason"]?.text
                case "delayed": step.outcome = "retry"
                case "waiting" where fields["prev"]?.text != "delayed": step.outcome = "retry"
                default: continue
                }
                if step.outcome == "retry" {
                    step.error = try reason(of: task, keys)
                }
                step.note = nil
                break search
            }
            left = limits.endMilliseconds - (SystemClock.monotonicMilliseconds() - start)
        }
        step.milliseconds = SystemClock.monotonicMilliseconds() - began
        return step
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let task = detail.task
        try requireOneSlot(task.queue)
        try refuseBull(task.queue)
        let keys = BullMQKeys(task.queue)
        var steps = RedisChange()
        if change.verb != .edit { steps.settle(keys) }
        let own = keys.id(task.reference)
        let id = Array(own.utf8)
        guard let place = place(of: own, keys), place.name != "active" else {
            throw QueueError.notLegal("task \(task.reference) is running, or gone")
        }
        switch change {
        case .edit(let value):
            steps.keep(keys.key(own))
            steps.call(RedisCommand("HSET", keys.key(own), "data", value.bytes))
        case .delete:
            guard try redis.look("HEXISTS", keys.key(own), "parentKey").integer == 0,
                try redis.call("EXISTS", keys.key("\(own):dependencies")).integer == 0
            else {
                throw QueueError.notLegal("it belongs to a flow, which would wait for ever")
            }
            take(id, from: place, keys, &steps)
            steps.keep(keys.key(own))
            steps.call(RedisCommand("DEL", keys.key(own)))
        case .retry:
            guard ["failed", "delayed"].contains(place.name) else {
                throw QueueError.notLegal("it has not failed and waits for no time")
            }
            take(id, from: place, keys, &steps)
            if place.name == "failed" { try giveBack(keys.key(own), &steps) }
            steps.keep(keys.key(own))
            steps.call(
                RedisCommand(
                    "HDEL", keys.key(own), "failedReason", "processedOn", "finishedOn"))
            try makeDue(id, place.name, keys, &steps)
            steps.wake(keys.key("marker"), unlessPaused: keys.key("meta"))
        case .move(let target):
            try move(id, place, target, keys, &steps)
            let others = try redis.look("ZCARD", keys.key("prioritized")).integer ?? 0
            if target == .last, others > 0 {
                return (steps, ["jobs with a priority come after it: \(others)"])
            }
        default:
            throw QueueError.notLegal("\(change.verb.rawValue) is not built for BullMQ")
        }
        return (steps, [])
    }

    /// Puts a job where BullMQ's own promotion of a delayed job, or its retry of a failed one, puts
    /// it. A retry ignores the priority.
    private func makeDue(
        _ id: [UInt8], _ place: String, _ keys: BullMQKeys, _ steps: inout RedisChange
    ) throws {
        let answers = try redis.lookAll([
            RedisCommand("HGET", keys.key(String(decoding: id, as: UTF8.self)), "priority"),
            RedisCommand("GET", keys.key("pc")),
        ]).map { $0.text.flatMap { Int64($0) } ?? 0 }
        guard place == "delayed", answers[0] > 0 else {
            return steps.put(id, into: keys.key("wait"), at: .left)
        }
        // Jobs of one priority run in the order of a counter.
        let score = answers[0] << 32 + (answers[1] + 1) % (1 << 32)
        steps.call(RedisCommand("INCR", keys.key("pc")))
        steps.putMember(id, into: keys.key("prioritized"), score: Double(score))
    }

    /// Makes a failed child one of those that its parent waits for again, as BullMQ's own retry
    /// does. Otherwise the parent ends without its result, or fails because of it.
    private func giveBack(_ child: [UInt8], _ steps: inout RedisChange) throws {
        guard let parent = try redis.look("HGET", child, "parentKey").text,
            try redis.look("EXISTS", parent).integer == 1
        else { return }
        let fatal = Array("\(parent):unsuccessful".utf8)
        let ignored = Array("\(parent):failed".utf8)
        if try !redis.look("ZSCORE", fatal, child).isNone {
            steps.removeMember(child, from: fatal)
        } else if try redis.look("HEXISTS", ignored, child).integer == 1 {
            steps.field(ignored, String(decoding: child, as: UTF8.self), nil)
        } else {
            return
        }
        steps.add(child, to: Array("\(parent):dependencies".utf8))
    }

    private func place(
        of id: String, _ keys: BullMQKeys
    ) -> (name: String, isList: Bool, display: ForeignTask.Display)? {
        BullMQKeys.places.first { place in
            let command = place.isList ? "LPOS" : "ZSCORE"
            let found = try? redis.look(command, keys.key(place.name), id)
            return found.map { !$0.isNone } ?? false
        }
    }

    private func take(
        _ id: [UInt8], from place: (name: String, isList: Bool, display: ForeignTask.Display),
        _ keys: BullMQKeys, _ steps: inout RedisChange
    ) {
        if place.isList {
            steps.take(id, from: keys.key("wait"))
        } else {
            steps.removeMember(id, from: keys.key(place.name))
        }
    }

    private func move(
        _ id: [UInt8], _ place: (name: String, isList: Bool, display: ForeignTask.Display),
        _ target: ForeignPlace, _ keys: BullMQKeys, _ steps: inout RedisChange
    ) throws {
        guard place.isList else {
            throw QueueError.notLegal("it waits by its priority or its time, not in a list")
        }
        let list = keys.key("wait")
        switch target {
        case .before(let other), .after(let other):
            guard self.place(of: keys.id(other), keys)?.isList == true else {
                throw QueueError.notLegal("task \(other) does not wait in the same list")
            }
        case .first, .last: break
        }
        steps.take(id, from: list)
        switch target {
        case .first: steps.put(id, into: list, at: .right)
        case .last: steps.put(id, into: list, at: .left)
        case .before(let other):
            steps.put(id, into: list, "AFTER", Array(keys.id(other).utf8))
        case .after(let other):
            steps.put(id, into: list, "BEFORE", Array(keys.id(other).utf8))
        }
    }

    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        let keys = try Self.queueNames(redis).map { BullMQKeys($0).key("meta") }
        return try RedisJournal(redis: redis).undo(by: author, beside: keys)
    }
}

extension BullMQSystem {
    /// Whether a queue belongs to Bull, which has the same key names. Bull marks a pause with its
    /// own key, and its `meta` has no BullMQ fields.
    func isBull(_ queue: String) throws -> Bool {
        let keys = BullMQKeys(queue)
        let answers = try redis.lookAll([
            RedisCommand("EXISTS", keys.key("meta-paused")),
            RedisCommand("HMGET", keys.key("meta"), "opts.maxLenEvents", "version"),
        ])
        return answers[0].integer == 1 && answers[1].array.allSatisfy(\.isNone)
    }

    /// Throws `notLegal` for a queue of Bull: BullMQ's verbs would leave it stuck.
    func refuseBull(_ queue: String) throws {
        guard try isBull(queue) else { return }
        throw QueueError.notLegal(
            "\(queue) is a queue of Bull, not of BullMQ: \(BullMQKeys(queue).text("meta-paused")) "
                + "is there, and Bull pauses in another way",
            fix: "pause and resume it by Bull itself: queue.pause(), queue.resume()")
    }

    /// The children that a parent waits for, with their states.
    func obstacle(of detail: ForeignDetail) throws -> String? {
        let task = detail.task
        guard task.display == .blocked else { return nil }
        let keys = BullMQKeys(task.queue)
        let id = keys.id(task.reference)
        let answers = try redis.lookAll([
            RedisCommand("SMEMBERS", keys.key("\(id):dependencies")),
            RedisCommand("ZRANGE", keys.key("\(id):unsuccessful"), 0, -1),
            RedisCommand("HKEYS", keys.key("\(id):failed")),
        ]).map { $0.array.compactMap(\.text) }
        let broken = Set(texts: answers[1] + answers[2])
        let all = (answers[0] + answers[1]).distinctNames
        guard !all.isEmpty else { return nil }
        let names = try Self.queueNames(redis)
        let states = try all.map { child in
            broken.contains(child) ? "failed" : try childState(child, names)
        }
        let children = zip(all, states).map {
            (name: Self.childName($0, names), isFailed: $1 == "failed", state: $1)
        }.sorted { $0.isFailed && !$1.isFailed }
        let words = children.prefix(5).map { "\($0.name) (\($0.state))" }
        let more = children.count > 5 ? " and \(children.count - 5) more" : ""
        let failed = children.first(where: \.isFailed)?.name
        let fix = failed.map { ": sluice \(ShellWord.command("retry", $0))" } ?? ""
        return "it waits for its children \(words.joined(separator: ", "))\(more)\(fix)"
    }

    /// The reference of a child. Jobs name children by key, possibly with another queue's prefix.
    private static func childName(_ key: String, _ queues: [String]) -> String {
        let own = queues.first { key.hasPrefix(BullMQKeys($0).text("")) }
        return own.map { queue in
            let keys = BullMQKeys(queue)
            return keys.reference(String(key.dropFirst(keys.text("").count)))
        } ?? key
    }

    private func childState(_ key: String, _ queues: [String]) throws -> String {
        guard try redis.look("EXISTS", key).integer == 1 else { return "gone" }
        return try detail(Self.childName(key, queues))?.task.display.word ?? "not known"
    }
}
