import SluiceModel

/// Writes the values of AMQP 0-9-1, the most significant byte first.
struct AMQPWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    mutating func raw(_ more: some Sequence<UInt8>) { bytes += more }

    /// A text of at most 255 bytes; a longer one is refused by the caller's names.
    mutating func short(_ text: String) throws(AMQPError) {
        let utf8 = Array(text.utf8)
        guard utf8.count <= 255 else {
            throw AMQPError(.refused(0), "a name of \(utf8.count) bytes; AMQP has at most 255")
        }
        number(UInt8(utf8.count))
        bytes += utf8
    }

    mutating func long(_ content: some Collection<UInt8>) {
        number(UInt32(clamping: content.count))
        bytes += content
    }

    mutating func table(_ table: JSONObject) throws(AMQPError) {
        var inner = AMQPWriter()
        for pair in table.pairs {
            try inner.short(pair.key)
            try inner.value(pair.value)
        }
        long(inner.bytes)
    }

    private mutating func value(_ value: JSONValue) throws(AMQPError) {
        switch value {
        case .null: raw("V".utf8)
        case .bool(let value):
            raw("t".utf8)
            number(UInt8(value ? 1 : 0))
        case .integer(let value):
            raw("l".utf8)
            number(value)
        case .string(let text), .number(let text):
            raw("S".utf8)
            long(Array(text.utf8))
        case .array(let values):
            var inner = AMQPWriter()
            for value in values { try inner.value(value) }
            raw("A".utf8)
            long(inner.bytes)
        case .object(let object):
            raw("F".utf8)
            try table(object)
        }
    }
}
