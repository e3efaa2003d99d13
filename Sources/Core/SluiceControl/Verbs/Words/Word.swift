/// One word of a command line: bytes, most often a text.
package struct Word: Hashable, Sendable {
    /// The raw bytes.
    package let bytes: [UInt8]
    /// The text of the bytes. If they are not UTF-8, each byte outside ASCII becomes `\xFF`, so
    /// different words look different.
    package let text: String
    /// Whether the bytes are UTF-8.
    package let isText: Bool

    /// A word of any bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let valid = String(validating: bytes, as: UTF8.self)
        isText = valid != nil
        text = valid ?? bytes.map(Self.shown).joined()
    }

    package init(_ text: String) {
        (self.text, bytes, isText) = (text, Array(text.utf8), true)
    }

    private static func shown(_ byte: UInt8) -> String {
        byte < 0x80
            ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
    }

    /// The parts before and after the first `=`.
    package var parts: (name: String, value: Word?) {
        guard let place = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (text, nil) }
        return (Word(Array(bytes[..<place])).text, Word(Array(bytes[(place + 1)...])))
    }
}
