import SluiceModel
import SluiceRedisClient

/// A connection that the server knows of, as `CLIENT LIST` gives it.
struct RedisClientLine {
    private static let blocking: Set<Substring> = [
        "brpop", "blpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop",
    ]

    /// Its number.
    let id: Int64
    let name: Substring
    /// Whether it waits in the server now.
    let isBlocked: Bool
    /// Whether its last command takes from a list and waits for that.
    let takes: Bool
    /// Whether its last command reads a stream for a consumer group.
    let readsGroup: Bool
    /// Whether its last command is a script, of the last few seconds.
    let runsScript: Bool
    private static let recentSeconds = 5

    static func all(_ redis: RedisConnection, database: Int) throws -> [RedisClientLine] {
        all(in: try redis.call("CLIENT", "LIST").bytes ?? [], database: database)
    }

    /// The same, of the bytes of an answer.
    static func all(in bytes: [UInt8], database: Int) -> [RedisClientLine] {
        let text = String(decoding: bytes, as: UTF8.self)
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
                takes: blocking.contains(fields["cmd"] ?? ""),
                readsGroup: fields["cmd"] == "xreadgroup",
                runsScript: ["eval", "evalsha"].contains(fields["cmd"] ?? "")
                    && fields["idle"].flatMap { Int($0) }.map { $0 <= recentSeconds } ?? false)
        }
    }
}
