import SluiceModel
import SluiceSystem

/// A job in the records of Horizon, Laravel's dashboard: a hash with its end.
struct HorizonJob {
    static let names = [
        "payload", "queue", "status", "exception", "failed_at", "completed_at", "reserved_at",
    ]
    private let values: [RedisValue]
    let job: LaravelJob

    /// Decodes the answer to `HMGET` of the fields.
    init?(_ answer: RedisValue) {
        values = answer.array
        guard values.count == Self.names.count,
            let job = values[0].bytes.flatMap({ LaravelJob($0) })
        else { return nil }
        self.job = job
    }

    var queue: String { values[1].text ?? "" }
    var status: String { values[2].text ?? "" }
    private var exception: String? { values[3].text }

    private func moment(_ index: Int) -> Timestamp? {
        values[index].text.flatMap { Double($0) }.flatMap(ForeignTime.moment(seconds:))
    }

    /// The first line of its exception.
    var error: String? {
        exception?.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        var task = job.task(in: queue, display)
        if display == .failed { task.error = error ?? "failed" }
        return task
    }

    func detail(in queue: String, _ display: ForeignTask.Display) -> ForeignDetail {
        var detail = job.detail(task(in: queue, display))
        var attempt = ForeignAttempt(number: max(job.attempts, 1))
        attempt.startedAt = moment(6)
        attempt.endedAt = moment(display == .failed ? 4 : 5)
        attempt.outcome = display == .failed ? "giveUp" : "success"
        attempt.error = display == .failed ? exception ?? "failed" : nil
        detail.attempts = [attempt]
        return detail
    }
}

/// The records of Horizon in one database. Its connection has another prefix than the queues.
struct Horizon {
    private static let failedEnd = "failed_jobs"
    private static let supervisorsEnd = "supervisors"
    /// The key of failed jobs, and the key of processes.
    static let shapes = [
        KeySurvey.Shape("", end: failedEnd), KeySurvey.Shape("", end: "completed_jobs"),
        KeySurvey.Shape("", end: supervisorsEnd),
    ]
    /// The maximum number of ended jobs to read for one answer.
    static let limit = 1000

    let redis: RedisConnection
    let prefix: String

    /// The Horizons of a database: one for each app.
    static func all(_ redis: RedisConnection) throws -> [Horizon] {
        try redis.names(shapes, type: "zset") { key in
            let ends = ["recent_\(failedEnd)", failedEnd, "completed_jobs", supervisorsEnd]
            return ends.first { key.hasSuffix($0) }.map { String(key.dropLast($0.count)) }
        }.map { Horizon(redis: redis, prefix: $0) }
    }

    var failed: [UInt8] { Array("\(prefix)\(Self.failedEnd)".utf8) }
    private var completed: [UInt8] { Array("\(prefix)completed_jobs".utf8) }

    func key(_ id: String) -> [UInt8] { Array("\(prefix)\(id)".utf8) }

    /// The jobs that ended in one way, the newest first: its scores are negative times.
    func jobs(_ display: ForeignTask.Display) throws -> [HorizonJob] {
        let set = display == .failed ? failed : completed
        let ids = try redis.look("ZRANGE", set, 0, Self.limit - 1).array.compactMap(\.text)
        return try jobs(ids).compactMap { $0 }
    }

    func jobs(_ ids: [String]) throws -> [HorizonJob?] {
        let names = HorizonJob.names.map { Array($0.utf8) }
        return try redis.lookAll(ids.map { RedisCommand("HMGET", words: [key($0)] + names) })
            .map { HorizonJob($0) }
    }

    /// The display of a job with a record of its end; `nil` without one.
    func ended(_ id: String) throws -> (job: HorizonJob, display: ForeignTask.Display)? {
        guard let job = try jobs([id])[0] else { return nil }
        let displays: [String: ForeignTask.Display] = ["failed": .failed, "completed": .succeeded]
        return displays[job.status].map { (job, $0) }
    }

    /// Its supervisors, which start workers.
    func runners() throws -> [ForeignRunner] {
        let set = "\(prefix)\(Self.supervisorsEnd)"
        let pairs = try redis.look("ZRANGE", set, 0, -1, "WITHSCORES").pairs
        let names = pairs.map { String(decoding: $0.name, as: UTF8.self) }
        let answers = try redis.lookAll(
            names.map {
                RedisCommand("HMGET", key("supervisor:\($0)"), "pid", "processes", "options")
            })
        return zip(zip(names, pairs), answers).compactMap { named, answer in
            // One that no longer sends heartbeats has no hash.
            guard let processes = answer.array[1].bytes.flatMap({ try? JSONValue.parse($0) }) else {
                return nil
            }
            let options = answer.array[2].bytes.flatMap { try? JSONValue.parse($0) }
            let queues = options?["queue"]?.string?.split(separator: ",").map(String.init)
            var runner = ForeignRunner(name: named.0, queues: queues ?? [])
            runner.processID = answer.array[0].text.flatMap { Int64($0) }
            runner.slots = processes.object.map { object in
                Int(clamping: object.pairs.reduce(0) { $0 + ($1.value.integer ?? 0) })
            }
            runner.heardAt = named.1.value.text.flatMap { Double($0) }
                .flatMap(ForeignTime.moment(seconds:))
            return runner
        }
    }
}
