import SluiceModel
import SluiceSystem

extension ARQSystem {
    /// The ids of plugs begin so.
    static let plugPrefix = "sluice:plug:"
    /// The number of plugs. A worker reads five times its number of slots, at least 100 jobs, so
    /// this blocks workers with up to 200 slots.
    private static let plugs = 1000
    private static let plugScore = "-1000000000000000"
    private static let throughScore = "-2000000000000000"

    /// The hash of jobs that a step let through, with their original times.
    private static func through(_ queue: String) -> [UInt8] { workList(queue).requests }

    /// The key of the plugs, which reveals a held queue without workers.
    private static func plugs(_ queue: String) -> [UInt8] {
        Array("{\(queue)}:sluice:plugs".utf8)
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try RedisAbility.check(
            redis, ["ZADD", "ZREM", "ZSCORE", "HSET", "HGETALL", "DEL"],
            probe: Self.workList(queue).probe)
        guard
            try HoldRecord.begin(
                note, system: name, queue: queue, recipe: "plugs",
                at: Self.workList(queue).record, redis)
        else {
            throw QueueError.heldAlready(queue)
        }
        let script = """
            for number = 1, tonumber(ARGV[1]) do
                local id = ARGV[2] .. KEYS[1] .. ':' .. number
                redis.call('SET', 'arq:in-progress:' .. id, '1')
                redis.call('ZADD', KEYS[1], tonumber(ARGV[3]) + number, id)
            end
            redis.call('SET', KEYS[2], ARGV[1])
            """
        try redis.call(
            .script(
                script, keys: [Array(queue.utf8), Self.plugs(queue)],
                arguments: [Self.plugs, Self.plugPrefix, Self.plugScore]))
        let count = try queues().first { $0.name.isSame(as: queue) }?.held ?? 0
        return ForeignAnswer(consequences: [
            "\(count) waiting after \(Self.plugs) plugs, which workers look at twice a second",
            "ARQ forgets the payload of a job a day after it was due, held or not",
        ])
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        let workList = Self.workList(queue)
        guard try isHeld(queue) else {
            throw QueueError.notHeld(queue)
        }
        let held = try queues().first { $0.name.isSame(as: queue) }?.held ?? 0
        let script = """
            for number = 1, tonumber(redis.call('GET', KEYS[2]) or ARGV[1]) do
                local id = ARGV[2] .. KEYS[1] .. ':' .. number
                redis.call('ZREM', KEYS[1], id)
                redis.call('DEL', 'arq:in-progress:' .. id)
            end
            redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
            """
        try settle(queue)
        try redis.call(
            .script(
                script,
                keys: [Array(queue.utf8), Self.plugs(queue), workList.record, Self.through(queue)],
                arguments: [Self.plugs, Self.plugPrefix]))
        return ForeignAnswer(consequences: ["\(held) given back to \(queue)"])
    }

    /// Restores the original time of jobs that a dead tool let through, unless they run.
    private func settle(_ queue: String) throws {
        let script = """
            local all = redis.call('HGETALL', KEYS[2])
            for place = 1, #all, 2 do
                local id = all[place]
                local score = tonumber(redis.call('ZSCORE', KEYS[1], id) or '0')
                if redis.call('EXISTS', 'arq:in-progress:' .. id) == 0 then
                    if score < tonumber(ARGV[1]) then
                        redis.call('ZADD', KEYS[1], all[place + 1], id)
                    end
                    redis.call('HDEL', KEYS[2], id)
                end
            end
            """
        try redis.call(
            .script(
                script, keys: [Array(queue.utf8), Self.through(queue)],
                arguments: [Self.plugScore]))
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard try isHeld(queue) else {
            throw QueueError.notHeldYet(queue)
        }
        try settle(queue)
        guard let task = try steppable(queue, task) else { return nil }
        let began = SystemClock.monotonicMilliseconds()
        let script = """
            local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
            if not score or redis.call('EXISTS', 'arq:in-progress:' .. ARGV[1]) == 1 then
                return redis.error_reply('GONE it is not held')
            end
            redis.call('HSET', KEYS[2], ARGV[1], score)
            redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
            return redis.call('GET', 'arq:retry:' .. ARGV[1]) or '0'
            """
        let answer = try redis.pipeline([
            .script(
                script, keys: [Array(queue.utf8), Self.through(queue)],
                arguments: [task.reference, Self.throughScore])
        ])[0]
        if case .refusal(let text) = answer, text.starts(with: "GONE".utf8) {
            throw QueueError.notHeldAnyMore(task)
        }
        let tries = Int64(try answer.accepted().text ?? "") ?? 0
        return try followed(task, tries: tries, began, limits)
    }

