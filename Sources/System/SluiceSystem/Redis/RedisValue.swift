/// An answer of a Redis server (RESP2).
package enum RedisValue: Hashable, Sendable {
    /// A short word such as `OK`.
    case word([UInt8])
    /// A refusal in the server's words.
    case refusal([UInt8])
    case integer(Int64)
    /// A text of any bytes.
    case bytes([UInt8])
    case array([RedisValue])
    case none

    /// The bytes of a text or word; nil for anything else.
    package var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes), .word(let bytes): bytes
        default: nil
        }
    }

    /// A text or word; bytes that are no UTF-8 are replaced. Nil for anything else.
    package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The limit for numbers from a server, so that the sum of a few counts fits in 64 bits.
    private static let numbers: ClosedRange<Int64> = -(1 << 61)...(1 << 61)

    /// A number, or a text that contains one, limited to ±2^61, which no count or clock reaches.
    package var integer: Int64? {
        let number: Int64? =
            if case .integer(let number) = self { number } else { text.flatMap { Int64($0) } }
        return number.map { min(max($0, Self.numbers.lowerBound), Self.numbers.upperBound) }
    }

    /// The elements of an array; none for anything else.
    package var array: [RedisValue] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The pairs of an array of alternating names and values.
    package var pairs: [(name: [UInt8], value: RedisValue)] {
        let elements = array
        return stride(from: 0, to: elements.count - 1, by: 2).compactMap { index in
            elements[index].bytes.map { ($0, elements[index + 1]) }
        }
    }

    /// The same, by name; the last of equal names wins.
    package var dictionary: [String: RedisValue] {
        var found: [String: RedisValue] = [:]
        for (name, value) in pairs { found[String(decoding: name, as: UTF8.self)] = value }
        return found
    }

    package var isNone: Bool { self == .none }

    /// The value itself; throws what the server refused.
    package func accepted() throws(RedisError) -> RedisValue {
        if case .refusal(let text) = self { throw RedisError(refusal: text) }
        return self
    }
}
