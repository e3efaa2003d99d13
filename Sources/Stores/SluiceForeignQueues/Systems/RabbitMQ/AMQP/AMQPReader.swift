import SluiceModel

/// Decodes AMQP 0-9-1 values from one frame, and checks each length against the available bytes.
struct AMQPReader {
    /// The maximum nesting of tables.
    private static let depthLimit = 32

    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = ArraySlice(Array(bytes)) }

    /// The bytes that were not read yet.
    var left: [UInt8] { Array(rest) }

    mutating func bytes(_ count: Int) throws(AMQPError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(
        _: Number.Type = Number.self
    ) throws(AMQPError) -> Number {
        var number = Number.zero
        for byte in try bytes(Number.bitWidth / 8) {
            number = (Number.bitWidth > 8 ? number << 8 : 0) | Number(truncatingIfNeeded: byte)
        }
        return number
    }

    mutating func short() throws(AMQPError) -> String {
        String(decoding: try bytes(Int(try number(UInt8.self))), as: UTF8.self)
    }

    mutating func long() throws(AMQPError) -> ArraySlice<UInt8> {
        try bytes(Int(try number(UInt32.self)))
    }

    mutating func table(depth: Int = 0) throws(AMQPError) -> JSONObject {
        guard depth < Self.depthLimit else { throw .malformed }
        var inner = AMQPReader(try long())
        var pairs: [(String, JSONValue)] = []
        while !inner.rest.isEmpty {
            pairs.append((try inner.short(), try inner.value(depth)))
        }
        return JSONObject(pairs)
    }

    /// The entries of a table as they lie: their names, and the bytes of their values.
    mutating func rawTable() throws(AMQPError) -> [(name: String, value: [UInt8])] {
        var inner = AMQPReader(try long())
        var entries: [(String, [UInt8])] = []
        while !inner.rest.isEmpty {
            let name = try inner.short()
            let before = inner.rest
            _ = try inner.value(0)
            entries.append((name, Array(before.prefix(before.count - inner.rest.count))))
        }
        return entries
    }

    private mutating func value(_ depth: Int) throws(AMQPError) -> JSONValue {
        switch Unicode.Scalar(try number(UInt8.self)) {
        case "t": return .bool(try number(UInt8.self) != 0)
        case "b": return .integer(Int64(try number(Int8.self)))
        case "B": return .integer(Int64(try number(UInt8.self)))
        case "s", "U": return .integer(Int64(try number(Int16.self)))
        case "u": return .integer(Int64(try number(UInt16.self)))
        case "I": return .integer(Int64(try number(Int32.self)))
        case "i": return .integer(Int64(try number(UInt32.self)))
        case "l", "L": return .integer(try number())
        case "T": return .integer(Int64(clamping: try number(UInt64.self)))
        case "f": return JSONValue(Double(Float(bitPattern: try number())))
        case "d": return JSONValue(Double(bitPattern: try number()))
        case "D":
            let scale = try number(UInt8.self)
            return .string("\(try number(Int32.self)) / 10^\(scale)")
        case "S", "x": return .string(String(decoding: try long(), as: UTF8.self))
        case "V": return .null
        case "F": return .object(try table(depth: depth + 1))
        case "A":
            guard depth + 1 < Self.depthLimit else { throw .malformed }
            var inner = AMQPReader(try long())
            var values: [JSONValue] = []
            while !inner.rest.isEmpty { values.append(try inner.value(depth + 1)) }
            return .array(values)
        default: throw .malformed
        }
    }
}