    private func steppable(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        if let reference {
            guard let task = try detail(reference)?.task, task.queue.isSame(as: queue) else {
                return nil
            }
            guard task.display == .held else {
                throw QueueError.notLegal(
                    "task \(reference) is not held",
                    fix: "sluice \(ShellWord.command("why", reference))")
            }
            return task
        }
        let page = try page(ForeignQuery(queue: queue, state: .waiting, limit: 200))
        return page.tasks.first { $0.display == .held }
    }

    /// The state of a job that a step let through: `waiting`, `running`, `gone`, or `again` if it
    /// waits for another try at its own time.
    private func state(
        of task: ForeignTask, tries: Int64, isLast: Bool
    ) throws -> String {
        let script = """
            local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
            if not score then
                redis.call('HDEL', KEYS[2], ARGV[1])
                return 'gone'
            end
            if redis.call('EXISTS', 'arq:in-progress:' .. ARGV[1]) == 1 then return 'running' end
            local hasRun = tonumber(redis.call('GET', 'arq:retry:' .. ARGV[1]) or '0')
                > tonumber(ARGV[2])
            if not hasRun and ARGV[4] == '0' then return 'waiting' end
            if tonumber(score) < tonumber(ARGV[3]) then
                redis.call('ZADD', KEYS[1], redis.call('HGET', KEYS[2], ARGV[1]) or ARGV[3],
                    ARGV[1])
            end
            redis.call('HDEL', KEYS[2], ARGV[1])
            return hasRun and 'again' or 'waiting'
            """
        return try redis.call(
            .script(
                script, keys: [Array(task.queue.utf8), Self.through(task.queue)],
                arguments: [task.reference, tries, Self.plugScore, isLast ? 1 : 0])
        ).text ?? ""
    }

    private func followed(
        _ task: ForeignTask, tries: Int64, _ began: Int64, _ limits: StepLimits
    ) throws -> ForeignStep {
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        while true {
            let spent = SystemClock.monotonicMilliseconds() - began
            step.milliseconds = spent
            let isLate = spent >= limits.takeMilliseconds
            switch try state(of: task, tries: tries, isLast: isLate) {
            case "waiting" where isLate:
                throw QueueError.nobodyTook(task)
            case "running" where spent >= limits.endMilliseconds:
                step.note = "a worker took it; it has not ended yet"
                return step
            case "again":
                step.outcome = "retry"
                return step
            case "gone":
                if let bytes = try redis.look("GET", "arq:result:\(task.reference)").bytes {
                    (step.outcome, step.error) = ARQJob(bytes).outcome ?? (nil, nil)
                }
                if step.outcome == nil { step.note = "it has ended; nothing here says how" }
                return step
            default: break
            }
            // Workers poll twice a second. A job with an immediate retry must be after the plugs
            // before the next poll.
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
        }
    }
}

