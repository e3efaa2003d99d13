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
}

extension RedisCommand {
    fileprivate func saying(_ words: [[UInt8]]) -> RedisCommand {
        var command = self
        command.words = words
        return command
    }
}
