import SluiceModel
import SluiceRedisClient

/// What a recipe needs of a server: found before anything is held or changed. A script of which one
/// command is refused, and a batch without its transaction, would leave half of it.
enum RedisAbility {
    /// Throws `notLegal` where a user may not do what is needed with the keys beside a queue: each
    /// command is tried at a text, which none of them changes.
    static func check(
        _ redis: RedisConnection, _ commands: [String], probe: [UInt8], more: [RedisCommand] = []
    ) throws {
        let tries =
            [RedisCommand("SET", probe, "x", "PX", 10_000)] + more
            + [.script("return redis.call('EXISTS', KEYS[1])", keys: [probe])]
            + commands.map { trying($0, at: probe) } + [RedisCommand("DEL", probe)]
        if let (name, reason) = try refusal(of: tries, redis) {
            throw leak("the server refuses \(name) (\(reason))")
        }
    }

    /// The first command that a server does not have or a user may not give, and its words for it.
    private static func refusal(
        of tries: [RedisCommand], _ redis: RedisConnection
    ) throws -> (name: String, reason: String)? {
        for (command, answer) in zip(tries, try redis.pipeline(tries)) {
            guard case .refusal(let text) = answer else { continue }
            let reason = String(decoding: text, as: UTF8.self)
            guard reason.hasPrefix("NOPERM") || reason.lowercased().contains("unknown ") else {
                continue
            }
            return (String(decoding: command.words[0], as: UTF8.self), reason)
        }
        return nil
    }

    private static func trying(_ name: String, at probe: [UInt8]) -> RedisCommand {
        let words: [String: [String]] = [
            "LMOVE": [it, "LEFT", "RIGHT"], "BLMOVE": [it, "LEFT", "RIGHT", "0"],
            "LPOS": ["x"], "LREM": ["1", "x"], "LINDEX": ["0"], "RPUSH": ["x"], "LPUSH": ["x"],
            "LPOP": [], "RPOP": [], "LSET": ["0", "x"], "LRANGE": ["0", "0"], "LTRIM": ["0", "0"],
            "LINSERT": ["BEFORE", "x", "x"], "RENAME": [it], "BLPOP": ["1"], "LLEN": [],
            "HSET": ["x", "x"], "HGET": ["x"], "HDEL": ["x"], "HEXISTS": ["x", "x"],
            "HMGET": ["x"], "HGETALL": [], "ZADD": ["1", "x"], "ZREM": ["x"], "ZSCORE": ["x"],
            "ZCARD": [], "XADD": ["*", "x", "x"], "DEL": [], "DUMP": [], "PTTL": [],
            "RESTORE": ["0", "x"],
        ]
        return RedisCommand(
            name, words: [probe] + (words[name] ?? []).map { $0 == it ? probe : Array($0.utf8) })
    }

    private static let it = "KEY"
    /// What guards do with the lists beside a queue.
    private static let guarding = [
        "LMOVE", "BLMOVE", "LPOS", "LREM", "LINDEX", "RPUSH", "LPUSH", "LPOP", "RPOP", "LINSERT",
        "RENAME", "BLPOP", "LLEN", "HSET", "HGETALL", "DEL",
    ]

    /// Throws `notLegal` where arrivals would leak; `guards` is how many connections are needed.
    static func checkGuards(
        _ redis: RedisConnection, _ workList: WorkList, guards: Int
    ) throws {
        let version = try told(redis, "server", "redis_version") ?? ""
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2, (numbers[0], numbers[1]) >= (6, 2) else {
            throw leak("the server is Redis \(version), and BLMOVE came with 6.2")
        }
        for command in [RedisCommand("CLIENT", "UNBLOCK", 0), RedisCommand("CLIENT", "LIST")] {
            guard let answer = try redis.pipeline([command]).first else { continue }
            if case .refusal(let text) = answer {
                let words = String(decoding: text, as: UTF8.self)
                throw leak("the server refuses CLIENT LIST or CLIENT UNBLOCK (\(words))")
            }
        }
        try check(
            redis, guarding, probe: workList.probe,
            more: ["sluice:open:probe", "sluice:reply:probe"].map {
                RedisCommand("SET", $0, "x", "PX", 1)
            })
        try checkTransactions(redis)
        try checkClients(redis, guards)
    }

    /// Throws where a transaction is none: one of nothing is tried.
    private static func checkTransactions(_ redis: RedisConnection) throws {
        let answers = try redis.pipeline([
            RedisCommand("MULTI"), RedisCommand("PING"), RedisCommand("EXEC"),
        ])
        guard answers.count == 3, case .array = answers[2] else {
            let refused = answers.lazy.compactMap { answer -> String? in
                guard case .refusal(let text) = answer else { return nil }
                return String(decoding: text, as: UTF8.self)
            }.first
            throw leak(
                "the server refuses MULTI, by which a step is one piece"
                    + (refused.map { " (\($0))" } ?? ""))
        }
    }

    /// Throws where a server does not take so many connections more, as far as it says how many.
    private static func checkClients(_ redis: RedisConnection, _ guards: Int) throws {
        guard let most = try told(redis, "clients", "maxclients").flatMap({ Int($0) }),
            let now = try told(redis, "clients", "connected_clients").flatMap({ Int($0) })
        else { return }
        // The process that holds has some of its own.
        let wanted = guards + 4
        guard now + wanted > most else { return }
        throw leak(
            "\(wanted) connections are needed, and the server has \(now) of \(most) at most")
    }

    private static func told(
        _ redis: RedisConnection, _ section: String, _ name: String
    ) throws -> String? {
        let info = try redis.call("INFO", section).text ?? ""
        return info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name):") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    /// What verbs do by scripts.
    private static let changing = [
        "LPOS", "LLEN", "LINDEX", "LREM", "LINSERT", "LSET", "LPUSH", "RPUSH", "RPOP", "LTRIM",
        "LRANGE", "DUMP", "PTTL", "RESTORE", "DEL", "ZSCORE", "ZADD", "ZREM", "HGET", "HSET",
        "HDEL",
    ]

    /// Throws `denied` where a user may not give a command by which verbs change and undo: Redis
    /// does not take back the first half of a script. `key` is that of the journal.
    static func checkChanges(_ redis: RedisConnection, _ key: [UInt8]) throws {
        guard !redis.mayChange else { return }
        let probe = key + Array(":probe".utf8)
        let tries =
            [RedisCommand("SET", probe, "x", "PX", 10_000)]
            + changing.map { trying($0, at: probe) } + [RedisCommand("DEL", probe)]
        guard let (name, reason) = try refusal(of: tries, redis) else {
            redis.mayChange = true
            return
        }
        throw QueueError(
            .denied, "nothing was changed: the server refuses \(name) (\(reason))",
            fix: "ask with a user who may")
    }

    private static func leak(_ reason: String) -> QueueError {
        .notLegal(
            "arrivals would leak: \(reason)",
            fix: "ask with a user who may, or stop the workers instead")
    }
}
