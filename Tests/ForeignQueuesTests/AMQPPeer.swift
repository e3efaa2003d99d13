import SluiceModel
import SluiceSystem

@testable import SluiceForeignQueues

/// A broker by AMQP that counts seven messages in each queue. It may refuse every connection.
final class AMQPPeer: Sendable {
    let port: UInt16
    private let isRefusing = Protected(false)
    private let socket: ListeningSocket
    private let end: EventSignal

    init() throws {
        socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        port = socket.port
        end = try EventSignal()
        let (socket, end, isRefusing) = (socket, end, isRefusing)
        _ = try Thread(name: "peer") {
            while Self.waitForInput(socket.descriptor, end) {
                guard let connection = try? socket.accept() else { continue }
                if isRefusing.withLock({ $0 }) {
                    connection.close()
                } else {
                    _ = try? Thread(name: "peer-talk") {
                        defer { connection.close() }
                        // A client that goes ends the talk.
                        try? Self.talk(connection, end, isRefusing)
                    }
                }
            }
        }
    }

    deinit { end.signal() }

    /// Ends the connections at their next request, and refuses new ones; or takes them again.
    func refuse(_ isRefusing: Bool) { self.isRefusing.withLock { $0 = isRefusing } }

    private static func waitForInput(_ descriptor: FileDescriptor, _ end: EventSignal) -> Bool {
        let waits = [PollInterest(descriptor.number), PollInterest(end.descriptor.number)]
        let ready = (try? Poll.wait(fds: waits, timeoutMilliseconds: nil)) ?? []
        return !ready.isEmpty && !ready.contains { $0.descriptor == end.descriptor.number }
    }

    private static func talk(
        _ connection: FileDescriptor, _ end: EventSignal, _ isRefusing: Protected<Bool>
    ) throws {
        var frames = AMQPFrames()
        var hasGreeted = false
        while waitForInput(connection, end), !isRefusing.withLock({ $0 }) {
            guard case .bytes(var bytes) = try connection.read(atMost: 1 << 16) else { return }
            if !hasGreeted {
                hasGreeted = true
                bytes = Array(bytes.dropFirst(8))
                try send(connection, 0, 10, 10) { writer in
                    writer.raw([0, 9])
                    try writer.table([:])
                    writer.long(Array("PLAIN".utf8))
                    writer.long(Array("en_US".utf8))
                }
            }
            frames.add(bytes)
            while let frame = try frames.next() {
                guard frame.kind == .method else { continue }
                try answer(try AMQPMethod(frame.payload).name, connection)
            }
        }
    }

    private static func answer(
        _ name: AMQPMethod.Name, _ connection: FileDescriptor
    ) throws {
        switch (name.group, name.number) {
        case (10, 11):
            try send(connection, 0, 10, 30) { writer in
                writer.number(UInt16(0))
                writer.number(UInt32(0))
                writer.number(UInt16(0))
            }
        case (10, 40): try send(connection, 0, 10, 41) { try $0.short("") }
        case (20, 10): try send(connection, 1, 20, 11) { $0.long([]) }
        case (20, 40): try send(connection, 1, 20, 41) { _ in }
        case (50, 10):
            try send(connection, 1, 50, 11) { writer in
                try writer.short("")
                writer.number(UInt32(7))
                writer.number(UInt32(0))
            }
        default: break
        }
    }

    private static func send(
        _ connection: FileDescriptor, _ channel: UInt16, _ group: UInt16, _ number: UInt16,
        _ write: (inout AMQPWriter) throws -> Void
    ) throws {
        var writer = AMQPWriter()
        writer.number(group)
        writer.number(number)
        try write(&writer)
        var bytes: [UInt8] = []
        AMQPFrame(kind: .method, channel: channel, payload: writer.bytes).write(to: &bytes)
        try StreamSocket.writeAll(bytes, to: connection, timeoutMilliseconds: 5_000)
    }
}
