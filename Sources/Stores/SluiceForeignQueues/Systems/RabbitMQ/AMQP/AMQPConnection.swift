import SluiceModel
import SluiceSystem

/// A connection to a broker by AMQP 0-9-1 with one channel, used by one thread at a time.
///
/// Every wait has an end. What a channel has in hand goes back to its queue when it is closed, in
/// its order.
final class AMQPConnection {
    /// How long an answer may take.
    static let timeoutMilliseconds = 10_000
    /// The maximum body size in bytes.
    static let bodyLimit = 128 << 20
    /// The maximum bytes of messages that wait in this process.
    static let pendingLimit = 256 << 20

    /// The properties that the broker gives of itself.
    private(set) var server = JSONObject()
    private let wire: ServerWire
    private var frames = AMQPFrames()
    private var frameLimit = 1 << 17
    private var heartbeatMilliseconds: Int64 = 0
    private var (wroteAt, heardAt): (Int64, Int64)
    private var pending: [AMQPDelivery] = []
    private var pendingPlace = 0
    private var pendingBytes = 0
    private var returned: [AMQPContent] = []
    private var partial: Partial?
    private var blocked: String?
    private var cancelled: Set<String> = []
    /// How many messages have come to its consumers.
    private(set) var delivered = 0
    /// How many messages have come that `next` has not returned yet.
    var waiting: Int { pending.count - pendingPlace }
    private(set) var hasChannel = false
    private(set) var isOpen = true

    /// Connects, authenticates, and opens the virtual host.
    init(_ address: RabbitAddress, name: String = "sluice") throws(AMQPError) {
        do {
            wire = try ServerWire(
                to: .address(host: address.bareHost, port: address.port),
                address.isTLS ? RedisAddress.TLS(authorities: address.authorities) : nil,
                timeoutMilliseconds: Self.timeoutMilliseconds)
        } catch {
            throw AMQPError(.lost, error.message)
        }
        wroteAt = SystemClock.monotonicMilliseconds()
        heardAt = wroteAt
        do {
            try greet(address, name)
        } catch {
            wire.close()
            throw error
        }
    }

    deinit { wire.close() }

    private func greet(_ address: RabbitAddress, _ name: String) throws(AMQPError) {
        try write(Array("AMQP".utf8) + [0, 0, 9, 1])
        var start = try answer(AMQPMethod.Name(10, 10))
        _ = try start.bytes(2)
        server = try start.table()
        let can: JSONValue = [
            "authentication_failure_close": true, "basic.nack": true, "connection.blocked": true,
            "consumer_cancel_notify": true,
        ]
        try send(10, 11, channel: 0) { writer throws(AMQPError) in
            try writer.table([
                "product": "sluice", "connection_name": .string(name), "capabilities": can,
            ])
            try writer.short("PLAIN")
            writer.long(Array("\0\(address.user)\0\(address.password)".utf8))
            try writer.short("en_US")
        }
        var tune = try answer(AMQPMethod.Name(10, 30))
        let channels = try tune.number(UInt16.self)
        let offered = try tune.number(UInt32.self)
        let beat = try tune.number(UInt16.self)
        frameLimit = offered == 0 ? 1 << 17 : min(Int(offered), 1 << 17)
        guard frameLimit >= 4096 else { throw .malformed }
        frames.limit = frameLimit
        let seconds = beat == 0 ? 60 : min(beat, 60)
        heartbeatMilliseconds = Int64(seconds) * 1000
        try send(10, 31, channel: 0) { writer throws(AMQPError) in
            writer.number(channels)
            writer.number(UInt32(frameLimit))
            writer.number(seconds)
        }
        try send(10, 40, channel: 0) { writer throws(AMQPError) in
            try writer.short(address.vhost)
            writer.raw([0, 0])
        }
        _ = try answer(AMQPMethod.Name(10, 41))
    }

    /// Closes the connection. The broker requeues unacknowledged messages.
    func close() {
        guard isOpen else { return }
        try? send(10, 50, channel: 0) { writer throws(AMQPError) in
            writer.number(UInt16(200))
            try writer.short("")
            writer.raw([0, 0, 0, 0])
        }
        _ = try? answer(AMQPMethod.Name(10, 51), within: 2_000)
        isOpen = false
        wire.close()
    }

    /// Opens the channel, if none is.
    func openChannel() throws(AMQPError) {
        guard !hasChannel else { return }
        hasChannel = true
        (pending, pendingPlace, pendingBytes) = ([], 0, 0)
        (returned, cancelled, partial) = ([], [], nil)
        try send(20, 10) { writer throws(AMQPError) in writer.raw([0]) }
        _ = try answer(AMQPMethod.Name(20, 11))
    }

    /// Closes the channel. The broker requeues unacknowledged messages in order.
    func closeChannel() throws(AMQPError) {
        guard hasChannel, isOpen else { return }
        try send(20, 40) { writer throws(AMQPError) in
            writer.number(UInt16(200))
            try writer.short("")
            writer.raw([0, 0, 0, 0])
        }
        _ = try answer(AMQPMethod.Name(20, 41))
        hasChannel = false
    }

