import SluiceModel
import SluiceSystem

/// Checks a server's support for a recipe before a hold or a change. If one command of a script
/// fails, or a transaction is not supported, half of the change would remain.
enum RedisAbility {
    /// Throws `notLegal` if the user lacks a permission that the recipe needs for keys next to a
    /// queue. Tries each command on a text value, which no command changes.
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

    /// The first words of a server that takes changes from no user: it is full, a replica, without
    /// enough replicas, or unable to save.
    private static let closed = ["OOM", "READONLY", "NOREPLICAS", "MISCONF", "MASTERDOWN"]

    /// The first command that a server does not have or a user may not give, and its words for it.
    private static func refusal(
        of tries: [RedisCommand], _ redis: RedisConnection
    ) throws -> (name: String, reason: String)? {
        for (command, answer) in zip(tries, try redis.pipeline(tries)) {
            guard case .refusal(let text) = answer else { continue }
            let reason = String(decoding: text, as: UTF8.self)
            if closed.contains(where: reason.hasPrefix) {
                throw QueueError(
                    .denied, "nothing was changed: the server takes no changes now (\(reason))",
                    fix: "look at the server, and try again")
            }
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
            "ZCARD": [], "XADD": ["*", "x", "x"], "XDEL": ["0-1"], "XRANGE": ["-", "+"], "DEL": [],
            "DUMP": [], "PTTL": [],
            "RESTORE": ["0", "x"],
        ]
        return RedisCommand(
            name, words: [probe] + (words[name] ?? []).map { $0 == it ? probe : Array($0.utf8) })
    }

    private static let it = "KEY"
    /// The commands that guards use on the lists of a hold.
    private static let guarding = [
        "LMOVE", "BLMOVE", "LPOS", "LREM", "LINDEX", "RPUSH", "LPUSH", "LPOP", "RPOP", "LINSERT",
        "RENAME", "BLPOP", "LLEN", "HSET", "HGETALL", "DEL",
    ]

    /// Throws `notLegal` if a hold would leak new tasks. `guards` is the number of connections
    /// needed.
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

    /// Throws if the server does not support transactions; runs an empty one.
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
                "the server refuses MULTI, so a step is not atomic"
                    + (refused.map { " (\($0))" } ?? ""))
        }
    }

    /// Throws if the server cannot accept enough connections, as far as it reports its limit.
    private static func checkClients(_ redis: RedisConnection, _ guards: Int) throws {
        guard let most = try told(redis, "clients", "maxclients").flatMap({ Int($0) }),
            let now = try told(redis, "clients", "connected_clients").flatMap({ Int($0) })
        else { return }
        // The keeper's process needs a few more connections.
        let wanted = guards + 4
        guard now + wanted > most else { return }
        throw leak(
            "\(wanted) connections are needed, and the server has \(now) of \(most) at most",
            fix: "CONFIG SET maxclients \(now + wanted + most) at the server makes room, or stop "
                + "the workers instead")
    }

    private static func told(
        _ redis: RedisConnection, _ section: String, _ name: String
    ) throws -> String? {
        let info = try redis.call("INFO", section).text ?? ""
        return info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name):") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    /// The commands that scripts of verbs use.
    private static let changing = [
        "LPOS", "LLEN", "LINDEX", "LREM", "LINSERT", "LSET", "LPUSH", "RPUSH", "RPOP", "LTRIM",
        "LRANGE", "DUMP", "PTTL", "RESTORE", "DEL", "ZSCORE", "ZADD", "ZREM", "HGET", "HSET",
        "HDEL", "EXISTS", "SADD", "SREM", "SISMEMBER", "TYPE",
    ]

    /// Throws `denied` if the user lacks a command for verbs and undo: Redis does not roll back a
    /// failed script. `key` is the key of the journal.
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
            fix: "use an account that may do it")
    }

    private static func leak(
        _ reason: String,
        fix: String = "use an account that may do it, or stop the workers instead"
    ) -> QueueError { .notLegal("arrivals would leak: \(reason)", fix: fix) }
}
