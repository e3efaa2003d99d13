import SluiceModel
import SluiceRedisClient

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
    /// The ended job that has this result.
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
