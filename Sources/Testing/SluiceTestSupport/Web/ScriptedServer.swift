import SluiceC
import SluiceSystem

/// A web server on the loopback address. It sends exactly the scripted answers, including faults.
///
/// Each connection has a thread, which calls the script for each request. Deinit ends the server
/// and its open connections.
package final class ScriptedServer: Sendable {
    /// The answer to one request.
    package typealias Script = @Sendable (Talk) throws -> Void

    /// The port of 127.0.0.1.
    package let port: UInt16
    private let listener: FileDescriptor
    private let end: EventSignal
    private let heard: Protected<[Talk.Request]>
    private let gone: Protected<[String]>

    package init(_ script: @escaping Script) throws {
        SignalInbox.ignorePipeSignal()
        var port: UInt16 = 0
        let number = csys_listen_loopback(&port)
        guard number >= 0 else { throw ServerFailure("cannot listen on 127.0.0.1") }
        self.port = port
        let listener = FileDescriptor(owning: number)
        let end = try EventSignal()
        let heard = Protected<[Talk.Request]>([])
        let gone = Protected<[String]>([])
        self.listener = listener
        self.end = end
        self.heard = heard
        self.gone = gone
        _ = try Thread(name: "web") {
            while Self.waitForInput(listener, end) {
                let connection = csys_accept(listener.number)
                guard connection >= 0 else { return }
                Self.serve(FileDescriptor(owning: connection), end, heard, gone, script)
            }
        }
    }

    deinit { end.signal() }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests whose heads came, in their order.
    package var requests: [Talk.Request] { heard.withLock { $0 } }

    /// Errors on the server's side, except closed connections.
    package var complaints: [String] { gone.withLock { $0 } }

    /// Waits for input; false when the server ends.
    static func waitForInput(_ descriptor: FileDescriptor, _ end: EventSignal) -> Bool {
        let waits = [PollInterest(descriptor.number), PollInterest(end.descriptor.number)]
        while true {
            guard let ready = try? Poll.wait(fds: waits, timeoutMilliseconds: nil) else {
                return false
            }
            if ready.contains(where: { $0.descriptor == waits[1].descriptor }) { return false }
            if !ready.isEmpty { return true }
        }
    }

    private static func serve(
        _ connection: FileDescriptor, _ end: EventSignal, _ heard: Protected<[Talk.Request]>,
        _ gone: Protected<[String]>, _ script: @escaping Script
    ) {
        _ = try? Thread(name: "web-talk") {
            defer { connection.close() }
            do {
                var rest: [UInt8] = []
                while let request = try Talk.readHead(connection, end, &rest) {
                    let number = heard.withLock { heard -> Int in
                        heard.append(request)
                        return heard.count
                    }
                    let talk = Talk(connection, end, request, number: number, rest: rest)
                    try script(talk)
                    guard !talk.isOver else { return }
                    rest = try talk.leftover()
                }
            } catch let error as SystemError {
                // Clients go when they like.
                if !error.isGonePeer { gone.withLock { $0.append(error.sentence) } }
            } catch {
                gone.withLock { $0.append(String(describing: error)) }
            }
        }
    }
}

/// Ports of 127.0.0.1.
package enum Loopback {
    /// The bound sockets of the closed ports.
    private static let held = Protected<[FileDescriptor]>([])

    static func freePort() throws -> UInt16 {
        let (port, holder) = try bound()
        holder.close()
        return port
    }

    /// A port that refuses connections until this process ends.
    package static func closedPort() throws -> UInt16 {
        let (port, holder) = try bound()
        held.withLock { $0.append(holder) }
        return port
    }

    private static func bound() throws -> (port: UInt16, holder: FileDescriptor) {
        var port: UInt16 = 0
        let number = csys_bind_at("127.0.0.1", &port)
        guard number >= 0 else { throw ServerFailure("127.0.0.1 has no free port") }
        return (port, FileDescriptor(owning: number))
    }
}
