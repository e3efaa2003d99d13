import Glibc
import SluiceCCurl
import SluicePlatform

/// A TLS connection, made by libcurl, which is loaded with the first one.
final class TLSTunnel {
    private static let chunkBytes = 1 << 14

    private var handle: OpaquePointer?

    /// Connects and checks the server's certificate and name; throws with origin `connecting`.
    init(
        host: String, port: UInt16, _ tls: RedisAddress.TLS, patienceMilliseconds: Int
    ) throws(RedisError) {
        if let reason = ccurl_load() { throw RedisError(.connecting, String(cString: reason)) }
        // A server that closes its side must not end this process.
        SignalInbox.ignorePipeSignal()
        guard let made = ccurl_tunnel_make() else {
            throw RedisError(.connecting, "libcurl has no memory for a connection")
        }
        handle = made
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let wrong = Self.connect(made, "https://\(place)", tls, Int32(patienceMilliseconds))
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

    /// What to wait on; -1 once it is closed.
    var descriptor: Int32 { handle.map { ccurl_tunnel_socket($0) } ?? -1 }

    func close() {
        if let handle { ccurl_tunnel_free(handle) }
        handle = nil
    }

    func writeAll(_ bytes: [UInt8], patienceMilliseconds: Int) throws(SystemError) {
        guard let handle else { throw SystemError(.write, reason: .code(EPIPE)) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let put = rest.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return ccurl_tunnel_send(handle, base, buffer.count)
            }
            if put > 0 { rest = rest.dropFirst(put) }
            if put < 0 {
                guard errno == EAGAIN else { throw SystemError(.write, reason: .code(errno)) }
                let interest = PollInterest(descriptor, readable: false, writable: true)
                let ready = try Poll.wait(
                    fds: [interest], timeoutMilliseconds: patienceMilliseconds)
                guard !ready.isEmpty else { throw SystemError(.write, reason: .noAnswer) }
            }
        }
    }

    /// All that has come: what is in the tunnel already makes its socket no more readable.
    func read() throws(SystemError) -> FileDescriptor.ReadResult {
        guard let handle else { throw SystemError(.read, reason: .code(EPIPE)) }
        var found: [UInt8] = []
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, filled in
                guard let base = buffer.baseAddress else { return }
                count = ccurl_tunnel_receive(handle, base, Self.chunkBytes)
                filled = max(count, 0)
            }
            if count > 0 {
                found += chunk
                continue
            }
            // An end after bytes is told again by the next read.
            if !found.isEmpty { return .bytes(found) }
            if count == 0 { return .end }
            guard errno == EAGAIN else { throw SystemError(.read, reason: .code(errno)) }
            return .nothingYet
        }
    }
}
