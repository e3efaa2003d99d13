import SluiceModel
import SluiceSystem

/// A connection that the server knows of, as `CLIENT LIST` gives it.
struct RedisClientLine {
    private static let blocking: Set<Substring> = [
        "brpop", "blpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop",
    ]

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

extension RedisConnection {
    /// Runs a reading command. A key with another type of value counts as empty.
    func look(_ words: any RedisWord...) throws(RedisError) -> RedisValue {
        let command = RedisCommand("", words: []).saying(words.map(\.redisBytes))
        return try lookAll([command])[0]
    }

    /// Asks several such things in one round trip.
    func lookAll(_ commands: [RedisCommand]) throws(RedisError) -> [RedisValue] {
        var answers: [RedisValue] = []
        for answer in try pipeline(commands) {
            if case .refusal(let text) = answer, text.starts(with: "WRONGTYPE".utf8) {
                answers.append(.none)
            } else {
                answers.append(try answer.accepted())
            }
        }
        return answers
    }

    /// The names that `said` reads from keys of some shapes, and of one `type` if given. Duplicates
    /// are compared by bytes, since different bytes can look the same as text.
    func names(
        _ shapes: [KeySurvey.Shape], type: String? = nil, _ said: (String) -> String?
    ) throws(RedisError) -> [String] {
        var found: Set<[UInt8]> = []
        for shape in shapes { found.formUnion(try keys.names(shape, in: self)) }
        var all = found.sorted { $0.lexicographicallyPrecedes($1) }
        if let type {
            let types = try pipeline(all.map { RedisCommand("TYPE", $0) })
            all = zip(all, types).filter { $0.1.text == type }.map(\.0)
        }
        return all.compactMap { said(String(decoding: $0, as: UTF8.self)) }.distinctNames
    }

    /// A value that changes with every change of the data and every new or closed connection; `nil`
    /// if the server hides it.
    func stamp() throws(RedisError) -> String? {
        let sections = ["server", "clients", "persistence", "stats"]
        let told = try pipeline(sections.map { RedisCommand("INFO", $0) })
            .compactMap(\.text).joined(separator: "\n")
        let names = [
            "run_id", "connected_clients", "rdb_changes_since_last_save", "rdb_last_save_time",
            "expired_keys", "evicted_keys",
        ]
        let lines = told.split(whereSeparator: \.isNewline)
        // In a cluster, each node reports these lines.
        let said = names.map { name in lines.filter { $0.hasPrefix("\(name):") } }
        guard !said.contains(where: \.isEmpty) else { return nil }
        return said.joined().joined(separator: " ")
    }
}

extension [String] {
    /// Each once and in order, by its bytes: for a set of texts two spellings of one are one.
    var distinctNames: [String] {
        var seen: Set<[UInt8]> = []
        return filter { seen.insert([UInt8]($0.utf8)).inserted }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension RedisCommand {
    fileprivate func saying(_ words: [[UInt8]]) -> RedisCommand {
        var command = self
        command.words = words
        return command
    }
}
