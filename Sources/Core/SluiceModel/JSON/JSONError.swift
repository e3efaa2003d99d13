/// Why bytes are not JSON, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the error in bytes, from 0.
    package var offset: Int
    /// The line of that byte, from 1.
    package var line: Int
    /// Its byte in the line, from 1.
    package var column: Int
    /// The expected and the found text.
    package var message: String
    /// Whether it is JSON but for a key that an object has twice.
    package var isRepeatedKey = false
    /// Whether a text holds half of a pair of surrogates, which Unicode has no character for.
    package var isLoneSurrogate: Bool { message == Self.loneSurrogate }
    static let loneSurrogate = "half of a pair of surrogates is alone"

    /// An error at `offset` of `bytes`.
    init(at offset: Int, of bytes: [UInt8], _ message: String) {
        let before = bytes.prefix(offset)
        let newline = UInt8(ascii: "\n")
        self.offset = offset
        self.message = message
        line = 1 + before.count { $0 == newline }
        column = 1 + before.count - (before.lastIndex(of: newline).map { $0 + 1 } ?? 0)
    }

    /// The place and the error: `line 2, column 7: expected a value, found "}"`.
    package var description: String { "line \(line), column \(column): \(message)" }
}
