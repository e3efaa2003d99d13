/// The address and user of a Redis server: `redis://[user[:password]@]host[:port][/database]`, the
/// same with TLS as `rediss://`, or `unix://[user[:password]@]/path[?db=n]`. Sentinels, which know
/// the master of a service:
/// `redis+sentinel://[user[:password]@]host[:port][,…]/service[/database]`.
package struct RedisAddress: Hashable, Sendable {
    package enum Endpoint: Hashable, Sendable {
        case address(host: String, port: UInt16)
        case socket(path: String)
    }

    package enum Place: Hashable, Sendable {
        case server(Endpoint)
        /// The server that the first sentinel to answer calls the master of the service; their
        /// ports are 26379 unless the address says otherwise.
        case sentinels([HostPort], service: String)
    }

    /// The certificates of a TLS connection, with the option names of Python's client.
    package struct TLS: Hashable, Sendable {
        /// A file of certificates to trust in place of the system's: `ssl_ca_certs`.
        package var authorities: String?
        /// A file of the client's own certificate: `ssl_certfile`.
        package var certificate: String?
        /// A file of the key of that certificate: `ssl_keyfile`.
        package var key: String?
        /// Whether to check the server's certificate and name: `ssl_cert_reqs`.
        package var isChecked = true

        /// The system's authorities, unless a file names others.
        package init(authorities: String? = nil) { self.authorities = authorities }
    }

    package var place: Place
    /// The TLS of the connection; nil for a plain one.
    package var tls: TLS?
    /// The user of its access list; nil for the default one.
    package var user: String?
    /// The password; never shown.
    package var password: String?
    /// The password that sentinels ask for, `sentinel_password`; never shown.
    package var sentinelPassword: String?
    package var database = 0
    /// The database of the results, where an app keeps them in another one: the option `results`,
    /// an address or the number of a database of the same server.
    package var results: RedisAddress? {
        get { otherResults.first }
        set { otherResults = newValue.map { [$0] } ?? [] }
    }
    // A list, because a value cannot contain a value of its own type.
    private var otherResults: [RedisAddress] = []
    /// The address without its password, for display.
    package var name: String {
        let who = user.map { "\($0)@" } ?? ""
        switch place {
        case .server(.address(let host, let port)):
            return "\(scheme)://\(who)\(HostPort(host: host, port: port))/\(database)"
        case .sentinels(let sentinels, let service):
            let shown = sentinels.map(\.description).joined(separator: ",")
            return "\(scheme)+sentinel://\(who)\(shown)/\(service)/\(database)"
        case .server(.socket(let path)): return "unix://\(who)\(path)?db=\(database)"
        }
    }

    private var scheme: String { tls == nil ? "redis" : "rediss" }

    private static let schemes = [
        "redis://", "unix://", "rediss://", "redis+sentinel://", "rediss+sentinel://",
    ]

    /// Whether a text looks like such an address.
    package static func isAddress(_ text: String) -> Bool {
        schemes.contains { text.hasPrefix($0) }
    }

    /// Reads an address; throws with origin `address`.
    package init(_ text: String) throws(RedisError) {
        let scheme = Self.schemes.first { text.hasPrefix($0) } ?? ""
        if scheme.hasPrefix("rediss") { tls = TLS() }
        let rest = text.dropFirst(scheme.count)
        let main = rest.prefix { $0 != "?" }
        let query = rest.dropFirst(main.count + 1)
        var target = main
        if let at = main.lastIndex(of: "@") {
            target = main[main.index(after: at)...]
            let secret = main[..<at].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(secret[0])
            user = name.isEmpty ? nil : name
            if secret.count == 2 { password = try Self.decoded(secret[1]) }
        }
        let names = scheme.hasSuffix("+sentinel://") ? 2 : 1
        let parts = target.split(separator: "/", maxSplits: names, omittingEmptySubsequences: false)
        var number: Substring?
        switch scheme {
        case "unix://": place = .server(.socket(path: try Self.decoded(target)))
        case "redis+sentinel://", "rediss+sentinel://":
            place = try Self.sentinels(parts)
            number = parts.dropFirst(2).first
        default:
            place = try Self.address(parts[0])
            number = parts.dropFirst().first
        }
        if let number, !number.isEmpty { database = try Self.database(number) }
        try read(options: query)
    }

    private mutating func read(options: Substring) throws(RedisError) {
        for option in options.split(separator: "&") {
            let parts = option.split(separator: "=", maxSplits: 1)
            let value = parts.count == 2 ? parts[1] : ""
            if parts.first == "db" { database = try Self.database(value) }
            if parts.first == "results" { results = try Self.results(value, of: self) }
            if parts.first == "sentinel_password" {
                guard case .sentinels = place else {
                    throw RedisError(
                        .address,
                        "sentinel_password needs sentinels: redis+sentinel://HOST:PORT/SERVICE")
                }
                sentinelPassword = try Self.decoded(value)
            }
            if let name = parts.first, name.hasPrefix("ssl_") {
                try set(String(name), try Self.decoded(value))
            }
        }
    }

    private mutating func set(_ name: String, _ value: String) throws(RedisError) {
        guard tls != nil else {
            throw RedisError(.address, "\(name) needs TLS: begin the address with rediss://")
        }
        switch (name, value.lowercased()) {
        case ("ssl_ca_certs", _): tls?.authorities = value
        case ("ssl_certfile", _): tls?.certificate = value
        case ("ssl_keyfile", _): tls?.key = value
        case ("ssl_cert_reqs", "none"), ("ssl_cert_reqs", "cert_none"): tls?.isChecked = false
        case ("ssl_cert_reqs", "required"), ("ssl_cert_reqs", "cert_required"): break
        case ("ssl_cert_reqs", _):
            throw RedisError(.address, "ssl_cert_reqs is required or none")
        default:
            throw RedisError(
                .address,
                "\(name) is not known; there are ssl_ca_certs, ssl_certfile, ssl_keyfile and "
                    + "ssl_cert_reqs")
        }
    }

    private static func address(_ text: Substring) throws(RedisError) -> Place {
        let (host, port) = try endpoint(text, usual: 6379)
        return .server(.address(host: host, port: port))
    }

    private static func sentinels(_ parts: [Substring]) throws(RedisError) -> Place {
        guard parts.count > 1, !parts[1].isEmpty else {
            throw RedisError(
                .address, "the service is missing: redis+sentinel://HOST:PORT/SERVICE")
        }
        var sentinels: [HostPort] = []
        for text in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            let (host, port) = try endpoint(text, usual: 26_379)
            sentinels.append(HostPort(host: host, port: port))
        }
        return .sentinels(sentinels, service: try decoded(parts[1]))
    }

    private static func endpoint(
        _ text: Substring, usual: UInt16
    ) throws(RedisError) -> (host: String, port: UInt16) {
        var host = text
        var port = usual
        let close = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), close.map({ $0 < colon }) ?? true {
            host = text[..<colon]
            guard let number = UInt16(text[text.index(after: colon)...]) else {
                throw RedisError(.address, "the port of the address is no number")
            }
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }

    private static func results(
        _ text: Substring, of queues: RedisAddress
    ) throws(RedisError) -> RedisAddress {
        // An address is written as it is: messages hide the password of no encoded one.
        if isAddress(String(text)) { return try RedisAddress(String(text)) }
        var place = queues
        (place.results, place.database) = (nil, try database(text))
        return place
    }

    private static func database(_ text: Substring) throws(RedisError) -> Int {
        guard let number = UInt16(text) else {
            throw RedisError(.address, "the database of the address is no number")
        }
        return Int(number)
    }

    /// A part of the address, decoded.
    private static func decoded(_ text: Substring) throws(RedisError) -> String {
        guard let text = PercentText.decoded(text) else {
            throw RedisError(.address, "a % in the address is not followed by two digits")
        }
        return text
    }
}
