import SluiceModel
import SluiceRedisClient

/// The jobs that have ended. SAQ keeps each under its own key, for ten minutes by default, and in
/// no list.
extension SAQSystem {
    static let jobShape = KeySurvey.Shape("saq:job:")
    /// The maximum number of jobs to search for ended ones, since waiting jobs have such keys too.
    private static let limit = 2_000

    static let displays: [String: ForeignTask.Display] = [
        "new": .due, "queued": .due, "active": .running, "aborting": .running,
        "aborted": .cancelled, "failed": .failed, "complete": .succeeded,
    ]
    private static let words = ["aborted", "failed", "complete"].map { Array($0.utf8) }

    /// The ended jobs of all queues, the newest first, and whether they are all.
    func ended() throws -> (tasks: [ForeignTask], isAll: Bool) {
        let names = try redis.names([Self.jobShape]) { $0 }
        let keys = names.prefix(Self.limit).map { Array($0.utf8) }
        guard !keys.isEmpty else { return ([], true) }
        let texts = try redis.call(RedisCommand("MGET", words: keys)).array
        let tasks = zip(names, texts).compactMap { name, text -> ForeignTask? in
            // Most jobs wait: a text without such a word is not decoded.
            guard let bytes = text.bytes,
                Self.words.contains(where: { bytes.firstRange(of: $0) != nil }),
                let job = Self.read(bytes)?.job, let queue = job["queue"]?.string,
                let display = Self.displays[job["status"]?.string ?? ""],
                [.failed, .succeeded, .cancelled].contains(display)
            else { return nil }
            return Self.task(name, queue, display, job)
        }
        let newest = tasks.sorted { ($0.endedAt ?? .unknown) > ($1.endedAt ?? .unknown) }
        return (newest, names.count <= Self.limit)
    }
}
