import SluiceModel

/// JSON exactly as an SDK's encoder writes it (CIO 1a): compact, with the mandatory escapes of
/// control characters. iOS sorts keys and escapes `/`; Android keeps the order of its classes and
/// escapes the line ends of JavaScript.
struct SDKText {
    private let dialect: FolderDialect
    private var output: [UInt8] = []

    /// The text of a value, without a newline at its end.
    static func text(_ value: JSONValue, _ dialect: FolderDialect = .ios) -> String {
        String(decoding: bytes(value, dialect), as: UTF8.self)
    }

    /// The same as UTF-8.
    static func bytes(_ value: JSONValue, _ dialect: FolderDialect = .ios) -> [UInt8] {
        var text = SDKText(dialect: dialect)
        text.write(value)
        return text.output
    }

    private init(dialect: FolderDialect) { self.dialect = dialect }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .integer(let number): output += String(number).utf8
        case .number(let text): output += text.utf8
        case .string(let text): write(text)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                write(element)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            let pairs = dialect == .ios ? object.sortedPairs : object.pairs
            for (place, pair) in pairs.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                write(pair.key)
                output.append(UInt8(ascii: ":"))
                write(pair.value)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private mutating func write(_ text: String) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output += "\\\"".utf8
            case UInt8(ascii: "\\"): output += "\\\\".utf8
            case UInt8(ascii: "/") where dialect == .ios: output += "\\/".utf8
            case 8: output += "\\b".utf8
            case 9: output += "\\t".utf8
            case 10: output += "\\n".utf8
            case 12: output += "\\f".utf8
            case 13: output += "\\r".utf8
            case 0..<32:
                output += (byte < 16 ? "\\u000" : "\\u00").utf8
                output += String(byte, radix: 16).utf8
            case 0xA8, 0xA9: writeEnd(byte)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// The last byte of U+2028 or U+2029, or of another character.
    private mutating func writeEnd(_ byte: UInt8) {
        guard dialect == .android, output.suffix(2) == [0xE2, 0x80] else {
            return output.append(byte)
        }
        output.removeLast(2)
        output += (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8
    }
}
