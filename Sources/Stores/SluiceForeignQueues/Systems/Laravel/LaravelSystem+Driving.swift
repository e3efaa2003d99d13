import SluiceModel
import SluiceRedisClient

extension LaravelSystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try learnNamed(queue)
        let answer = try holdByGuards(queue, note)
        try matchNotices(queue)
        return answer
    }

    /// Learns the keys, and refuses a queue whose app is not known: without a job there is no key.
    private func learnNamed(_ queue: String) throws {
        try learn()
        guard try !isKnown(queue) else { return }
        throw QueueError.notLegal(
            "no job of \(queue) is there, so the prefix of its keys is not known",
            fix: "send a first job, or name the whole list, such as "
                + "laravel_database_queues:\(queue)")
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        try learn()
        let answer = try releaseFromGuards(queue)
        try matchNotices(queue)
        return answer
    }

    /// The maximum number of notices to add. Each wakes a worker, which then continues to ask.
    private static let noticeLimit = 100

    /// Makes the list of notices fit to the waiting jobs. Each notice without a job would cost a
    /// waiting worker one look.
    private func matchNotices(_ queue: String) throws {
        let keys = keys(of: queue)
        let script = """
            local jobs, notices = redis.call('LLEN', KEYS[1]), redis.call('LLEN', KEYS[2])
            if notices > jobs then redis.call('LTRIM', KEYS[2], 1, jobs) end
            for _ = notices + 1, math.min(jobs, tonumber(ARGV[1])) do
                redis.call('RPUSH', KEYS[2], 1)
            end
            """
        try redis.call(
            .script(
                script, keys: [keys.workList.list, keys.notices], arguments: [Self.noticeLimit]))
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try learn()
        defer {
            // Notices left from arrivals cost a look at most, so a lost connection is no failure.
            try? matchNotices(queue)
        }
        return try stepByGuards(queue, task: task, limits: limits)
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        // A job moves from the reserved to the delayed ones, and from there into the list.
        let keys = keys(of: task.queue)
        func holds(_ key: [UInt8]) throws -> Bool {
            try members(key, of: task.queue, .delayed, limit: Self.setLimit).contains {
                $0.job.id.isSame(as: task.reference)
            }
        }
        if try holds(keys.reserved) { return nil }
        for horizon in horizons {
            guard let ended = try horizon.ended(task.reference) else { continue }
            return ended.display == .failed ? ("giveUp", ended.job.error) : ("success", nil)
        }
        let last = try redis.look("LRANGE", keys.workList.held, -50, -1).array.compactMap(\.bytes)
        let isAgain =
            try holds(keys.delayed)
            || last.contains { LaravelJob($0)?.id.isSame(as: task.reference) == true }
        return isAgain ? ("retry", nil) : (nil, nil)
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display == .running else { return nil }
        let keys = keys(of: detail.task.queue)
        let own = try members(keys.reserved, of: detail.task.queue, .running, limit: Self.setLimit)
            .first { $0.job.id.isSame(as: detail.task.reference) }
        guard let own, let moment = ForeignTime.moment(seconds: own.score) else { return nil }
        return ForeignHolder(
            worker: nil, since: nil, heardAt: nil,
            advice: "Laravel gives it to another worker at \(TimeText.rfc3339(moment)), when its "
                + "retry_after has passed")
    }
}
