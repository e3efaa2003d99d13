/// Why a Redis server did not do what it was asked.
package struct RedisError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place where a failure begins.
    package enum Origin: Hashable, Sendable {
        /// The address cannot be read.
        case address
        /// No connection could be made.
        case connecting
        /// This machine lacks the library by which a connection would be made.
        case library
        /// The connection ended or fell silent: what was asked last may have been done or not.
        case lost
        /// The server refused a command, by the first word of its answer (`NOPERM`, `WRONGTYPE`).
        case refused(word: String)
        /// The answer is no Redis protocol, or not of the kind that the command has.
        case unexpected
    }

    /// The place where it began.
    package var origin: Origin
    /// What was said about it, in one line and without secrets.
    package var message: String

    /// A failure with what was said about it.
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

    /// What was said.
    package var description: String { message }

    /// The first word of the server's refusal; nil where it did not refuse.
    package var refusal: String? {
        if case .refused(let word) = origin { return word }
        return nil
    }
}