    /// Asks something by a method, and waits for its answer if it has one.
    @discardableResult
    func ask(
        _ group: UInt16, _ number: UInt16, answer name: UInt16? = nil,
        _ write: (inout AMQPWriter) throws(AMQPError) -> Void
    ) throws(AMQPError) -> AMQPReader {
        try openChannel()
        try send(group, number, write)
        guard let name else { return AMQPReader([]) }
        return try answer(AMQPMethod.Name(group, name))
    }

    /// Sends a message; `mandatory` brings it back where no queue takes it.
    func publish(
        _ content: AMQPContent, exchange: String, key: String, mandatory: Bool
    ) throws(AMQPError) {
        try openChannel()
        var bytes: [UInt8] = []
        var method = AMQPWriter()
        method.number(UInt16(60))
        method.number(UInt16(40))
        method.raw([0, 0])
        try method.short(exchange)
        try method.short(key)
        method.number(UInt8(mandatory ? 1 : 0))
        AMQPFrame(kind: .method, channel: 1, payload: method.bytes).write(to: &bytes)
        var header = AMQPWriter()
        header.number(UInt16(60))
        header.number(UInt16(0))
        header.number(UInt64(content.body.count))
        header.raw(content.properties)
        guard header.bytes.count + 8 <= frameLimit else {
            throw AMQPError(.refused(0), "the properties of a message are too long to be sent on")
        }
        AMQPFrame(kind: .header, channel: 1, payload: header.bytes).write(to: &bytes)
        var rest = content.body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(frameLimit - 8)
            rest = rest.dropFirst(piece.count)
            AMQPFrame(kind: .body, channel: 1, payload: Array(piece)).write(to: &bytes)
        }
        try self.write(bytes)
    }

    /// The next message of a consumer; nil where none comes in time.
    func next(within milliseconds: Int) throws(AMQPError) -> AMQPDelivery? {
        let deadline = SystemClock.monotonicMilliseconds() + Int64(milliseconds)
        while true {
            if pendingPlace < pending.count {
                let delivery = pending[pendingPlace]
                pendingPlace += 1
                pendingBytes -= delivery.content.body.count
                if pendingPlace == pending.count { (pending, pendingPlace) = ([], 0) }
                return delivery
            }
            let method = try receive(until: deadline, orMessage: true)
            if let method {
                throw AMQPError(.unexpected, "it sent the method \(method.name), unasked")
            }
            if pendingPlace == pending.count { return nil }
        }
    }

    /// The consumers that the broker has cancelled since the last call, because their queues were
    /// deleted.
    func drainCancelled() -> Set<String> {
        defer { cancelled = [] }
        return cancelled
    }

    /// The messages that no queue has accepted since the last call.
    func drainReturned() -> [AMQPContent] {
        defer { returned = [] }
        return returned
    }
}

/// Frames, their waits and their end.
extension AMQPConnection {
    /// A message with missing frames.
    private struct Partial {
        var delivery: AMQPDelivery
        var isReturned: Bool
        var size: Int?
    }

    private func send(
        _ group: UInt16, _ number: UInt16, channel: UInt16 = 1,
        _ write: (inout AMQPWriter) throws(AMQPError) -> Void
    ) throws(AMQPError) {
        var writer = AMQPWriter()
        writer.number(group)
        writer.number(number)
        try write(&writer)
        var bytes: [UInt8] = []
        AMQPFrame(kind: .method, channel: channel, payload: writer.bytes).write(to: &bytes)
        try self.write(bytes)
    }

    private func write(_ bytes: [UInt8]) throws(AMQPError) {
        guard isOpen else { throw AMQPError(.lost, "the connection has ended") }
        do {
            try wire.writeAll(bytes, timeoutMilliseconds: Self.timeoutMilliseconds)
            wroteAt = SystemClock.monotonicMilliseconds()
        } catch {
            isOpen = false
            throw AMQPError(.lost, "the broker has gone: \(error.sentence)")
        }
    }

    private func answer(
        _ name: AMQPMethod.Name, within milliseconds: Int = timeoutMilliseconds
    ) throws(AMQPError) -> AMQPReader {
        let deadline = SystemClock.monotonicMilliseconds() + Int64(milliseconds)
        guard let method = try receive(until: deadline) else {
            isOpen = false
            let why = blocked.map { ": it takes no messages now (\($0))" } ?? ""
            let time = DurationText.short(Int64(milliseconds))
            throw AMQPError(.lost, "the broker does not answer within \(time)\(why)")
        }
        guard method.name == name else {
            throw AMQPError(.unexpected, "it answered with the method \(method.name)")
        }
        return method.arguments
    }

