import SluiceModel
import SluiceRedisClient

/// A connection that the server knows of, as `CLIENT LIST` gives it.
struct RedisClientLine {
    private static let blocking: Set<Substring> = [
        "brpop", "blpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop",
    ]

    /// Its number.
    let id: Int64
    /// Its name.
    let name: Substring
    /// Whether it waits in the server now.
    let isBlocked: Bool
    /// Whether its last command takes from a list and waits for that.
    let takes: Bool

    /// The connections to a database.
    static func all(_ redis: RedisConnection, database: Int) throws -> [RedisClientLine] {
        let text = try redis.call("CLIENT", "LIST").text ?? ""
        return text.split(separator: "\n").compactMap { line in
            var fields: [Substring: Substring] = [:]
            for field in line.split(separator: " ") {
                let parts = field.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { fields[parts[0]] = parts[1] }
            }
            guard fields["db"] == Substring(String(database)),
                let id = fields["id"].flatMap({ Int64($0) })
            else { return nil }
            return RedisClientLine(
                id: id, name: fields["name"] ?? "",
                isBlocked: fields["flags"]?.contains("b") ?? false,
                takes: blocking.contains(fields["cmd"] ?? ""))
        }
    }
}

/// What a hold by guards needs of a server: found before anything is held.
enum RedisAbility {
    /// Throws `notLegal` where a user may not do what is needed with the keys beside a queue: each
    /// command is tried at a text, which none of them changes.
    static func check(_ redis: RedisConnection, _ commands: [String], beside workList: WorkList)
        throws
    {
        let probe = workList.probe
        let words: [String: [String]] = [
            "LMOVE": [Self.it, "LEFT", "RIGHT"], "BLMOVE": [Self.it, "LEFT", "RIGHT", "0"],
            "LPOS": ["x"], "LREM": ["1", "x"], "LINDEX": ["0"], "RPUSH": ["x"], "LPUSH": ["x"],
            "LINSERT": ["BEFORE", "x", "x"], "RENAME": [Self.it], "BLPOP": ["1"], "LLEN": [],
            "HSET": ["x", "x"], "HGETALL": [], "ZADD": ["1", "x"], "ZREM": ["x"],
            "ZSCORE": ["x"], "DEL": [],
        ]
        let tries =
            [RedisCommand("SET", probe, "x", "PX", 10_000)]
            + ["sluice:open:probe", "sluice:reply:probe"].map {
                RedisCommand("SET", $0, "x", "PX", 1)
            }
            + [.script("return redis.call('EXISTS', KEYS[1])", keys: [probe])]
            + commands.map { name in
                RedisCommand(
                    name,
                    words: [probe]
                        + (words[name] ?? []).map { $0 == Self.it ? probe : Array($0.utf8) })
            } + [RedisCommand("DEL", probe)]
        for (command, answer) in zip(tries, try redis.pipeline(tries)) {
            guard case .refusal(let text) = answer, text.starts(with: "NOPERM".utf8) else {
                continue
            }
            let (name, reason) = (
                String(decoding: command.words[0], as: UTF8.self),
                String(decoding: text, as: UTF8.self)
            )
            throw leak("the server refuses \(name) (\(reason))")
        }
    }

    private static let it = "KEY"
    /// What guards do with the lists beside a queue.
    private static let guarding = [
        "LMOVE", "BLMOVE", "LPOS", "LREM", "LINDEX", "RPUSH", "LPUSH", "LINSERT", "RENAME",
        "BLPOP", "LLEN", "HSET", "HGETALL", "DEL",
    ]

    /// Throws `notLegal` where arrivals would leak.
    static func checkGuards(_ redis: RedisConnection, _ workList: WorkList) throws {
        let info = try redis.call("INFO", "server").text ?? ""
        let version =
            info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("redis_version:") }?
            .dropFirst("redis_version:".count) ?? ""
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2, (numbers[0], numbers[1]) >= (6, 2) else {
            throw leak(
                "the server is Redis \(version), and BLMOVE came with 6.2",
                fix: "stop the workers instead")
        }
        for command in [RedisCommand("CLIENT", "UNBLOCK", 0), RedisCommand("CLIENT", "LIST")] {
            guard let answer = try redis.pipeline([command]).first else { continue }
            if case .refusal(let text) = answer {
                let words = String(decoding: text, as: UTF8.self)
                throw leak("the server refuses CLIENT LIST or CLIENT UNBLOCK (\(words))")
            }
        }
        try check(redis, guarding, beside: workList)
    }

    private static func leak(
        _ reason: String, fix: String = "ask with a user who may, or stop the workers instead"
    ) -> QueueError {
        .notLegal("arrivals would leak: \(reason)", fix: fix)
    }
}
