import SluiceModel

/// Writes plain values as a pickle of protocol 4, for payloads that were plain when read.
struct PickleWriter {
    private var bytes: [UInt8] = [0x80, 4]

    static func tuple(_ values: [Value]) -> [UInt8] {
        var writer = PickleWriter()
        writer.write(.tuple(values))
        return writer.bytes + [UInt8(ascii: ".")]
    }

    static func dictionary(_ pairs: [(String, Value)]) -> [UInt8] {
        var writer = PickleWriter()
        writer.bytes += "}(".utf8
        for (name, value) in pairs {
            writer.write(JSONValue.string(name))
            writer.write(value)
        }
        return writer.bytes + "u.".utf8
    }

    /// A pickle of something that is made of values by a name in a module.
    static func object(_ module: String, _ name: String, _ values: [Value]) -> [UInt8] {
        var writer = PickleWriter()
        writer.write(.json(.string(module)))
        writer.write(.json(.string(name)))
        writer.bytes.append(0x93)
        writer.write(.tuple(values))
        return writer.bytes + [0x81, UInt8(ascii: ".")]
    }

    /// The writable values: JSON, and tuples of them.
    indirect enum Value {
        case json(JSONValue)
        case tuple([Value])
        /// A decoded value to write again: plain, or a `datetime`.
        case read(PickleValue)
    }

    private mutating func write(_ value: Value) {
        switch value {
        case .json(let json): write(json)
        case .tuple(let values):
            bytes.append(UInt8(ascii: "("))
            for value in values { write(value) }
            bytes.append(UInt8(ascii: "t"))
        case .read(let value):
            if let moment = PickleMoment.bytes(value) {
                bytes += "cdatetime\ndatetime\nC".utf8 + [UInt8(moment.count)] + moment
                // A tuple of one, and the call.
                return bytes += [0x85, UInt8(ascii: "R")]
            }
            var text = PickleText()
            write(text.json(value))
        }
    }

    private mutating func write(_ json: JSONValue) {
        switch json {
        case .null: bytes.append(UInt8(ascii: "N"))
        case .bool(let bool): bytes.append(bool ? 0x88 : 0x89)
        case .integer(let integer): bytes += "I\(integer)\n".utf8
        case .number(let text): bytes += "F\(text)\n".utf8
        case .string(let text):
            bytes.append(UInt8(ascii: "X"))
            let count = UInt32(truncatingIfNeeded: text.utf8.count)
            bytes += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) }
            bytes += text.utf8
        case .array(let elements):
            bytes += "](".utf8
            for element in elements { write(element) }
            bytes.append(UInt8(ascii: "e"))
        case .object(let object):
            bytes += "}(".utf8
            for pair in object.pairs {
                write(.string(pair.key))
                write(pair.value)
            }
            bytes.append(UInt8(ascii: "u"))
        }
    }
}
