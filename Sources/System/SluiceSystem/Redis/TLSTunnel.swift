import SluiceC

/// A TLS connection through libcurl, which the first one loads.
package final class TLSTunnel {
    private var handle: OpaquePointer?

    /// Connects and checks the server's certificate and name; throws with origin `connecting`.
    init(
        host: String, port: UInt16, _ tls: RedisAddress.TLS, timeoutMilliseconds: Int
    ) throws(RedisError) {
        if let reason = ccurl_load() { throw RedisError(.library, String(cString: reason)) }
        // A server that closes its side must not end this process.
        SignalInbox.ignorePipeSignal()
        guard let made = ccurl_tunnel_make() else {
            throw RedisError(.connecting, "libcurl has no memory for a connection")
        }
        handle = made
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let wrong = Self.connect(made, "https://\(place)", tls, Int32(timeoutMilliseconds))
        if let wrong { throw RedisError(.connecting, "\(place) by TLS: \(wrong)") }
    }

    deinit { close() }

    private static func connect(
        _ handle: OpaquePointer, _ url: String, _ tls: RedisAddress.TLS, _ milliseconds: Int32
    ) -> String? {
        url.withCString { url in
            optional(tls.authorities) { authorities in
                optional(tls.certificate) { certificate in
                    optional(tls.key) { key in
                        var request = ccurl_tunnel_request(
                            url: url, connect_milliseconds: milliseconds, authorities: authorities,
                            certificate: certificate, key: key,
                            is_unchecked: tls.isChecked ? 0 : 1)
                        return ccurl_tunnel_connect(handle, &request).map { String(cString: $0) }
                    }
                }
            }
        }
    }

    private static func optional(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> String?
    ) -> String? {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }

    /// The descriptor to poll; -1 once closed.
    var descriptor: Int32 { handle.map { ccurl_tunnel_socket($0) } ?? -1 }

    func close() {
        if let handle { ccurl_tunnel_free(handle) }
        handle = nil
    }

    func writeAll(_ bytes: [UInt8], timeoutMilliseconds: Int) throws(SystemError) {
        guard let handle else { throw SystemError(.write, reason: .noAnswer) }
        try StreamSocket.writeAll(
            bytes, over: descriptor, timeoutMilliseconds: timeoutMilliseconds
        ) { ccurl_tunnel_send(handle, $0, $1) }
    }

    /// Reads all arrived data: data already in the tunnel no longer makes its socket readable.
    func read() throws(SystemError) -> FileDescriptor.ReadResult {
        guard let handle else { throw SystemError(.read, reason: .noAnswer) }
        return try StreamSocket.readAll { ccurl_tunnel_receive(handle, $0, $1) }
    }
}
