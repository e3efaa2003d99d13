import SluiceModel

/// Reads protobuf messages as data without their schema: fields by their numbers.
struct ProtobufReader {
    private static let depthLimit = 32
    private static let countLimit = 20_000
    private static let numbers: ClosedRange<UInt64> = 1...0x1FFF_FFFF

    /// A value on the wire, without knowledge of its schema.
    enum Wire: Hashable, Sendable {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes(ArraySlice<UInt8>)
    }

    private let bytes: ArraySlice<UInt8>
    private var place: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// The fields of a message in order; `nil` for invalid bytes or too many fields. The obsolete
    /// groups are not supported.
    static func fields(_ bytes: ArraySlice<UInt8>) -> [(number: Int, value: Wire)]? {
        var reader = ProtobufReader(bytes)
        var found: [(number: Int, value: Wire)] = []
        while reader.place < bytes.endIndex {
            guard found.count < countLimit, let tag = reader.varint(), numbers.contains(tag >> 3),
                let value = reader.value(of: tag & 7)
            else { return nil }
            found.append((Int(tag >> 3), value))
        }
        return found
    }

    /// Decodes a message without its schema as a JSON object of field numbers. A repeated field
    /// becomes a list. Returns `nil` if the bytes are not a message.
    ///
    /// A field of bytes is a text if possible, else a message, else a text in angle brackets.
    /// Fixed-width numbers also appear in angle brackets.
    static func value(_ bytes: [UInt8]) -> JSONValue? {
        var left = countLimit
        guard !bytes.isEmpty else { return nil }
        return message(bytes[...], depth: 0, &left)
    }

    private static func message(
        _ bytes: ArraySlice<UInt8>, depth: Int, _ left: inout Int
    ) -> JSONValue? {
        guard depth < depthLimit, let fields = fields(bytes), fields.count <= left else {
            return nil
        }
        left -= fields.count
        var lists: [(name: String, values: [JSONValue])] = []
        var places: [Int: Int] = [:]
        for (number, wire) in fields {
            let value = value(wire, depth: depth, &left)
            if let place = places[number] {
                lists[place].values.append(value)
            } else {
                places[number] = lists.count
                lists.append((String(number), [value]))
            }
        }
        var object = JSONObject()
        for (name, values) in lists {
            object[name] = values.count == 1 ? values[0] : .array(values)
        }
        return .object(object)
    }

    private static func value(_ wire: Wire, depth: Int, _ left: inout Int) -> JSONValue {
        switch wire {
        case .varint(let number):
            return Int64(exactly: number).map { .integer($0) } ?? .number(String(number))
        case .fixed64(let bits): return .string("<fixed64 0x\(String(bits, radix: 16))>")
        case .fixed32(let bits): return .string("<fixed32 0x\(String(bits, radix: 16))>")
        case .bytes(let piece):
            if let text = text(piece) { return .string(text) }
            return message(piece, depth: depth + 1, &left) ?? .string("<\(piece.count) bytes>")
        }
    }

    /// Bytes as a text, if it is readable.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let isReadable = bytes.allSatisfy { byte in
            byte >= 0x20 ? byte != 0x7F : byte == 0x09 || byte == 0x0A || byte == 0x0D
        }
        return isReadable ? String(validating: bytes, as: UTF8.self) : nil
    }

    private mutating func value(of wire: UInt64) -> Wire? {
        switch wire {
        case 0: return varint().map { .varint($0) }
        case 1: return fixed(8).map { .fixed64($0) }
        case 2:
            guard let count = varint().flatMap({ Int(exactly: $0) }) else { return nil }
            return consume(count).map { .bytes($0) }
        case 5: return fixed(4).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
        default: return nil
        }
    }

    /// A number of seven bits a byte, the lowest ones first, of 64 bits at most.
    private mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = consume(1)?.first, shift < 63 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
        }
        return nil
    }

    private mutating func fixed(_ count: Int) -> UInt64? {
        consume(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func consume(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }
}

/// The fields of a message with a known schema, by number. The last of several equal fields wins,
/// as in protobuf.
struct ProtobufFields {
    /// Each of them, in its order.
    let all: [(number: Int, value: ProtobufReader.Wire)]
    private let last: [Int: ProtobufReader.Wire]

    /// Nil for bytes that are no message, or an empty one.
    init?(_ bytes: [UInt8]) {
        guard let found = ProtobufReader.fields(bytes[...]), !found.isEmpty else { return nil }
        all = found
        last = Dictionary(found.map { ($0.number, $0.value) }) { $1 }
    }

    /// The bytes of a field; nil where it is left out or is no such one.
    func bytes(_ number: Int) -> [UInt8]? {
        if case .bytes(let piece) = last[number] { return Array(piece) }
        return nil
    }

    func text(_ number: Int) -> String? {
        bytes(number).map { String(decoding: $0, as: UTF8.self) }
    }

    func integer(_ number: Int) -> Int64? {
        if case .varint(let bits) = last[number] { return Int64(bitPattern: bits) }
        return nil
    }
}
