extension JSONValue {
    /// The maximum nesting of arrays and objects.
    package static let depthLimit = 512

    /// Reads one value as RFC 8259 spells it, strictly: UTF-8 without a byte order mark, nothing
    /// after the value but white space, no lone surrogate in an escape, at most `depthLimit` deep.
    /// Of a key that an object has twice the last value wins, unless it is not allowed.
    package static func parse(
        _ bytes: [UInt8], allowsRepeatedKeys: Bool = true, depthLimit: Int = depthLimit
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(
            bytes, allowsRepeatedKeys: allowsRepeatedKeys, depthLimit: depthLimit)
        return try parser.document()
    }

    package static func parse(_ text: String) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8))
    }
}

/// Reads JSON by recursive descent.
struct JSONParser {
    let bytes: [UInt8]
    let allowsRepeatedKeys: Bool
    let depthLimit: Int
    var index = 0
    var depth = 0

    init(_ bytes: [UInt8], allowsRepeatedKeys: Bool, depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.allowsRepeatedKeys = allowsRepeatedKeys
    }

    mutating func document() throws(JSONError) -> JSONValue {
        skipBlanks()
        let value = try value()
        skipBlanks()
        guard index == bytes.count else { throw unexpected("the end") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || JSONParser.isDigit(byte):
            return try number()
        default: throw unexpected("a value")
        }
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        var object = JSONObject()
        try open()
        if close(UInt8(ascii: "}")) { return object }
        while true {
            guard next == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            let start = index
            let key = try string()
            guard allowsRepeatedKeys || object[key] == nil else {
                var refusal = error("the key \"\(key)\" comes a second time", at: start)
                refusal.isRepeatedKey = true
                throw refusal
            }
            skipBlanks()
            guard consume(UInt8(ascii: ":")) else { throw unexpected("\":\" after the key") }
            skipBlanks()
            object[key] = try value()
            skipBlanks()
            if close(UInt8(ascii: "}")) { return object }
            guard consume(UInt8(ascii: ",")) else { throw unexpected("\",\" or \"}\"") }
            skipBlanks()
        }
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        try open()
        if close(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value())
            skipBlanks()
            if close(UInt8(ascii: "]")) { return elements }
            guard consume(UInt8(ascii: ",")) else { throw unexpected("\",\" or \"]\"") }
            skipBlanks()
        }
    }

    private mutating func open() throws(JSONError) {
        guard depth < depthLimit else {
            throw error("more than \(depthLimit) arrays and objects in each other")
        }
        depth += 1
        index += 1
        skipBlanks()
    }

    private mutating func close(_ byte: UInt8) -> Bool {
        guard consume(byte) else { return false }
        depth -= 1
        return true
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[index...].starts(with: word.utf8) else { throw unexpected("\"\(word)\"") }
        index += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        var isWhole = true
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { try digits() }
        if consume(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            isWhole = false
            _ = consume(UInt8(ascii: "+")) || consume(UInt8(ascii: "-"))
            try digits()
        }
        if let next, JSONParser.isDigit(next) {
            throw error("a number must not have digits after a leading 0")
        }
        if isWhole, let integer = integer(from: start) { return .integer(integer) }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// The integer from `start` to here; `nil` for -0 and on overflow.
    private func integer(from start: Int) -> Int64? {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in bytes[(isNegative ? start + 1 : start)..<index] {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (next, overflows) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            guard !isTooLarge, !overflows else { return nil }
            value = next
        }
        return isNegative && value == 0 ? nil : value
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while let next, JSONParser.isDigit(next) { index += 1 }
        guard index > start else { throw unexpected("a digit") }
    }
}

extension JSONParser {
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    mutating func skipBlanks() {
        while let next, next == 32 || next == 10 || next == 13 || next == 9 { index += 1 }
    }

    func error(_ message: String, at offset: Int? = nil) -> JSONError {
        JSONError(at: offset ?? index, of: bytes, message)
    }

    func unexpected(_ expected: String) -> JSONError {
        let found: String
        switch next {
        case nil: found = "the end"
        case UInt8(ascii: "\""): found = "a double quote"
        case let byte? where (33..<127).contains(byte):
            found = "\"\(Character(Unicode.Scalar(byte)))\""
        case let byte?: found = "byte \(byte)"
        }
        return error("expected \(expected), found \(found)")
    }
}

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
