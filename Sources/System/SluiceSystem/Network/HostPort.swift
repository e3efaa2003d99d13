/// The address of a server: `127.0.0.1:9464`, `[::1]:9464`, `localhost:9464`.
package struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// An address or a name of a machine.
    package let host: String
    /// The TCP port; a listener takes a free one for 0.
    package let port: UInt16

    /// An address from its parts.
    package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// Parses an address; `nil` if invalid. The host is required: use `0.0.0.0` or `[::]` for every
    /// address of the machine.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPlain = host.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 }
        guard !host.isEmpty, isPlain, text[text.index(after: colon)...].allSatisfy(\.isNumber)
        else {
            return nil
        }
        (self.host, self.port) = (String(host), port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
