/// A word of a command: text, bytes or a number.
package protocol RedisWord {
    /// The bytes to send.
    var redisBytes: [UInt8] { get }
}

extension String: RedisWord {
    /// UTF-8.
    package var redisBytes: [UInt8] { Array(utf8) }
}

extension [UInt8]: RedisWord {
    /// The bytes themselves.
    package var redisBytes: [UInt8] { self }
}

extension Int: RedisWord {
    package var redisBytes: [UInt8] { Array(String(self).utf8) }
}

extension Int64: RedisWord {
    package var redisBytes: [UInt8] { Array(String(self).utf8) }
}

/// A command: its name and its words, each any bytes.
package struct RedisCommand: Hashable, Sendable {
    package var words: [[UInt8]]

    package init(_ words: any RedisWord...) { self.words = words.map(\.redisBytes) }

    package init(_ name: String, words: [[UInt8]]) { self.words = [Array(name.utf8)] + words }

    package static func script(
        _ text: String, keys: [[UInt8]] = [], arguments: [any RedisWord] = []
    ) -> RedisCommand {
        RedisCommand(
            "EVAL",
            words: [text.redisBytes, keys.count.redisBytes] + keys + arguments.map(\.redisBytes))
    }

    /// Adds it as the server reads it.
    func write(to bytes: inout [UInt8]) {
        bytes += "*\(words.count)\r\n".utf8
        for word in words {
            bytes += "$\(word.count)\r\n".utf8
            bytes += word
            bytes += "\r\n".utf8
        }
    }
}
