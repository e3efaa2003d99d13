import SluiceC

/// Sockets in the file system that carry messages, each whole or not at all.
package enum MessageSocket {
    /// Connects to one; `@` begins an abstract name. A write that finds no room waits for a second
    /// at most.
    package static func connect(path: String) throws(SystemError) -> FileDescriptor {
        try open(path, listens: false)
    }

    /// Makes one: each read, which never waits, gives one message.
    package static func listen(path: String) throws(SystemError) -> FileDescriptor {
        try open(path, listens: true)
    }

    private static func open(_ path: String, listens: Bool) throws(SystemError) -> FileDescriptor {
        let number = csys_message_socket(path, listens ? 1 : 0)
        guard number >= 0 else { throw .last(.connect, path: path) }
        return FileDescriptor(owning: number)
    }

    /// Sends a message; without a receiver it throws instead of raising a signal.
    package static func send(
        _ message: String, to socket: FileDescriptor
    ) throws(SystemError) {
        let bytes = Array(message.utf8)
        let sent = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { csys_send(socket.number, $0, buffer.count) } ?? 0
        }
        guard sent >= 0 else { throw .last(.write) }
    }
}
