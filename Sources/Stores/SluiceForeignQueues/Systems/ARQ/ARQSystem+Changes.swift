import SluiceModel
import SluiceRedisClient

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

    /// The score that moves a due job to a new position.
    private func newScore(_ task: ForeignTask, _ target: ForeignPlace) throws -> Double {
        let now = String(try serverMilliseconds())
        func edge(_ command: String, _ from: String, _ to: String) throws -> Double? {
            try redis.look(command, task.queue, from, to, "WITHSCORES", "LIMIT", 0, 1)
                .pairs.first?.value.text.flatMap { Double($0) }
        }
        switch target {
        case .first: return (try edge("ZRANGEBYSCORE", Self.first, now) ?? 0) - 1
        case .last:
            return (try edge("ZREVRANGEBYSCORE", now, Self.first) ?? 0)
                .nextUp
        case .before(let other), .after(let other):
            guard other != task.reference,
                let text = try redis.look("ZSCORE", task.queue, other).text,
                let score = Double(text), score >= -9e14
            else { throw QueueError.notLegal("task \(other) does not wait in the same queue") }
            if case .before = target {
                let before = try edge("ZREVRANGEBYSCORE", "(\(text)", Self.first)
                return before.map { ($0 + score) / 2 } ?? score - 1
            }
            let after = try edge("ZRANGEBYSCORE", "(\(text)", "+inf")
            return after.map { ($0 + score) / 2 } ?? score.nextUp
        }
    }
}
