import SluiceSystem

/// A frame of AMQP 0-9-1.
struct AMQPFrame: Hashable, Sendable {
    enum Kind: UInt8, Sendable { case method = 1, header, body, heartbeat = 8 }

    var kind: Kind
    var channel: UInt16
    var payload: [UInt8]

    static let end: UInt8 = 0xCE

    func write(to bytes: inout [UInt8]) {
        var writer = AMQPWriter()
        writer.number(kind.rawValue)
        writer.number(channel)
        writer.long(payload)
        writer.number(Self.end)
        bytes += writer.bytes
    }
}

/// The frames that come over a wire; no frame is longer than was agreed.
struct AMQPFrames {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The longest frame that may come.
    var limit = 1 << 17

    mutating func add(_ more: [UInt8]) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    /// The next whole frame; nil where more must come first.
    mutating func next() throws(AMQPError) -> AMQPFrame? {
        let left = bytes.count - start
        guard left > 0 else { return nil }
        guard let kind = AMQPFrame.Kind(rawValue: bytes[start]) else {
            throw AMQPError(
                .unexpected,
                bytes[start...].starts(with: "AMQP".utf8)
                    ? "it speaks another version of AMQP than 0-9-1"
                    : "what answers there speaks no AMQP")
        }
        guard left >= 7 else { return nil }
        var reader = AMQPReader(bytes[(start + 1)..<(start + 7)])
        let channel = try reader.number(UInt16.self)
        let count = Int(try reader.number(UInt32.self))
        guard count + 8 <= limit else {
            throw AMQPError(.unexpected, "it sent a frame of \(count) bytes, more than was agreed")
        }
        guard left >= count + 8 else { return nil }
        defer { start += count + 8 }
        guard bytes[start + 7 + count] == AMQPFrame.end else { throw .malformed }
        return AMQPFrame(
            kind: kind, channel: channel,
            payload: Array(bytes[(start + 7)..<(start + 7 + count)]))
    }
}

/// A method by its class and its number, with the reader of its arguments.
struct AMQPMethod {
    var name: Name
    var arguments: AMQPReader

    /// A class and a number.
    struct Name: Hashable, Sendable {
        var group: UInt16
        var number: UInt16

        init(_ group: UInt16, _ number: UInt16) { (self.group, self.number) = (group, number) }
    }

    init(_ payload: [UInt8]) throws(AMQPError) {
        var reader = AMQPReader(payload)
        name = Name(try reader.number(), try reader.number())
        arguments = reader
    }
}
