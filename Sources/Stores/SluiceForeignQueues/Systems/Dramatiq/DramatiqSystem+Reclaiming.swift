import SluiceModel
import SluiceRedisClient

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
