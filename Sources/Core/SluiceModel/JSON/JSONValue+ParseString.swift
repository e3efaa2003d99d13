extension JSONParser {
    /// A string in its quotes, with escapes resolved.
    mutating func string() throws(JSONError) -> String {
        let start = index
        index += 1
        let first = index
        passPlainRun()
        if next == UInt8(ascii: "\"") {
            defer { index += 1 }
            return try text(bytes[first..<index], start: start)
        }
        return try escapedString(Array(bytes[first..<index]), start: start)
    }

    private mutating func escapedString(
        _ begun: [UInt8], start: Int
    ) throws(JSONError) -> String {
        var content = begun
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return try text(content[...], start: start)
            case UInt8(ascii: "\\"):
                try escape(into: &content)
            case 0..<32:
                throw error("a control character (byte \(byte)) in a string must be escaped")
            default:
                let first = index
                passPlainRun()
                content += bytes[first..<index]
            }
        }
        throw error("the string that begins here has no closing quote", at: start)
    }

    private mutating func passPlainRun() {
        index = bytes.withUnsafeBufferPointer { PlainRun.end(of: $0, from: index) }
    }

    private func text(_ content: ArraySlice<UInt8>, start: Int) throws(JSONError) -> String {
        if content.allSatisfy({ $0 < 128 }) { return String(decoding: content, as: UTF8.self) }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw error("the string that begins here is not UTF-8", at: start)
        }
        return text
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        let start = index
        index += 1
        guard let byte = next else { throw unexpected("an escape") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(8)
        case UInt8(ascii: "f"): content.append(12)
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "u"):
            content += String(Character(try escapedScalar(start: start))).utf8
        default: throw error("an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", at: start)
        }
    }

    /// The character of `\uXXXX`, or of two of them that are a pair of surrogates.
    private mutating func escapedScalar(start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let isHigh = (0xD800..<0xDC00).contains(unit)
        guard isHigh, consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else {
            throw error(JSONError.loneSurrogate, at: start)
        }
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error(JSONError.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let next, let digit = Character(Unicode.Scalar(next)).hexDigitValue else {
                throw unexpected("four hexadecimal digits")
            }
            value = value << 4 + UInt32(digit)
            index += 1
        }
        return value
    }
}