extension ARQSystem {
    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let task = detail.task
        guard task.display != .running else {
            throw QueueError.notLegal("task \(task.reference) is running")
        }
        let (own, skipped) = (Array(task.queue.utf8), Self.workList(task.queue).skipped)
        let element = Array(task.reference.utf8)
        let score = detail.fields["score"]?.double ?? 0
        let isSkipped = task.display == .skipped
        let place = isSkipped ? skipped : own
        var steps = RedisChange()
        steps.removeMember(element, from: place)
        switch change {
        case .skip:
            guard !isSkipped else {
                throw QueueError.notLegal("it is skipped already", fix: "sluice unskip takes it in")
            }
            steps.putMember(element, into: skipped, score: score)
            return (steps, ["ARQ forgets its payload a day after it was due"])
        case .unskip:
            guard isSkipped else { throw QueueError.notLegal("it is not skipped") }
            steps.putMember(element, into: own, score: score)
            return (steps, ["its place follows from its time"])
        case .delete:
            return (Self.forgetting(task.reference, steps), [])
        case .edit(let value):
            steps.putMember(element, into: place, score: score)
            let bytes = try ARQJob(detail.payload.bytes).edited(value)
            return (Self.writing(bytes, task.reference, steps), [])
        case .retry:
            guard task.notBefore != nil, !isSkipped else {
                throw QueueError.notLegal(
                    "it waits for no time", fix: "it is due, or comes in its place")
            }
            steps.putMember(element, into: own, score: Double(try serverMilliseconds()))
            return (steps, [])
        case .postpone(let moment):
            steps.putMember(element, into: own, score: Double(moment.milliseconds))
            return (Self.prolonging(to: moment, task.reference, steps), [])
        case .move(let target):
            guard !isSkipped else {
                throw QueueError.notLegal("it is skipped", fix: "sluice unskip takes it in first")
            }
            steps.putMember(element, into: own, score: try newScore(task, target))
            return (steps, ["its time is another one now"])
        case .priority: throw QueueError.notLegal("priority is not possible here")
        }
    }

    private static func forgetting(_ reference: String, _ steps: RedisChange) -> RedisChange {
        var steps = steps
        for key in [job(reference), retries(reference)] {
            steps.keep(Array(key.utf8))
            steps.call(RedisCommand("DEL", key))
        }
        return steps
    }

    private static func writing(
        _ bytes: [UInt8], _ reference: String, _ steps: RedisChange
    ) -> RedisChange {
        var steps = steps
        steps.keep(Array(job(reference).utf8))
        steps.call(RedisCommand("SET", job(reference), bytes, "XX", "KEEPTTL"))
        return steps
    }

    /// Extends the payload's expiry to one day after the job's time, as ARQ does.
    private static func prolonging(
        to moment: Timestamp, _ reference: String, _ steps: RedisChange
    ) -> RedisChange {
        var steps = steps
        steps.keep(Array(job(reference).utf8))
        steps.call(
            RedisCommand("PEXPIREAT", job(reference), moment.milliseconds + 86_400_000))
        return steps
    }

    /// The score that moves a due job to a new position. Jobs of one score run by their ids.
    private func newScore(_ task: ForeignTask, _ target: ForeignPlace) throws -> Double {
        let present = try serverMilliseconds()
        let now = Double(present)
        func edge(_ command: String, _ from: String, _ to: String) throws -> Double? {
            try redis.look(command, task.queue, from, to, "WITHSCORES", "LIMIT", 0, 1)
                .pairs.first?.value.text.flatMap { Double($0) }
        }
        switch target {
        case .first: return (try edge("ZRANGEBYSCORE", Self.first, String(present)) ?? 0) - 1
        case .last:
            let last = try edge("ZREVRANGEBYSCORE", String(present), Self.first) ?? 0
            return max((last + now) / 2, last.nextUp)
        case .before(let other):
            let (score, before) = try neighbour(of: other, before: true, task, now)
            return try before.map { try middle($0, score, task) } ?? score - 1
        case .after(let other):
            let (score, after) = try neighbour(of: other, before: false, task, now)
            return try after.map { try middle(score, $0, task) }
                ?? max((score + now) / 2, score.nextUp)
        }
    }

    /// The scores of a due job and of the due job next to it; nil without a next one.
    private func neighbour(
        of other: String, before: Bool, _ task: ForeignTask, _ now: Double
    ) throws -> (score: Double, next: Double?) {
        guard other != task.reference,
            let rank = try redis.look("ZRANK", task.queue, other).integer,
            let score = try redis.look("ZSCORE", task.queue, other).text.flatMap(Double.init),
            score >= -9e14
        else { throw QueueError.notLegal("task \(other) does not wait in the same queue") }
        guard score <= now else {
            throw QueueError.notLegal("task \(other) waits for its time, and has no place yet")
        }
        // The moved job may be the one next to it.
        let ranks = before ? (max(0, rank - 2), rank - 1) : (rank + 1, rank + 2)
        guard ranks.1 >= 0 else { return (score, nil) }
        let near = try redis.look("ZRANGE", task.queue, ranks.0, ranks.1, "WITHSCORES").pairs
            .filter { !$0.name.elementsEqual(task.reference.utf8) }
            .compactMap { $0.value.text.flatMap(Double.init) }
        let next = before ? near.last : near.first
        return (score, next.flatMap { $0 >= -9e14 && $0 <= now ? $0 : nil })
    }

    private func middle(_ low: Double, _ high: Double, _ task: ForeignTask) throws -> Double {
        let middle = (low + high) / 2
        guard low < middle, middle < high else {
            throw QueueError.notLegal(
                "ARQ orders by time, and two of its jobs have no time between theirs",
                fix: "sluice \(ShellWord.command("move", task.reference)) --first, or --last")
        }
        return middle
    }
}