    /// The next answer; `nil` after the deadline. Keeps arriving messages, and returns `nil` early
    /// for a message if `orMessage` is set.
    private func receive(
        until deadline: Int64, orMessage: Bool = false
    ) throws(AMQPError) -> AMQPMethod? {
        while true {
            while let frame = try frames.next() {
                if let method = try take(frame) { return method }
            }
            if orMessage, pendingPlace < pending.count { return nil }
            let now = SystemClock.monotonicMilliseconds()
            guard now < deadline else { return nil }
            try beat(now)
            try read(within: Int(min(deadline - now, 1_000)))
        }
    }

    private func read(within milliseconds: Int) throws(AMQPError) {
        do {
            _ = try Poll.wait(
                fds: [PollInterest(wire.descriptor)], timeoutMilliseconds: milliseconds)
            switch try wire.read() {
            case .bytes(let bytes):
                heardAt = SystemClock.monotonicMilliseconds()
                frames.add(bytes)
            case .nothingYet: break
            case .end: throw AMQPError(.lost, "the broker ended the connection")
            }
        } catch let error as AMQPError {
            isOpen = false
            throw error
        } catch {
            isOpen = false
            throw AMQPError(.lost, "the broker has gone: \(error)")
        }
    }

    /// Sends a heartbeat; throws if the other side was silent for two beats.
    private func beat(_ now: Int64) throws(AMQPError) {
        guard heartbeatMilliseconds > 0 else { return }
        guard now - heardAt < 2 * heartbeatMilliseconds else {
            isOpen = false
            throw AMQPError(.lost, "the broker says nothing any more")
        }
        guard now - wroteAt >= heartbeatMilliseconds / 2 else { return }
        var bytes: [UInt8] = []
        AMQPFrame(kind: .heartbeat, channel: 0, payload: []).write(to: &bytes)
        try write(bytes)
    }

    /// Takes a frame in; gives it back if it is a method that answers something.
    private func take(_ frame: AMQPFrame) throws(AMQPError) -> AMQPMethod? {
        switch frame.kind {
        case .heartbeat: return nil
        case .header:
            var reader = AMQPReader(frame.payload)
            _ = try reader.bytes(4)
            let size = try reader.number(UInt64.self)
            guard size <= UInt64(Self.bodyLimit) else {
                isOpen = false
                throw AMQPError(
                    .refused(0), "a message has \(size) bytes; at most \(Self.bodyLimit) are read")
            }
            partial?.size = Int(size)
            partial?.delivery.content.properties = reader.left
        case .body: partial?.delivery.content.body += frame.payload
        case .method: return try take(try AMQPMethod(frame.payload))
        }
        guard let whole = partial, let size = whole.size,
            whole.delivery.content.body.count >= size
        else { return nil }
        partial = nil
        if whole.isReturned {
            returned.append(whole.delivery.content)
            return nil
        }
        delivered += 1
        pending.append(whole.delivery)
        pendingBytes += whole.delivery.content.body.count
        guard pendingBytes <= Self.pendingLimit else {
            isOpen = false
            throw AMQPError(
                .refused(0), "more than \(Self.pendingLimit) bytes of messages came at one time")
        }
        return nil
    }

    private func take(_ method: AMQPMethod) throws(AMQPError) -> AMQPMethod? {
        var reader = method.arguments
        switch (method.name.group, method.name.number) {
        case (10, 50), (20, 40):
            let code = Int(try reader.number(UInt16.self))
            let text = try reader.short()
            let isChannel = method.name.group == 20
            if isChannel { hasChannel = false } else { isOpen = false }
            try? closeOK(isChannel)
            throw AMQPError(.refused(code), text)
        case (10, 60): blocked = try reader.short()
        case (10, 61): blocked = nil
        case (60, 30): cancelled.insert(try reader.short())
        case (60, 50):
            _ = try reader.bytes(2)
            _ = try reader.short()
            partial = Partial(
                delivery: AMQPDelivery(
                    consumer: "", tag: 0, redelivered: false, exchange: try reader.short(),
                    routingKey: try reader.short(),
                    content: AMQPContent(properties: [], body: [])), isReturned: true)
        case (60, 60):
            partial = Partial(
                delivery: AMQPDelivery(
                    consumer: try reader.short(), tag: try reader.number(),
                    redelivered: try reader.number(UInt8.self) != 0,
                    exchange: try reader.short(), routingKey: try reader.short(),
                    content: AMQPContent(properties: [], body: [])), isReturned: false)
        default: return method
        }
        return nil
    }

    private func closeOK(_ isChannel: Bool) throws(AMQPError) {
        var writer = AMQPWriter()
        writer.number(UInt16(isChannel ? 20 : 10))
        writer.number(UInt16(isChannel ? 41 : 51))
        var bytes: [UInt8] = []
        AMQPFrame(kind: .method, channel: isChannel ? 1 : 0, payload: writer.bytes)
            .write(to: &bytes)
        // The connection counts as closed already.
        do {
            try wire.writeAll(bytes, timeoutMilliseconds: 1_000)
        } catch {
            throw AMQPError(.lost, error.sentence)
        }
    }
}
