import SluiceModel
import SluiceRedisClient

extension BullMQSystem {
    /// Whether a queue belongs to Bull, which has the same key names. Bull marks a pause with its
    /// own key, and its `meta` has no BullMQ fields.
    func isBull(_ queue: String) throws -> Bool {
        let keys = BullMQKeys(queue)
        let answers = try redis.lookAll([
            RedisCommand("EXISTS", keys.key("meta-paused")),
            RedisCommand("HMGET", keys.key("meta"), "opts.maxLenEvents", "version"),
        ])
        return answers[0].integer == 1 && answers[1].array.allSatisfy(\.isNone)
    }

    /// Throws `notLegal` for a queue of Bull: BullMQ's verbs would leave it stuck.
    func refuseBull(_ queue: String) throws {
        guard try isBull(queue) else { return }
        throw QueueError.notLegal(
            "\(queue) is a queue of Bull, not of BullMQ: \(BullMQKeys(queue).text("meta-paused")) "
                + "is there, and Bull pauses in another way",
            fix: "pause and resume it by Bull itself: queue.pause(), queue.resume()")
    }

    /// The children that a parent waits for, with their states.
    func obstacle(of detail: ForeignDetail) throws -> String? {
        let task = detail.task
        guard task.display == .blocked else { return nil }
        let keys = BullMQKeys(task.queue)
        let id = keys.id(task.reference)
        let answers = try redis.lookAll([
            RedisCommand("SMEMBERS", keys.key("\(id):dependencies")),
            RedisCommand("ZRANGE", keys.key("\(id):unsuccessful"), 0, -1),
            RedisCommand("HKEYS", keys.key("\(id):failed")),
        ]).map { $0.array.compactMap(\.text) }
        let broken = Set(texts: answers[1] + answers[2])
        let all = (answers[0] + answers[1]).distinctNames
        guard !all.isEmpty else { return nil }
        let names = try Self.queueNames(redis)
        let states = try all.map { child in
            broken.contains(child) ? "failed" : try childState(child, names)
        }
        let children = zip(all, states).map {
            (name: Self.childName($0, names), isFailed: $1 == "failed", state: $1)
        }.sorted { $0.isFailed && !$1.isFailed }
        let words = children.prefix(5).map { "\($0.name) (\($0.state))" }
        let more = children.count > 5 ? " and \(children.count - 5) more" : ""
        let failed = children.first(where: \.isFailed)?.name
        let fix = failed.map { ": sluice \(ShellWord.command("retry", $0))" } ?? ""
        return "it waits for its children \(words.joined(separator: ", "))\(more)\(fix)"
    }

    /// The reference of a child. Jobs name children by key, possibly with another queue's prefix.
    private static func childName(_ key: String, _ queues: [String]) -> String {
        let own = queues.first { key.hasPrefix(BullMQKeys($0).text("")) }
        return own.map { queue in
            let keys = BullMQKeys(queue)
            return keys.reference(String(key.dropFirst(keys.text("").count)))
        } ?? key
    }

    private func childState(_ key: String, _ queues: [String]) throws -> String {
        guard try redis.look("EXISTS", key).integer == 1 else { return "gone" }
        return try detail(Self.childName(key, queues))?.task.display.word ?? "not known"
    }
}
