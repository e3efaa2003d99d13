import SluiceModel

/// Reads msgpack as data, for systems that were told to pack their payloads so.
struct MessagePackReader {
    private static let depthLimit = 64
    private static let countLimit = 20_000
    /// A longer name of a pair whose key is no text is refused: each level of keys in keys would
    /// double it.
    private static let nameLimitBytes = 1024

    private let bytes: [UInt8]
    private var place = 0
    private var left = countLimit

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value that bytes say, as JSON; nil where they are no msgpack, or more than a person
    /// could read. Bytes that are no text, and types of an app's own, are texts in angle brackets.
    static func value(_ bytes: [UInt8]) -> JSONValue? {
        var reader = MessagePackReader(bytes)
        guard let value = reader.next(depth: 0), reader.place == bytes.count else { return nil }
        return value
    }

    private mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    /// A big-endian integer of `size` bytes.
    private mutating func number(_ size: Int) -> UInt64? {
        guard let piece = consume(size) else { return nil }
        return piece.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func consume(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }

    private mutating func length(_ size: Int) -> Int? {
        number(size).flatMap { Int(exactly: $0) }
    }

    private mutating func next(depth: Int) -> JSONValue? {
        left -= 1
        guard depth < Self.depthLimit, left > 0, let type = byte() else { return nil }
        switch type {
        case 0x00...0x7F: return .integer(Int64(type))
        case 0x80...0x8F: return object(Int(type & 0x0F), depth)
        case 0x90...0x9F: return list(Int(type & 0x0F), depth)
        case 0xA0...0xBF: return text(Int(type & 0x1F))
        case 0xE0...0xFF: return .integer(Int64(Int8(bitPattern: type)))
        case 0xC0: return .null
        case 0xC2, 0xC3: return .bool(type == 0xC3)
        case 0xC4...0xC6: return length(1 << (type - 0xC4)).flatMap { text($0) }
        case 0xC7...0xC9: return length(1 << (type - 0xC7)).flatMap { own($0) }
        case 0xCA:
            return number(4).map { real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))) }
        case 0xCB: return number(8).map { real(Double(bitPattern: $0)) }
        case 0xCC...0xCF:
            return number(1 << (type - 0xCC)).map { whole in
                Int64(exactly: whole).map { .integer($0) } ?? .number(String(whole))
            }
        case 0xD0...0xD3:
            let size = 1 << (type - 0xD0)
            return number(size).map { whole in
                let shift = UInt64(64 - 8 * size)
                return .integer(Int64(bitPattern: whole << shift) >> Int64(shift))
            }
        case 0xD4...0xD8: return own(1 << (type - 0xD4))
        case 0xD9...0xDB: return length(1 << (type - 0xD9)).flatMap { text($0) }
        case 0xDC, 0xDD: return length(type == 0xDC ? 2 : 4).flatMap { list($0, depth) }
        case 0xDE, 0xDF: return length(type == 0xDE ? 2 : 4).flatMap { object($0, depth) }
        default: return nil
        }
    }

    private func real(_ number: Double) -> JSONValue {
        number.isFinite ? JSONValue(number) : .string("\(number)")
    }

    private mutating func text(_ count: Int) -> JSONValue? {
        consume(count).map { piece in
            .string(String(validating: piece, as: UTF8.self) ?? "<\(piece.count) bytes>")
        }
    }

    /// A type of an app's own: its number, then its bytes.
    private mutating func own(_ count: Int) -> JSONValue? {
        guard let type = byte(), let piece = consume(count) else { return nil }
        return .string("<type \(Int8(bitPattern: type)): \(piece.count) bytes>")
    }

    private mutating func list(_ count: Int, _ depth: Int) -> JSONValue? {
        guard count < left else { return nil }
        var elements: [JSONValue] = []
        for _ in 0..<count {
            guard let element = next(depth: depth + 1) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private mutating func object(_ count: Int, _ depth: Int) -> JSONValue? {
        guard count < left else { return nil }
        var object = JSONObject()
        for _ in 0..<count {
            guard let name = next(depth: depth + 1), let value = next(depth: depth + 1) else {
                return nil
            }
            let text = name.string ?? name.text
            guard name.string != nil || text.utf8.count <= Self.nameLimitBytes else { return nil }
            object[text] = value
        }
        return .object(object)
    }
}
