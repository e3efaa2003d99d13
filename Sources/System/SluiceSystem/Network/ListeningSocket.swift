import Glibc
import SluiceC

/// A TCP socket that takes connections at one address, and never waits.
package final class ListeningSocket: Sendable {
    /// Readable when a connection is waiting.
    package let descriptor: FileDescriptor
    /// The port: the requested one, or a free one if that was 0.
    package let port: UInt16

    /// Listens at an address or name of this machine, and nowhere else.
    package init(host: String, port: UInt16) throws(SystemError) {
        var taken = port
        let number = csys_listen(host, &taken)
        guard number >= 0 else { throw .last(.listen, path: "\(host):\(port)") }
        descriptor = FileDescriptor(owning: number)
        self.port = taken
    }

    /// The next waiting connection, non-blocking; nil without one.
    package func accept() throws(SystemError) -> FileDescriptor? {
        let number = csys_accept_nonblocking(descriptor.number)
        guard number >= 0 else {
            guard errno == EAGAIN else { throw .last(.accept) }
            return nil
        }
        return FileDescriptor(owning: number)
    }
}

extension StreamSocket {
    /// Sends as much as fits without waiting, possibly nothing; a peer that has gone is an error
    /// and no signal.
    package static func sendSome(
        _ bytes: ArraySlice<UInt8>, to socket: FileDescriptor
    ) throws(SystemError) -> Int {
        let put = bytes.withUnsafeBytes { buffer -> Int in
            guard let base = buffer.baseAddress else { return 0 }
            return csys_send(socket.number, base, buffer.count)
        }
        if put >= 0 { return put }
        guard errno == EAGAIN else { throw .last(.write) }
        return 0
    }
}
