import SluiceRedisClient

extension RedisConnection {
    /// Asks what only reads; a key that holds another kind of value than its name says holds
    /// nothing.
    func look(_ words: any RedisWord...) throws(RedisError) -> RedisValue {
        let command = RedisCommand("", words: []).saying(words.map(\.redisBytes))
        let answer = try pipeline([command]).first ?? .none
        if case .refusal(let text) = answer, text.starts(with: "WRONGTYPE".utf8) { return .none }
        return try answer.accepted()
    }

    /// So many keys are looked at for one answer.
    private static var scanRounds: Int { 100 }

    /// What the names of keys say that match a pattern: piece by piece, of a hundred thousand keys
    /// at most.
    func scan(
        _ pattern: String, type: String? = nil, firstOnly: Bool = false,
        _ said: (String) -> String?
    ) throws(RedisError) -> Set<String> {
        var found: Set<String> = []
        var cursor = "0"
        for _ in 0..<Self.scanRounds {
            let words = ["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"]
            let asked = words + (type.map { ["TYPE", $0] } ?? [])
            let answer = try call(
                RedisCommand(asked[0], words: asked.dropFirst().map { Array($0.utf8) })
            ).array
            guard answer.count == 2 else { break }
            for key in answer[1].array.compactMap(\.text) {
                if let name = said(key) { found.insert(name) }
            }
            cursor = answer[0].text ?? "0"
            if cursor == "0" || (firstOnly && !found.isEmpty) { break }
        }
        return found
    }
}

extension RedisCommand {
    fileprivate func saying(_ words: [[UInt8]]) -> RedisCommand {
        var command = self
        command.words = words
        return command
    }
}
