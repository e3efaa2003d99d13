import Glibc
import SluiceC

/// Connections to servers, non-blocking.
package enum StreamSocket {
    /// Connects by TCP within a time limit; written data is sent immediately.
    package static func connect(
        host: String, port: UInt16, timeoutMilliseconds: Int
    ) throws(SystemError) -> FileDescriptor {
        let attempt = ConnectionAttempt(host: host, port: port)
        let deadline = SystemClock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        while attempt.result() == nil {
            let rest = deadline - SystemClock.monotonicMilliseconds()
            guard rest > 0 else { break }
            _ = try Poll.wait(fds: attempt.interests, timeoutMilliseconds: Int(rest))
        }
        guard let socket = attempt.take() else {
            throw SystemError(.connect, path: "\(host):\(port)", reason: .noAnswer)
        }
        _ = csys_send_at_once(socket.number)
        return socket
    }

    package static func connect(path: String) throws(SystemError) -> FileDescriptor {
        let number = csys_connect_path(path)
        guard number >= 0 else { throw .last(.connect, path: path) }
        return FileDescriptor(owning: number)
    }

    /// Writes all to a socket, waiting at most so long where it is full; a peer that has gone is an
    /// error and no signal.
    package static func writeAll(
        _ bytes: [UInt8], to socket: FileDescriptor, timeoutMilliseconds: Int
    ) throws(SystemError) {
        try writeAll(bytes, over: socket.number, timeoutMilliseconds: timeoutMilliseconds) {
            csys_send(socket.number, $0, $1)
        }
    }

    /// The same for what goes over a socket in another form: `send` takes bytes and their number,
    /// and answers as `send(2)` does, with `errno`.
    package static func writeAll(
        _ bytes: [UInt8], over number: Int32, timeoutMilliseconds: Int,
        by send: (UnsafeRawPointer, Int) -> Int
    ) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let put = rest.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return send(base, buffer.count)
            }
            if put > 0 { rest = rest.dropFirst(put) }
            if put < 0 {
                guard errno == EAGAIN else { throw .last(.write) }
                let interest = PollInterest(number, readable: false, writable: true)
                let ready = try Poll.wait(
                    fds: [interest], timeoutMilliseconds: timeoutMilliseconds)
                guard !ready.isEmpty else { throw SystemError(.write, reason: .noAnswer) }
            }
        }
    }

    /// Reads all arrived data of a socket in another form; never waits. `receive` fills bytes and
    /// returns like `recv(2)`, with `errno`. The next read reports an end after data.
    package static func readAll(
        by receive: (UnsafeMutableRawPointer, Int) -> Int
    ) throws(SystemError) -> FileDescriptor.ReadResult {
        var found: [UInt8] = []
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, filled in
                guard let base = buffer.baseAddress else { return }
                count = receive(base, buffer.count)
                filled = max(count, 0)
            }
            found += chunk
            guard count <= 0 else { continue }
            if !found.isEmpty { return .bytes(found) }
            if count == 0 { return .end }
            guard errno == EAGAIN else { throw .last(.read) }
            return .nothingYet
        }
    }
}
