/// The reason why a Redis server did not execute a command.
package struct RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place where a failure begins.
    package enum Origin: Hashable, Sendable {
        case address
        case connecting
        /// This machine lacks the library for the connection.
        case library
        /// The connection was lost or silent: the last command may have executed or not.
        case lost
        /// The server refused a command, by the first word of its answer (`NOPERM`, `WRONGTYPE`).
        case refused(word: String)
        /// The answer is no Redis protocol, or not of the kind that the command has.
        case unexpected
    }

    /// The place where it began.
    package var origin: Origin
    /// The message, in one line and without secrets.
    package var message: String

    package init(_ origin: Origin, _ message: String) {
        self.origin = origin
        self.message = message
    }

    /// A refusal in the server's own words.
    init(refusal: [UInt8]) {
        let text = String(decoding: refusal, as: UTF8.self)
        let word = text.prefix { $0 != " " }
        self.init(.refused(word: String(word)), text)
    }

    package var description: String { message }

    /// The first word of the server's refusal; nil if it did not refuse.
    package var refusal: String? {
        if case .refused(let word) = origin { return word }
        return nil
    }
}
