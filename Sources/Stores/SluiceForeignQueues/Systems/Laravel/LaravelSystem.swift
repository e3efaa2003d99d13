import SluiceModel
import SluiceSystem

/// Laravel's driver `redis`: a list of JSON jobs for each queue, and sorted sets of delayed and of
/// reserved ones. Its workers poll the list, each time for one.
final class LaravelSystem: MessageListSystem {
    typealias Message = LaravelJob
    static let systemName = RowTable.laravel.name
    let title = "Laravel"
    let session: RedisSession
    /// The keys of each queue, by the name that it has here.
    private var keys: [ExactText: LaravelKeys]?
    private(set) var horizons: [Horizon] = []

    init(_ session: RedisSession) { self.session = session }

    package var rules: SystemRules { .laravelRedis }

    private static let pauses = KeySurvey.Shape("", holding: LaravelPause.single)
    private static let pausesOfAll = KeySurvey.Shape("", end: LaravelPause.all)
    static let shapes = [LaravelKeys.shape, pauses, pausesOfAll] + Horizon.shapes

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !lists(redis).isEmpty
    }

    /// The queues whose keys hold jobs of Laravel, or a hold of one.
    private static func lists(_ redis: RedisConnection) throws -> [LaravelKeys] {
        let all = try redis.names([LaravelKeys.shape]) { LaravelKeys(of: $0)?.list }
            .map { LaravelKeys(list: $0) }
        let answers = try redis.lookAll(
            all.flatMap { keys in
                let list = keys.workList
                return [
                    RedisCommand("HGET", list.record, "system"),
                    RedisCommand("LINDEX", list.list, 0), RedisCommand("LINDEX", list.held, 0),
                    RedisCommand("LINDEX", list.skipped, 0),
                    RedisCommand("ZRANGE", keys.delayed, 0, 0),
                    RedisCommand("ZRANGE", keys.reserved, 0, 0),
                ]
            })
        return all.enumerated().filter { place, _ in
            let own = answers[(6 * place)..<(6 * place + 6)]
            return own.first?.text == systemName
                || own.flatMap { $0.array + [$0] }.compactMap(\.bytes)
                    .contains { LaravelJob($0) != nil }
        }.map(\.element)
    }

    /// Finds the keys of queues. If two apps have a queue of the same name, each is named after its
    /// list.
    func learn() throws {
        let lists = try Self.lists(redis)
        let counts = Dictionary(lists.map { (ExactText($0.name), 1) }, uniquingKeysWith: +)
        keys = Dictionary(
            lists.map { (ExactText(counts[$0.name] == 1 ? $0.name : $0.list), $0) },
            uniquingKeysWith: { first, _ in first })
        horizons = try Horizon.all(redis)
    }

    private func known() throws -> [ExactText: LaravelKeys] {
        if keys == nil { try learn() }
        return keys ?? [:]
    }

    /// The keys of a queue; `nil` for an unknown queue without a known app.
    private func foundKeys(_ queue: String) throws -> LaravelKeys? {
        let known = try known()
        if let own = known[queue] { return own }
        if LaravelKeys.isWhole(queue) { return LaravelKeys(list: queue) }
        let apps = Set(known.values.map(\.prefix))
        return apps.count == 1 ? known.values.first?.sibling(queue) : nil
    }

    /// Whether the keys of a queue are known, even if it is empty.
    func isKnown(_ queue: String) throws -> Bool { try foundKeys(queue) != nil }

    /// The names of the queues, read anew.
    func queueNames() throws -> [String] {
        try learn()
        return try known().texts.distinctNames
    }

    func keys(of queue: String) -> LaravelKeys {
        // A lost connection fails again in the command that uses these keys.
        (try? foundKeys(queue)) ?? LaravelKeys(list: "queues:\(queue)")
    }

    func workLists(of queue: String) -> [WorkList] { [keys(of: queue).workList] }

    let listsEmptyQueues = false
    /// A worker asks again right after a job, so its next look comes within milliseconds.
    let polling: ListPolling? = ListPolling(fillers: 0, hasNotices: true, lookMilliseconds: 1)
    var risks: [String] {
        [
            "a job that comes in the moment of a step may be taken too: its workers do not wait "
                + "for the list"
        ] + (horizons.isEmpty ? [] : ["Horizon sees an empty queue, and may end workers"])
    }

    func queues() throws -> [ForeignQueue] {
        let names = try queueNames()
        let paused = try pausedNames()
        let pausedApps = try pausedApps()
        let failed = try horizons.map { try $0.jobs(.failed) }
        let completed = try horizons.map { try $0.jobs(.succeeded) }
        return try glance(at: names) { queue in
            let keys = keys(of: queue)
            return [RedisCommand("ZCARD", keys.delayed), RedisCommand("ZCARD", keys.reserved)]
                + heads(of: queue)
        }.map { queue, answers in
            var queue = queue
            queue.delayed = Int(answers[0].integer ?? 0)
            queue.running = Int(answers[1].integer ?? 0)
            queue.failed = failed.joined().count { $0.queue.isSame(as: queue.name) }
            queue.succeeded = completed.joined().count { $0.queue.isSame(as: queue.name) }
            if failed.contains(where: { $0.count >= Horizon.limit }) {
                queue.bounds.insert(.failed)
            }
            if completed.contains(where: { $0.count >= Horizon.limit }) {
                queue.bounds.insert(.succeeded)
            }
            if paused.contains(keys(of: queue.name).name) {
                queue.ownPause = LaravelPause.reason
            }
            if pausedApps.contains(keys(of: queue.name).prefix) {
                queue.ownPause = LaravelPause.reasonOfAll
            }
            let head = answers[2...].compactMap(\.bytes).first
            queue.oldest = head.flatMap { LaravelJob($0)?.task(in: queue.name, .due).createdAt }
            return queue
        }
    }

    /// The queues that Laravel's own command stopped, as far as its cache is in this database.
    private func pausedNames() throws -> [String] {
        try redis.names([Self.pauses], type: "string") { key in
            key.firstRange(of: LaravelPause.single).flatMap { mark in
                key[mark.upperBound...].split(separator: ":", maxSplits: 1).last.map(String.init)
            }
        }
    }

    /// The prefixes of the apps whose queues it stopped all together. An app's cache may have a
    /// further prefix, so a key belongs to the longest one that begins it.
    private func pausedApps() throws -> Set<String> {
        let apps = Set(try known().values.map(\.prefix))
        let keys = try redis.names([Self.pausesOfAll], type: "string") { $0 }
        return Set(
            keys.compactMap { key in
                apps.filter { key.hasPrefix($0) }.max { $0.utf8.count < $1.utf8.count }
            })
    }

    /// The maximum number of members of a sorted set to search for one job.
    static let setLimit = 10_000

    /// A job in one of the sorted sets, with its score.
    struct Member {
        var job: LaravelJob
        var task: ForeignTask
        var score: Double
    }

    /// The jobs of a sorted set: delayed ones by their time, reserved ones by the end of their
    /// reservation.
    func members(
        _ key: [UInt8], of queue: String, _ display: ForeignTask.Display, limit: Int
    ) throws -> [Member] {
        guard limit > 0 else { return [] }
        return try redis.look("ZRANGE", key, 0, limit - 1, "WITHSCORES").pairs.compactMap {
            bytes, score in
            guard let job = LaravelJob(bytes), let score = score.text.flatMap({ Double($0) }) else {
                return nil
            }
            seen.keep(bytes, of: job.id)
            var task = job.task(in: queue, display)
            if display == .delayed { task.notBefore = ForeignTime.moment(seconds: score) }
            return Member(job: job, task: task, score: score)
        }
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        let keys = keys(of: queue)
        switch state {
        case .running:
            return try members(keys.reserved, of: queue, .running, limit: limit).map(\.task)
        case .waiting:
            return try members(keys.delayed, of: queue, .delayed, limit: limit).map(\.task)
        case .failed: return try ended(.failed, of: queue)
        case .succeeded: return try ended(.succeeded, of: queue)
        case .deleted: return []
        }
    }

    private func ended(_ display: ForeignTask.Display, of queue: String) throws -> [ForeignTask] {
        if keys == nil { try learn() }
        return try horizons.flatMap { try $0.jobs(display) }
            .filter { $0.queue.isSame(as: queue) }.map { $0.task(in: queue, display) }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        try learn()
        let all = try known().flatMap { name, keys in
            try members(keys.delayed, of: name.text, .delayed, limit: limit).map(\.task)
        }
        return ForeignTimer.first(limit, of: all)
    }

    /// Laravel's own workers keep no list of themselves; Horizon keeps one of its supervisors.
    func runners() throws -> [ForeignRunner] { try horizons.flatMap { try $0.runners() } }

    var listsRunners: Bool { !horizons.isEmpty }
}
