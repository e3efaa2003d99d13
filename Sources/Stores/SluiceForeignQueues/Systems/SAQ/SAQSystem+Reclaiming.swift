import SluiceModel
import SluiceSystem

extension SAQSystem {
    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display == .running else { return nil }
        let job = detail.fields
        let seconds = job["timeout"]?.integer ?? Self.timeoutSeconds
        return ForeignHolder(
            worker: job["worker_id"]?.string,
            since: job["started"]?.integer.map { Timestamp(milliseconds: $0) },
            heardAt: nil,
            advice: seconds > 0
                ? "SAQ's sweep takes it \(seconds) s after its start, if another worker lives"
                : "SAQ's sweep takes only jobs with a timeout, and this one has none")
    }

    /// The default of a job's `timeout`, which SAQ does not write.
    private static let timeoutSeconds: Int64 = 10

    /// Ends or retries the job of a dead worker as SAQ's own sweep does. SAQ counts a worker as
    /// alive until the time of its score.
    func reclaim(_ reference: String) throws -> ForeignAnswer {
        let task = try require(reference).task
        try check(.reclaim, on: task)
        try checkDeath(of: task)
        guard let bytes = try redis.look("GET", reference).bytes,
            let (value, format) = Self.read(bytes), let job = value.object
        else { throw Self.hasChanged(reference) }
        guard format == "json" else {
            throw QueueError.notLegal(
                "it cannot be reclaimed: msgpack is read here and not written")
        }
        let now = SystemClock.nowMilliseconds()
        let isRetryable = (task.attemptLimit ?? 1) > (task.attempts ?? 0)
        return isRetryable
            ? try retry(task, job, bytes, now: now) : try abort(task, job, bytes, now: now)
    }

    /// Throws if SAQ counts the worker of a job as alive. A job without a recorded worker may be
    /// the job of any of them.
    private func checkDeath(of task: ForeignTask) throws {
        let now = SystemClock.nowMilliseconds()
        let bytes = try redis.look("GET", task.reference).bytes
        let own = bytes.flatMap { Self.read($0)?.job["worker_id"]?.string }
        let living = try redis.look(
            "ZRANGEBYSCORE", "saq:\(task.queue):stats", now, "+inf", "WITHSCORES"
        ).pairs.compactMap { key, score -> (worker: String, until: Timestamp)? in
            guard let name = Self.text(key).split(separator: ":").last.map(String.init),
                let until = score.text.flatMap({ Double($0) })
            else { return nil }
            return own == nil || name.isSame(as: own ?? "")
                ? (name, Timestamp(milliseconds: Int64(until))) : nil
        }.first
        guard let living else { return }
        throw QueueError.notLegal(
            "task \(task.reference) runs: SAQ counts its worker \(living.worker) as alive until "
                + TimeText.rfc3339(living.until),
            fix: "reclaim it when the worker is dead and that time is over")
    }

    private func retry(
        _ task: ForeignTask, _ former: JSONObject, _ bytes: [UInt8], now: Int64
    ) throws -> ForeignAnswer {
        var job = former
        for name in ["completed", "started", "progress"] { job[name] = nil }
        job["status"] = "queued"
        job["error"] = Self.swept
        job["touched"] = .integer(now)
        let delay = Self.retryDelay(of: former)
        let isHeld = try isHeld(task.queue)
        let list = workLists(of: task.queue)[0]
        let score =
            delay > 0
            ? (Double(now) / 1000 + delay).description
            : (former["scheduled"]?.integer ?? 0).description
        try replace(
            task, bytes, by: JSONValue.object(job).bytes,
            """
            redis.call('SET', KEYS[1], ARGV[2])
            redis.call('ZADD', KEYS[3], ARGV[3], KEYS[1])
            if ARGV[4] == '' then redis.call('RPUSH', KEYS[4], KEYS[1]) end
            redis.call('PUBLISH', KEYS[1], 'queued')
            """, list: isHeld ? list.held : list.list, [score, delay > 0 ? "later" : ""])
        return ForeignAnswer(
            changed: [task.reference],
            consequences: [delay > 0 ? "it waits for its retry delay" : Self.place(isHeld: isHeld)])
    }

    private func abort(
        _ task: ForeignTask, _ former: JSONObject, _ bytes: [UInt8], now: Int64
    ) throws -> ForeignAnswer {
        var job = former
        job["status"] = "aborted"
        job["error"] = Self.swept
        job["completed"] = .integer(now)
        try replace(
            task, bytes, by: JSONValue.object(job).bytes,
            """
            redis.call('ZREM', KEYS[3], KEYS[1])
            local ttl = tonumber(ARGV[3])
            if ttl > 0 then redis.call('SET', KEYS[1], ARGV[2], 'EX', ttl)
            elseif ttl == 0 then redis.call('SET', KEYS[1], ARGV[2])
            else redis.call('DEL', KEYS[1]) end
            redis.call('PUBLISH', KEYS[1], 'aborted')
            """, list: workLists(of: task.queue)[0].list,
            [(former["ttl"]?.integer ?? 600).description])
        return ForeignAnswer(
            changed: [task.reference],
            consequences: ["it has no retry left: SAQ calls it aborted"])
    }

    /// SAQ's own word for the error of a swept job.
    private static let swept: JSONValue = "swept"

    /// The seconds until a retry, as SAQ computes them: `retry_backoff` doubles the delay with each
    /// attempt, up to its own value, times a random part of one.
    private static func retryDelay(of job: JSONObject) -> Double {
        let base = job["retry_delay"]?.double ?? 0
        guard let backoff = job["retry_backoff"], backoff != false else { return base }
        let doublings = max(0, min(1000, (job["attempts"]?.integer ?? 0) - 1))
        var delay = base
        for _ in 0..<doublings { delay *= 2 }
        var random = SystemRandom()
        return min(backoff.double ?? .infinity, delay) * Double.random(in: 0..<1, using: &random)
    }

    /// Writes a job that its worker had, if it is as it was read.
    private func replace(
        _ task: ForeignTask, _ former: [UInt8], by bytes: [UInt8], _ script: String,
        list: [UInt8], _ arguments: [String]
    ) throws {
        let text = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            if redis.call('LREM', KEYS[2], 1, KEYS[1]) == 0 then return 0 end
            \(script)
            return 1
            """
        let (active, incomplete) = ("saq:\(task.queue):active", "saq:\(task.queue):incomplete")
        let answer = try redis.call(
            .script(
                text,
                keys: [
                    Array(task.reference.utf8), Array(active.utf8), Array(incomplete.utf8), list,
                ],
                arguments: [former, bytes] + arguments.map { Array($0.utf8) }))
        guard answer.integer == 1 else { throw Self.hasChanged(task.reference) }
    }
}
