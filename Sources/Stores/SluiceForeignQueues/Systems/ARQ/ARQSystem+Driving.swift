import SluiceModel
import SluicePlatform
import SluiceRedisClient

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
