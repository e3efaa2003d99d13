/// The bytes of a connection, plain or through TLS. Once connected, reads never wait, and writes
/// wait up to a timeout.
package enum ServerWire {
    case plain(FileDescriptor)
    case secure(TLSTunnel)

    /// Connects to a server within a time.
    package init(
        to server: RedisAddress.Endpoint, _ tls: RedisAddress.TLS?, timeoutMilliseconds: Int
    ) throws(RedisError) {
        do {
            switch (server, tls) {
            case (.address(let host, let port), let tls?):
                self = .secure(
                    try TLSTunnel(
                        host: host, port: port, tls, timeoutMilliseconds: timeoutMilliseconds))
            case (.address(let host, let port), nil):
                self = .plain(
                    try StreamSocket.connect(
                        host: host, port: port, timeoutMilliseconds: timeoutMilliseconds))
            case (.socket(let path), _): self = .plain(try StreamSocket.connect(path: path))
            }
        } catch let error as SystemError {
            throw RedisError(.connecting, error.sentence)
        } catch let error as RedisError {
            throw error
        } catch {
            throw RedisError(.connecting, "\(error)")
        }
    }

    /// The descriptor to poll for arriving data; -1 once closed.
    package var descriptor: Int32 {
        switch self {
        case .plain(let socket): return socket.number
        case .secure(let tunnel): return tunnel.descriptor
        }
    }

    package func close() {
        switch self {
        case .plain(let socket): socket.close()
        case .secure(let tunnel): tunnel.close()
        }
    }

    /// Writes all; each wait for the peer takes at most this time.
    package func writeAll(_ bytes: [UInt8], timeoutMilliseconds: Int) throws(SystemError) {
        switch self {
        case .plain(let socket):
            try StreamSocket.writeAll(bytes, to: socket, timeoutMilliseconds: timeoutMilliseconds)
        case .secure(let tunnel):
            try tunnel.writeAll(bytes, timeoutMilliseconds: timeoutMilliseconds)
        }
    }

    /// Reads all arrived data; never waits.
    package func read() throws(SystemError) -> FileDescriptor.ReadResult {
        switch self {
        case .plain(let socket): return try socket.read(atMost: 1 << 16)
        case .secure(let tunnel): return try tunnel.read()
        }
    }
}
