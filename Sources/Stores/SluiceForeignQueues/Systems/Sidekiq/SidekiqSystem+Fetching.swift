import SluiceModel
import SluiceRedisClient

/// A reliable fetcher moves a job to a list of its process before it runs.
extension SidekiqSystem {
    // A fetcher that keeps taken jobs, such as GitLab's: a list for each process and queue, and a
    // key for each live process.
    private static let fetchedPrefix = "working:queue:"
    private static let heartbeatPrefix = "reliable-fetcher-heartbeat-"
    static let fetchedShape = KeySurvey.Shape(fetchedPrefix)
    static let heartbeatShape = KeySurvey.Shape(heartbeatPrefix)

    /// Such a fetcher asks every five seconds, instead of waiting in the server.
    var polling: ListPolling? { hasFetcher ? ListPolling(fillers: 0) : nil }

    func learn() throws {
        hasFetcher = try !redis.names(Self.shapes) { $0 }.isEmpty
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try learn()
        return try holdByGuards(queue, note)
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        try learn()
        return try releaseFromGuards(queue)
    }

    /// The jobs of such fetchers, and whether the process no longer sends heartbeats.
    private func fetched() throws -> [(task: ForeignTask, isOrphan: Bool)] {
        let keys = try redis.names([Self.fetchedShape], type: "list") { $0 }
        guard !keys.isEmpty else { return [] }
        let alive = Set(
            try redis.names([Self.heartbeatShape]) {
                String($0.dropFirst(Self.heartbeatPrefix.count))
            }
        )
        let answers = try redis.lookAll(keys.map { RedisCommand("LRANGE", $0, 0, 99) })
        return zip(keys, answers).flatMap { key, answer in
            // The key has the queue, the host and the process id, with more parts in newer
            // versions.
            let parts = key.dropFirst(Self.fetchedPrefix.count).split(separator: ":")
            let isAlive = parts.indices.contains { place in
                place + 1 < parts.count && alive.contains("\(parts[place])-\(parts[place + 1])")
            }
            return answer.array.compactMap(\.bytes).compactMap { SidekiqJob($0) }.map { job in
                seen.keep(job.bytes, of: job.id)
                return (job.task(in: job.queue, .taken), !isAlive)
            }
        }
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard detail.task.display == .taken else { return nil }
        let own = try fetched().first { $0.task.reference.isSame(as: detail.task.reference) }
        guard own?.isOrphan == true else { return nil }
        return "the process that took it does not tell of itself any more: its fetcher gives it "
            + "back when another one looks for orphans"
    }

    /// The jobs of fetchers that no process reports as running.
    func onlyFetched(_ work: [ForeignTask]) throws -> [ForeignTask] {
        let known = Set(texts: work.map(\.reference))
        return try fetched().map(\.task).filter { !known.contains($0.reference) }
    }
}
