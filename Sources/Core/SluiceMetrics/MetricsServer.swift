package import SluiceModel
package import SluicePlatform

/// Serves metrics by HTTP at one address: `GET /metrics`, and nothing else.
///
/// One thread of its own does it all: a peer that is slow, silent or hostile holds up neither
/// others nor who works here. It ends with the value, or by `stop`.
public final class MetricsServer: Sendable {
    /// Where it listens, with the port that it was given.
    package let address: HostPort
    /// The port on which it listens.
    public var port: UInt16 { address.port }

    private let end: EventSignal
    private let thread: Thread

    /// Listens at an address and at no other. Each request calls `families` on the server's
    /// thread; a thrown error is the answer to that request.
    ///
    /// Throws `badValue` for an address at which no socket can listen.
    package init(
        at address: HostPort, _ families: @escaping @Sendable () throws -> [MetricFamily]
    ) throws(QueueError) {
        do throws(SystemError) {
            let socket = try ListeningSocket(host: address.host, port: address.port)
            let end = try EventSignal()
            self.address = HostPort(host: address.host, port: socket.port)
            self.end = end
            thread = try Thread(name: "sluice-metrics") {
                var loop = MetricsLoop(socket, end, families)
                loop.run()
            }
        } catch {
            throw QueueError(
                .badValue, "metrics cannot be served at \(address): \(error.sentence)",
                fix: "give an address of this machine and a port that is free")
        }
    }

    deinit { end.signal() }

    /// Takes no more requests, breaks those that are under way, and returns when its port is free.
    public func stop() {
        end.signal()
        thread.join()
    }
}

/// The thread of a server: sleeps until a connection, a byte, room to write or a deadline comes.
private struct MetricsLoop {
    /// So many connections are served at once; a further one takes the place of the oldest.
    private static let connectionLimit = 64
    /// So long may a connection take as a whole.
    private static let timeoutMilliseconds: Int64 = 10_000
    /// So long after a refusal what is still sent is read: else the refusal may be lost.
    private static let farewellMilliseconds: Int64 = 1_000

    /// A peer.
    private struct Connection {
        var socket: FileDescriptor
        var deadline: Int64
        var request = MetricsRequest()
        /// What is still to be sent; nil while it asks.
        var answer: ArraySlice<UInt8>?
        /// Whether it was refused and told so: it is waited for to end.
        var isAnswered = false
    }

    private let listener: ListeningSocket
    private let end: EventSignal
    private let families: @Sendable () throws -> [MetricFamily]
    private var connections: [Int32: Connection] = [:]
    /// Until when no connection is taken: the system had no more of what that needs.
    private var restsUntil: Int64 = 0

    init(
        _ listener: ListeningSocket, _ end: EventSignal,
        _ families: @escaping @Sendable () throws -> [MetricFamily]
    ) {
        (self.listener, self.end, self.families) = (listener, end, families)
    }

    private var now: Int64 { SystemClock.monotonicMilliseconds() }

    mutating func run() {
        defer { listener.descriptor.close() }
        while true {
            guard let ready = try? Poll.wait(fds: interests, timeoutMilliseconds: sleep) else {
                return
            }
            for one in ready {
                if one.descriptor == end.descriptor.number { return }
                if one.descriptor == listener.descriptor.number { takeConnections() }
                if connections[one.descriptor] != nil { proceed(one.descriptor) }
            }
            let now = now
            for (number, connection) in connections where connection.deadline <= now {
                close(number)
            }
        }
    }

    private var interests: [PollInterest] {
        var interests = [PollInterest(end.descriptor.number)]
        if restsUntil <= now { interests.append(PollInterest(listener.descriptor.number)) }
        for (number, connection) in connections {
            let isAsked = connection.answer != nil && !connection.isAnswered
            interests.append(PollInterest(number, readable: !isAsked, writable: isAsked))
        }
        return interests
    }

    private var sleep: Int? {
        var moments = connections.values.map(\.deadline)
        if restsUntil > now { moments.append(restsUntil) }
        return moments.min().map { Int(max(1, $0 - now)) }
    }

    private mutating func takeConnections() {
        do {
            while let socket = try listener.accept() {
                let isFull = connections.count >= Self.connectionLimit
                if isFull, let oldest { close(oldest) }
                connections[socket.number] = Connection(
                    socket: socket, deadline: now + Self.timeoutMilliseconds)
                // Read the accepted connections before one of them loses its place.
                if isFull { return }
            }
        } catch {
            restsUntil = now + 1_000
        }
    }

    /// The connection that has been served longest, one that still asks where there is one.
    private var oldest: Int32? {
        connections.min { one, other in
            let keys = [one, other].map { ($0.value.answer == nil ? 0 : 1, $0.value.deadline) }
            return keys[0] < keys[1]
        }?.key
    }

    private mutating func proceed(_ number: Int32) {
        guard var connection = connections[number] else { return }
        do {
            if connection.isAnswered {
                let more = try connection.socket.read(atMost: MetricsRequest.limit)
                return more == .end ? close(number) : ()
            }
            if connection.answer == nil { try receive(&connection) }
            if let rest = connection.answer {
                let sent = try StreamSocket.sendSome(rest, to: connection.socket)
                connection.answer = rest.dropFirst(sent)
            }
            if connection.answer?.isEmpty == true {
                guard case .refused = connection.request.verdict else { return close(number) }
                connection.isAnswered = true
                connection.deadline = min(connection.deadline, now + Self.farewellMilliseconds)
            }
            connections[number] = connection
        } catch {
            close(number)
        }
    }

    private func receive(_ connection: inout Connection) throws(SystemError) {
        switch try connection.socket.read(atMost: MetricsRequest.limit + 1) {
        case .nothingYet: return
        case .end:
            connection.answer = []
            return
        case .bytes(let bytes): connection.request.add(bytes)
        }
        switch connection.request.verdict {
        case .unfinished: return
        case .refused(let refusal): connection.answer = MetricsRequest.answer(refusal)[...]
        case .metrics(let format, let headOnly):
            connection.answer = metrics(in: format, headOnly: headOnly)[...]
        }
    }

    private func metrics(in format: MetricsFormat, headOnly: Bool) -> [UInt8] {
        do {
            return MetricsRequest.answer(
                "200 OK", type: format.contentType,
                OpenMetrics.text(try families(), format: format), headOnly: headOnly)
        } catch {
            let reason = (error as? QueueError)?.description ?? String(describing: error)
            return MetricsRequest.answer(.unavailable, reason)
        }
    }

    private mutating func close(_ number: Int32) {
        connections.removeValue(forKey: number)?.socket.close()
    }
}
