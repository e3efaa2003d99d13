import SluiceC

/// An address of a server by `http` or `https`, taken apart.
package struct HTTPURL: Hashable, Sendable {
    /// The URL as given; requests use it.
    package let text: String
    /// `http` or `https`.
    package let scheme: String
    /// The host in small letters.
    package let host: String
    /// The port, also where the text names none.
    package let port: String
    /// The path, without the query.
    package let path: String

    /// Reads an address; the failure is `badURL`, or `unavailable` if there is no libcurl.
    package init(_ text: String) throws(HTTPFailure) {
        if let reason = ccurl_load() { throw .unavailable(String(cString: reason)) }
        var parts = ccurl_url()
        defer { ccurl_url_free(&parts) }
        // A zero byte would end the text early.
        guard !text.utf8.contains(0) else { throw .badURL("it holds a zero byte") }
        if let wrong = ccurl_url_parse(text, &parts) { throw .badURL(String(cString: wrong)) }
        guard let scheme = Self.text(parts.scheme)?.lowercased(), let host = Self.text(parts.host),
            scheme == "http" || scheme == "https"
        else { throw .badURL("only http and https are spoken") }
        self.text = text
        self.scheme = scheme
        self.host = host.lowercased()
        port = Self.text(parts.port) ?? ""
        path = Self.text(parts.path) ?? "/"
    }

    /// The server: scheme, host and port.
    package var origin: String { "\(scheme)://\(host):\(port)" }

    /// The address for people: without user, password and query, which may be secrets.
    package var shown: String {
        let isUsual = port == (scheme == "https" ? "443" : "80")
        return "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")\(path)"
    }

    private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
