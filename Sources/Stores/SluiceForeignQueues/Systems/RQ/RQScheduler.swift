import SluiceModel
import SluiceSystem

/// The jobs of rq-scheduler, an add-on of RQ. One sorted set has the jobs of all queues by time;
/// only the hash of a job names its queue.
extension RQSystem {
    static let schedulerSet = Array("rq:scheduler:scheduled_jobs".utf8)
    /// The maximum number of jobs read for a snapshot.
    static let schedulerLimit = 1_000

    /// The first jobs of the sorted set, the next one first. A job without a hash is left out.
    func schedulerJobs() throws -> [ForeignTask] { try scheduled().map(\.task) }

    /// The jobs of a queue that wait for their time. A repeated job has its next time already while
    /// it is in its queue or runs.
    func schedulerJobs(of queue: String) throws -> [ForeignTask] {
        try waitingSchedulerJobs().filter { $0.queue.isSame(as: queue) }
    }

    func waitingSchedulerJobs() throws -> [ForeignTask] {
        let all = try scheduled()
        let queued = all.filter { $0.status == "queued" }.map(\.task)
        let started = all.filter { $0.status == "started" }.map(\.task)
        var busy: Set<ExactText> = []
        let places = queued.map { task in
            workLists(of: task.queue).flatMap { [$0.list, $0.held, $0.skipped] }
                + [Array(Self.intermediate(task.queue).utf8)]
        }
        for (task, keys) in zip(queued, places) {
            let found = try redis.lookAll(keys.map { RedisCommand("LPOS", $0, task.reference) })
            if found.contains(where: { $0.integer != nil }) {
                busy.insert(ExactText(task.reference))
            }
        }
        for queue in Set(texts: started.map(\.queue)).texts {
            for task in try registry("wip", queue, .running, 0, Self.schedulerLimit) {
                busy.insert(ExactText(task.reference))
            }
        }
        return all.map(\.task).filter { !busy.contains($0.reference) }
    }

    private func scheduled() throws -> [(task: ForeignTask, status: String?)] {
        let pairs = try redis.look(
            "ZRANGE", Self.schedulerSet, 0, Self.schedulerLimit - 1, "WITHSCORES"
        ).pairs
        guard !pairs.isEmpty else { return [] }
        let fields = try redis.pipeline(
            pairs.map { RedisCommand("HMGET", RQJob.key($0.name), "origin", "status") })
        let tasks = try tasks(pairs.map(\.name), in: "", .delayed)
        return zip(zip(tasks, fields), pairs).compactMap { found, pair in
            let told = found.1.array.map(\.text)
            guard told.count == 2, let queue = told[0] else { return nil }
            var task = found.0
            task.queue = queue
            task.notBefore = Self.moment(ofScore: pair.value)
            return (task, told[1])
        }
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
