/// Reads answers out of bytes as they arrive.
struct RedisReader {
    /// The maximum length of a text; the server's own limit.
    private static let textLimit = 512 << 20
    /// The maximum length of an array.
    private static let arrayLimit = 1 << 24
    private static let depthLimit = 32

    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of bytes needed before another attempt to parse.
    private var wanted = 0

    mutating func add(_ bytes: [UInt8]) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity < 1 << 20)
            start = 0
        }
        buffer += bytes
    }

    /// The next whole answer; nil while it has not arrived.
    mutating func next() throws(RedisError) -> RedisValue? {
        guard buffer.count - start >= max(wanted, 1) else { return nil }
        wanted = 0
        var place = start
        guard let value = try value(at: &place, depth: 0) else { return nil }
        start = place
        if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        return value
    }

    private mutating func value(
        at place: inout Int, depth: Int
    ) throws(RedisError) -> RedisValue? {
        guard depth < Self.depthLimit else { throw Self.broken("arrays nested too deep") }
        guard let line = line(at: &place), let kind = line.first else {
            return nil
        }
        let rest = line.dropFirst()
        switch kind {
        case UInt8(ascii: "+"): return .word(Array(rest))
        case UInt8(ascii: "-"): return .refusal(Array(rest))
        case UInt8(ascii: ":"): return .integer(try Self.number(rest))
        case UInt8(ascii: "$"): return try text(of: Self.number(rest), at: &place)
        case UInt8(ascii: "*"):
            return try array(of: Self.number(rest), at: &place, depth: depth)
        default: throw Self.broken("a line begins with \(kind)")
        }
    }

    /// The line at a place without its end; nil while it is not whole.
    private func line(at place: inout Int) -> ArraySlice<UInt8>? {
        guard let end = buffer[place...].firstIndex(of: UInt8(ascii: "\r")), end + 1 < buffer.count
        else { return nil }
        defer { place = end + 2 }
        return buffer[place..<end]
    }

    private mutating func text(
        of count: Int64, at place: inout Int
    ) throws(RedisError) -> RedisValue? {
        guard count >= 0 else { return RedisValue.none }
        guard count <= Self.textLimit else { throw Self.broken("a text of \(count) bytes") }
        let end = place + Int(count)
        guard end + 2 <= buffer.count else {
            wanted = end + 2 - start
            return nil
        }
        defer { place = end + 2 }
        return .bytes(Array(buffer[place..<end]))
    }

    private mutating func array(
        of count: Int64, at place: inout Int, depth: Int
    ) throws(RedisError) -> RedisValue? {
        guard count >= 0 else { return RedisValue.none }
        guard count <= Self.arrayLimit else { throw Self.broken("an array of \(count)") }
        var elements: [RedisValue] = []
        for _ in 0..<count {
            guard let element = try value(at: &place, depth: depth + 1) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(RedisError) -> Int64 {
        guard let number = Int64(String(decoding: digits, as: UTF8.self)) else {
            throw broken("no number where one belongs")
        }
        return number
    }

    private static func broken(_ what: String) -> RedisError {
        RedisError(.unexpected, "the server does not speak Redis: \(what)")
    }
}
