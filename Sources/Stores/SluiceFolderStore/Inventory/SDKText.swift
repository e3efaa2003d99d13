import SluiceModel

/// JSON exactly as the SDK's encoder writes it (CIO 1a): compact, with sorted keys, `/` escaped,
/// and only the mandatory escapes of control characters.
enum SDKText {
    /// The text of a value, without a newline at its end.
    static func text(_ value: JSONValue) -> String {
        String(decoding: bytes(value), as: UTF8.self)
    }

    /// The same as UTF-8.
    static func bytes(_ value: JSONValue) -> [UInt8] {
        var output: [UInt8] = []
        write(value, to: &output)
        return output
    }

    private static func write(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .integer(let number): output += String(number).utf8
        case .number(let text): output += text.utf8
        case .string(let text): write(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                write(element, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (place, pair) in object.sortedPairs.enumerated() {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                write(pair.key, to: &output)
                output.append(UInt8(ascii: ":"))
                write(pair.value, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output += "\\\"".utf8
            case UInt8(ascii: "\\"): output += "\\\\".utf8
            case UInt8(ascii: "/"): output += "\\/".utf8
            case 8: output += "\\b".utf8
            case 9: output += "\\t".utf8
            case 10: output += "\\n".utf8
            case 12: output += "\\f".utf8
            case 13: output += "\\r".utf8
            case 0..<32:
                output += (byte < 16 ? "\\u000" : "\\u00").utf8
                output += String(byte, radix: 16).utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
