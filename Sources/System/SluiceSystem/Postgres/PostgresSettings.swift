import SluiceC

/// The settings of a connection: an address (`postgres://…`) in libpq's format, plus the
/// environment, the service file and `.pgpass`.
package struct PostgresSettings: Hashable, Sendable {
    private let address: String
    /// The name on screens: the address without its password and other secrets.
    package let name: String
    /// Stores an address; libpq parses it on connecting.
    package init(_ address: String) {
        self.address = address
        name = Self.withoutSecrets(address)
    }

    /// The address without possible secrets: a password before the host, and all options except a
    /// few harmless ones.
    package static func withoutSecrets(_ address: String) -> String {
        guard let colon = address.firstIndex(of: ":") else { return "postgres" }
        let rest = address[colon...].drop { $0 == ":" || $0 == "/" }
        let head = address[..<rest.startIndex]
        let main = rest.prefix { $0 != "?" }
        let options = rest.dropFirst(main.count).dropFirst().split(separator: "&").filter {
            let key = $0.prefix { $0 != "=" }
            let plain = ["host", "port", "dbname", "user", "service", "sslmode", "schema"]
            return plain.contains(String(key))
        }
        if !main.contains("@"), let at = rest.lastIndex(of: "@") {
            // An unescaped question mark.
            return head + "…" + rest[at...].prefix { $0 != "?" }
        }
        // A password may contain any character, including unescaped ones.
        guard let at = main.lastIndex(of: "@") else { return head + main + tail(options) }
        let user = main[..<at].prefix { $0 != ":" }
        return head + user + main[at...] + tail(options)
    }

    /// The address for libpq, and the schema named by the option `schema=`.
    package static func withoutSchema(_ address: String) -> (address: String, schema: String?) {
        guard let mark = address.lastIndex(of: "?") else { return (address, nil) }
        let options = address[mark...].dropFirst().split(separator: "&")
        guard let option = options.last(where: { $0.hasPrefix("schema=") }) else {
            return (address, nil)
        }
        let others = options.filter { !$0.hasPrefix("schema=") }
        let schema = option.dropFirst("schema=".count)
        return (address[..<mark] + tail(others), PercentText.decoded(schema) ?? String(schema))
    }

    private static func tail(_ options: [Substring]) -> String {
        options.isEmpty ? "" : "?" + options.joined(separator: "&")
    }

    /// Whether libpq can read it, and reads a password as one. Loads the library.
    var canBeRead: Bool { !hasStrayPassword && cpq_can_read(address) != 0 }

    /// Whether libpq would show a password with an unescaped character, as a port or a host:
    /// `postgres://kim:a/b@host`, `postgres://kim:a@b@host`.
    private var hasStrayPassword: Bool {
        let rest = address.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let marks = authority.count { $0 == "@" }
        return authority.contains(":") && (marks == 0 ? rest.contains("@") : marks > 1)
    }

    /// Names and values for libpq; the address overrides the first ones.
    var parameters: [(name: String, value: String)] {
        var list = [
            (name: "fallback_application_name", value: "sluice"),
            (name: "client_encoding", value: "UTF8"),
        ]
        // A service file may set other values, which these would override.
        let hasService =
            address.contains("service=") || ProcessIdentity.environment("PGSERVICE") != nil
        if !hasService {
            if ProcessIdentity.environment("PGCONNECT_TIMEOUT") == nil {
                list.append(("connect_timeout", "10"))
            }
            list.append(("keepalives_idle", "10"))
            list.append(("keepalives_interval", "5"))
            list.append(("keepalives_count", "3"))
            list.append(("tcp_user_timeout", "20000"))
        }
        return list + [("dbname", address)]
    }

    /// Calls `body` with the lists as C takes them.
    ///
    /// A probe does not wait for long.
    func withLists<Result>(
        isProbe: Bool = false,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>)
            -> Result
    ) -> Result? {
        let parameters = isProbe ? parameters + [("connect_timeout", "3")] : parameters
        var bytes: [CChar] = []
        var places: [(name: Int, value: Int)] = []
        for (name, value) in parameters {
            let start = bytes.count
            bytes += name.utf8.map { CChar(bitPattern: $0) } + [0]
            places.append((start, bytes.count))
            bytes += value.utf8.map { CChar(bitPattern: $0) } + [0]
        }
        return bytes.withUnsafeBufferPointer { buffer -> Result? in
            guard let base = buffer.baseAddress else { return nil }
            let names = places.map { Optional(base + $0.name) } + [nil]
            let values = places.map { Optional(base + $0.value) } + [nil]
            return names.withUnsafeBufferPointer { names in
                values.withUnsafeBufferPointer { values in
                    guard let names = names.baseAddress, let values = values.baseAddress else {
                        return nil
                    }
                    return body(names, values)
                }
            }
        }
    }
}