/// The jobs that have ended. ARQ keeps the result of each, for an hour by default.
extension ARQSystem {
    private static let prefix = "arq:result:"
    static let results = KeySurvey.Shape(prefix)
    /// The maximum number of results to read.
    private static let limit = 2_000

    static func result(_ id: String) -> String { prefix + id }

    /// The ended jobs of all queues, the newest first, and whether they are all.
    func ended() throws -> (details: [ForeignDetail], isAll: Bool) {
        let names = try redis.names([Self.results]) { $0 }
        let keys = names.prefix(Self.limit).map { Array($0.utf8) }
        guard !keys.isEmpty else { return ([], true) }
        let texts = try redis.call(RedisCommand("MGET", words: keys)).array
        let details = zip(names, texts).compactMap { name, text in
            text.bytes.flatMap {
                Self.ended(String(name.dropFirst(Self.prefix.count)), $0)
            }
        }
        let newest = details.sorted {
            ($0.task.endedAt ?? .unknown) > ($1.task.endedAt ?? .unknown)
        }
        return (newest, names.count <= Self.limit)
    }

    /// The job of a result; nil if the result cannot be read.
    static func ended(_ id: String, _ bytes: [UInt8]) -> ForeignDetail? {
        ARQJob(bytes).ended(id)
    }

    func endedTasks(_ state: TaskState.Name, of queue: String) throws -> [ForeignTask] {
        try ended().details.map(\.task).filter {
            $0.display.state == state && $0.queue.isSame(as: queue)
        }
    }
}

extension ARQJob {
    fileprivate func ended(_ id: String) -> ForeignDetail? {
        guard let outcome, let queue = result("q")?.string else { return nil }
        let isFailed = outcome.outcome == "giveUp"
        var task = task(id, in: queue, isFailed ? .failed : .succeeded)
        task.attempts = result("t")?.integer.map { Int(clamping: $0) }
        task.startedAt = result("st")?.integer.map { Timestamp(milliseconds: $0) }
        task.endedAt = result("ft")?.integer.map { Timestamp(milliseconds: $0) }
        task.error = outcome.error
        var payload = payload
        payload.whyFixed = "it has ended; its result alone is kept"
        var detail = ForeignDetail(task: task, payload: payload)
        var attempt = ForeignAttempt(number: task.attempts ?? 1)
        (attempt.startedAt, attempt.endedAt) = (task.startedAt, task.endedAt)
        attempt.outcome = outcome.outcome
        attempt.error = outcome.error
        detail.attempts = [attempt]
        return detail
    }
}
