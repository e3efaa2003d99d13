import SluiceModel

/// Decodes PHP's `serialize` format as JSON, without creating or calling objects. Depth, count and
/// size are limited. A reference appears as its number, so none is followed.
struct PHPReader {
    static let depthLimit = 64
    static let countLimit = 20_000
    static let sizeLimit = 4 << 20
    /// The key under which an object has the name of its class.
    static let classKey = "@class"

    private let bytes: [UInt8]
    private var place = 0
    private var left = countLimit

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The decoded value; `nil` for invalid or incomplete text, or past a limit.
    static func value(_ bytes: [UInt8]) -> JSONValue? {
        guard bytes.count <= sizeLimit else { return nil }
        var reader = PHPReader(bytes)
        guard let value = reader.value(0), reader.place == bytes.count else { return nil }
        return value
    }

    private mutating func value(_ depth: Int) -> JSONValue? {
        left -= 1
        guard depth < Self.depthLimit, left > 0, let kind = byte() else { return nil }
        switch kind {
        case UInt8(ascii: "N"): return consume(";") ? .null : nil
        case UInt8(ascii: "b"):
            guard consume(":"), let number = integer(until: ";") else { return nil }
            return .bool(number != 0)
        case UInt8(ascii: "i"):
            guard consume(":"), let number = integer(until: ";") else { return nil }
            return .integer(number)
        case UInt8(ascii: "d"):
            guard consume(":"), let text = text(until: ";") else { return nil }
            return Double(text).flatMap { $0.isFinite ? JSONValue($0) : nil } ?? .string(text)
        case UInt8(ascii: "s"):
            guard consume(":"), let bytes = string(), consume(";") else { return nil }
            return .string(Self.shown(bytes))
        case UInt8(ascii: "a"): return consume(":") ? array(depth) : nil
        case UInt8(ascii: "O"): return consume(":") ? object(depth) : nil
        case UInt8(ascii: "E"):
            guard consume(":"), let bytes = string(), consume(";") else { return nil }
            return .string("<\(Self.shown(bytes))>")
        case UInt8(ascii: "C"): return consume(":") ? custom() : nil
        case UInt8(ascii: "R"), UInt8(ascii: "r"):
            guard consume(":"), let number = integer(until: ";") else { return nil }
            return .string("<reference \(number)>")
        default: return nil
        }
    }

    /// `2:{i:0;…i:1;…}`, a list where the keys count from 0.
    private mutating func array(_ depth: Int) -> JSONValue? {
        guard let pairs = pairs(depth) else { return nil }
        let isList = pairs.enumerated().allSatisfy { $1.key == .integer(Int64($0)) }
        if isList { return .array(pairs.map(\.value)) }
        return .object(Self.object(pairs.map { (Self.name($0.key), $0.value) }))
    }

    /// `5:"Class":1:{s:4:"name";…}`.
    private mutating func object(_ depth: Int) -> JSONValue? {
        guard let name = string(), consume(":"), let pairs = pairs(depth) else { return nil }
        let all = [(Self.classKey, JSONValue.string(Self.shown(name)))]
        return .object(Self.object(all + pairs.map { (Self.name($0.key), $0.value) }))
    }

    /// Adds an apostrophe to a repeated key, since a child class can shadow a private property.
    private static func object(_ pairs: [(String, JSONValue)]) -> JSONObject {
        var object = JSONObject()
        for (key, value) in pairs {
            var name = key
            if object[name] != nil { name += "'" }
            object[name] = value
        }
        return object
    }

    /// `5:"Class":3:{…}`, in a form of the class's own.
    private mutating func custom() -> JSONValue? {
        guard let name = string(), consume(":"), let count = integer(until: ":"), consume("{"),
            count >= 0, count <= Int64(bytes.count - place)
        else { return nil }
        place += Int(count)
        guard consume("}") else { return nil }
        return .object([
            Self.classKey: .string(Self.shown(name)), "data": .string("<\(count) bytes>"),
        ])
    }

    private mutating func pairs(_ depth: Int) -> [(key: JSONValue, value: JSONValue)]? {
        guard let count = integer(until: ":"), count >= 0, count <= Int64(left), consume("{") else {
            return nil
        }
        var pairs: [(key: JSONValue, value: JSONValue)] = []
        for _ in 0..<count {
            guard let key = value(depth + 1), let value = value(depth + 1) else { return nil }
            pairs.append((key, value))
        }
        return consume("}") ? pairs : nil
    }

    /// The name of a property: a private one has its class in front, between two zeros.
    private static func name(_ key: JSONValue) -> String {
        let text = key.string ?? key.text
        guard text.first == "\0" else { return text }
        return text.split(separator: "\0", omittingEmptySubsequences: true).last.map(String.init)
            ?? text
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? "<\(bytes.count) bytes>"
    }

    /// `5:"hello"`, whose count is one of bytes.
    private mutating func string() -> ArraySlice<UInt8>? {
        guard let count = integer(until: ":"), consume("\""), count >= 0,
            count < Int64(bytes.count - place)
        else { return nil }
        let found = bytes[place..<(place + Int(count))]
        place += Int(count)
        return consume("\"") ? found : nil
    }

    private mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func text(until end: Unicode.Scalar) -> String? {
        let start = place
        while place < bytes.count, place - start < 32 {
            if bytes[place] == UInt8(ascii: end) {
                defer { place += 1 }
                return String(decoding: bytes[start..<place], as: UTF8.self)
            }
            place += 1
        }
        return nil
    }

    private mutating func integer(until end: Unicode.Scalar) -> Int64? {
        text(until: end).flatMap { Int64($0) }
    }
}
