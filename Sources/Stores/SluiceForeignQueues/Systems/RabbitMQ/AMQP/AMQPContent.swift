import SluiceModel

/// A message: its properties as the bytes that came, so that none is lost on its way, and a body.
struct AMQPContent: Hashable, Sendable {
    /// The flags and the list of properties of a header frame.
    var properties: [UInt8]
    var body: [UInt8]

    init(properties: [UInt8], body: [UInt8]) {
        (self.properties, self.body) = (properties, body)
    }

    /// A persistent message of JSON.
    init(json: JSONValue) throws(AMQPError) {
        var writer = AMQPWriter()
        writer.number(UInt16(0b1101_0000_0000_0000))
        try writer.short("application/json")
        try writer.short("utf-8")
        writer.number(UInt8(2))
        self.init(properties: writer.bytes, body: json.bytes)
    }
}

extension AMQPContent {
    private enum Kind { case text, table, octet, moment }

    /// The properties in the order of their flags, the highest first.
    private static let all: [(name: String, kind: Kind)] = [
        ("content_type", .text), ("content_encoding", .text), ("headers", .table),
        ("delivery_mode", .octet), ("priority", .octet), ("correlation_id", .text),
        ("reply_to", .text), ("expiration", .text), ("message_id", .text), ("timestamp", .moment),
        ("type", .text), ("user_id", .text), ("app_id", .text), ("cluster_id", .text),
    ]

    /// The properties by the names that the management interface gives them.
    func read() throws(AMQPError) -> JSONObject {
        var found = JSONObject()
        for part in try parts() {
            var reader = AMQPReader(part.bytes)
            switch Self.all[part.place].kind {
            case .text: found[part.name] = .string(try reader.short())
            case .octet: found[part.name] = .integer(Int64(try reader.number(UInt8.self)))
            case .moment:
                found[part.name] = .integer(Int64(clamping: try reader.number(UInt64.self)))
            case .table: found[part.name] = .object(try reader.table())
            }
        }
        return found
    }

    private typealias Part = (place: Int, name: String, bytes: [UInt8])

    private func parts() throws(AMQPError) -> [Part] {
        var reader = AMQPReader(properties)
        let flags = try reader.number(UInt16.self)
        guard flags & 1 == 0 else { throw .malformed }
        var parts: [Part] = []
        for (place, property) in Self.all.enumerated() where flags >> (15 - place) & 1 == 1 {
            let before = reader.left
            switch property.kind {
            case .text: _ = try reader.short()
            case .octet: _ = try reader.number(UInt8.self)
            case .moment: _ = try reader.number(UInt64.self)
            case .table: _ = try reader.long()
            }
            let count = before.count - reader.left.count
            parts.append((place, property.name, Array(before.prefix(count))))
        }
        return parts
    }

    private mutating func write(_ parts: [Part]) {
        var writer = AMQPWriter()
        writer.number(parts.reduce(UInt16(0)) { $0 | 1 << (15 - $1.place) })
        for part in parts.sorted(by: { $0.place < $1.place }) { writer.raw(part.bytes) }
        properties = writer.bytes
    }

    /// The same with other texts in its headers; all else of these stays as it came.
    func with(headers changed: [(name: String, text: String)]) throws(AMQPError) -> AMQPContent {
        var parts = try parts()
        guard let index = parts.firstIndex(where: { $0.place == Self.headers }) else {
            return self
        }
        var reader = AMQPReader(parts[index].bytes)
        var inner = AMQPWriter()
        for entry in try reader.rawTable() {
            try inner.short(entry.name)
            guard let text = changed.last(where: { $0.name == entry.name })?.text else {
                inner.raw(entry.value)
                continue
            }
            inner.raw("S".utf8)
            inner.long(Array(text.utf8))
        }
        var table = AMQPWriter()
        table.long(inner.bytes)
        parts[index].bytes = table.bytes
        var content = self
        content.write(parts)
        return content
    }

    func with(priority: UInt8) throws(AMQPError) -> AMQPContent {
        var parts = try parts().filter { $0.place != Self.priority }
        parts.append((Self.priority, "priority", [priority]))
        var content = self
        content.write(parts)
        return content
    }

    private static let (headers, priority) = (2, 4)
    private static let (expiration, clusterID) = (7, 13)
    private static let mark = "sluice:expiration="

    /// The same without its time to live, which is kept in a property that AMQP has given up: in a
    /// queue of this program it would expire unseen.
    func withoutExpiration() throws(AMQPError) -> AMQPContent {
        var parts = try parts()
        guard let index = parts.firstIndex(where: { $0.place == Self.expiration }),
            !parts.contains(where: { $0.place == Self.clusterID })
        else { return self }
        var reader = AMQPReader(parts.remove(at: index).bytes)
        var writer = AMQPWriter()
        try writer.short(Self.mark + String(try reader.short().prefix(100)))
        parts.append((Self.clusterID, "cluster_id", writer.bytes))
        var content = self
        content.write(parts)
        return content
    }

    /// The same with the time to live that it had.
    func withExpiration() throws(AMQPError) -> AMQPContent {
        var parts = try parts()
        guard let index = parts.firstIndex(where: { $0.place == Self.clusterID }) else {
            return self
        }
        var reader = AMQPReader(parts[index].bytes)
        let text = try reader.short()
        guard text.hasPrefix(Self.mark) else { return self }
        parts.remove(at: index)
        var writer = AMQPWriter()
        try writer.short(String(text.dropFirst(Self.mark.count)))
        parts.append((Self.expiration, "expiration", writer.bytes))
        var content = self
        content.write(parts)
        return content
    }
}

/// A message as a consumer got it.
struct AMQPDelivery: Sendable {
    var consumer: String
    var tag: UInt64
    var redelivered: Bool
    var exchange: String
    var routingKey: String
    var content: AMQPContent
}
