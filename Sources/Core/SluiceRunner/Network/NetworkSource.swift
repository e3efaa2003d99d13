public import SluiceModel

/// Who measures a runner's network (B6); each runner has its own.
public protocol NetworkSource: Sendable {
    /// Measures once, at once, and from then on tells each change, and that there is a network
    /// whenever that is found anew; from any thread, until `stop`.
    func start(_ tell: @escaping @Sendable (NetworkState) -> Void) -> NetworkState
    /// A handler found no network: measure again.
    func ask()
    /// Tells nothing more.
    func stop()
}

/// A host and port that answers where there is a network: `example.org:443`, `[::1]:80`.
package struct ProbeAddress: Hashable, Sendable, CustomStringConvertible {
    /// The name or address of the host.
    package let host: String
    /// Its TCP port.
    package let port: UInt16

    /// An address from its text; nil where the text is none.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPlain = host.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 }
        guard !host.isEmpty, isPlain else { return nil }
        (self.host, self.port) = (String(host), port)
    }

    /// The text that it is written as.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
