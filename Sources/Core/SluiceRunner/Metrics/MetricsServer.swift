package import SluiceModel
package import SluiceSystem

/// Serves metrics over HTTP at one address: `GET /metrics` and no other path.
///
/// It runs on one thread, so slow, silent or hostile peers delay no other peers and no work. It
/// ends with the value, or by `stop`.
public final class MetricsServer: Sendable {
    /// The address, with the port that the system assigned.
    package let address: HostPort
    /// The port of the server.
    public var port: UInt16 { address.port }

    private let end: EventSignal
    private let thread: Thread

    /// Listens at one address. Each request calls `families` on the server's thread; a thrown error
    /// becomes the answer.
    ///
    /// Throws `badValue` if no socket can listen at the address.
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

    /// Closes all connections and returns when the port is free.
    public func stop() {
        end.signal()
        thread.join()
    }
}

/// The thread of a server: sleeps until a connection, a byte, room to write or a deadline comes.
private struct MetricsLoop {
    /// The maximum number of connections; another one replaces the oldest.
    private static let connectionLimit = 64
    /// The maximum duration of a connection.
    private static let timeoutMilliseconds: Int64 = 10_000
    /// The time to drain input after a refusal; otherwise the peer may lose the answer.
    private static let farewellMilliseconds: Int64 = 1_000

    private struct Connection {
        var socket: FileDescriptor
        var deadline: Int64
        var request = MetricsRequest()
        /// The bytes still to send; `nil` before the request is complete.
        var answer: ArraySlice<UInt8>?
        /// Whether it was refused and only its end is missing.
        var isAnswered = false
    }

    private let listener: ListeningSocket
    private let end: EventSignal
    private let families: @Sendable () throws -> [MetricFamily]
    private var connections: [Int32: Connection] = [:]
    /// The end of a pause in accepting, after the system lacked resources.
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
                if one.descriptor == listener.descriptor.number { acceptConnections() }
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
        for (number, connection) in connections {
            let isAsked = connection.answer != nil && !connection.isAnswered
            interests.append(PollInterest(number, readable: !isAsked, writable: isAsked))
        }
        // The last: a new connection may close one that has bytes to read.
        if restsUntil <= now { interests.append(PollInterest(listener.descriptor.number)) }
        return interests
    }

    private var sleep: Int? {
        var moments = connections.values.map(\.deadline)
        if restsUntil > now { moments.append(restsUntil) }
        return moments.min().map { Int(max(1, $0 - now)) }
    }

    private mutating func acceptConnections() {
        do {
            // A full table ends the loop: connections are read before one of them loses its place.
            repeat {
                guard let socket = try listener.accept() else { return }
                if connections.count >= Self.connectionLimit, let oldest { close(oldest) }
                connections[socket.number] = Connection(
                    socket: socket, deadline: now + Self.timeoutMilliseconds)
            } while connections.count < Self.connectionLimit
        } catch {
            restsUntil = now + 1_000
        }
    }

    /// The oldest connection; first those that still send their request.
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
