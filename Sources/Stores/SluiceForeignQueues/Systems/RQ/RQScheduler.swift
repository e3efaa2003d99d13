import SluiceModel
import SluiceRedisClient

/// The jobs of rq-scheduler, an add-on of RQ. One sorted set has the jobs of all queues by time;
/// only the hash of a job names its queue.
extension RQSystem {
    static let schedulerSet = Array("rq:scheduler:scheduled_jobs".utf8)
    /// The maximum number of jobs read for a snapshot.
    static let schedulerLimit = 1_000

    /// The first jobs of the sorted set, the next one first. A job without a hash is left out.
    func schedulerJobs() throws -> [ForeignTask] {
        let pairs = try redis.look(
            "ZRANGE", Self.schedulerSet, 0, Self.schedulerLimit - 1, "WITHSCORES"
        ).pairs
        guard !pairs.isEmpty else { return [] }
        let origins = try redis.pipeline(
            pairs.map { RedisCommand("HGET", RQJob.key($0.name), "origin") })
        let tasks = try tasks(pairs.map(\.name), in: "", .delayed)
        return zip(zip(tasks, origins), pairs).compactMap { found, pair in
            guard let queue = found.1.text else { return nil }
            var task = found.0
            task.queue = queue
            task.notBefore = Self.moment(ofScore: pair.value)
            return task
        }
    }

    func schedulerJobs(of queue: String) throws -> [ForeignTask] {
        try schedulerJobs().filter { $0.queue.isSame(as: queue) }
    }

    static func moment(ofScore score: RedisValue) -> Timestamp? {
        score.text.flatMap { Double($0) }.flatMap(ForeignTime.moment(seconds:))
    }

    /// The sorted set that has a delayed job, and the job's time in it.
    func timer(of task: ForeignTask) throws -> (set: [UInt8], at: Timestamp?)? {
        let sets = [Array("rq:scheduled:\(task.queue)".utf8), Self.schedulerSet]
        let scores = try redis.pipeline(
            sets.map { RedisCommand("ZSCORE", $0, task.reference) })
        return zip(sets, scores).first { !$0.1.isNone }
            .map { ($0.0, Self.moment(ofScore: $0.1)) }
    }
}

extension RQJob {
    /// How rq-scheduler repeats the job, from its `meta`; `nil` for a job of one moment.
    var recurrence: String? {
        guard let bytes = fields["meta"]?.bytes, !bytes.isEmpty else { return nil }
        var text = PickleText()
        let meta = (try? JSONValue.parse(bytes)) ?? PickleReader.value(bytes).map { text.json($0) }
        guard let meta else { return nil }
        let times = meta["repeat"]?.integer.map { ", \($0) more times" } ?? ""
        if let cron = meta["cron_string"]?.string { return "cron \(cron)\(times)" }
        return meta["interval"]?.integer.map { "every \($0) s\(times)" }
    }
}
