/// The place of a database of MariaDB or MySQL, and the user:
/// `mysql://[user[:password]@][host[:port]]/database[?option=value&…]`, the same as `mariadb://`.
package struct MariaDBAddress: Hashable, Sendable {
    /// The scheme as it was given, so that the name is the address that a person knows.
    package let scheme: String
    /// The machine; nil for the server on this one.
    package let host: String?
    /// The port; nil for the usual one.
    package let port: UInt16?
    /// The user; nil for the one of the configuration, or this account.
    package let user: String?
    /// The password; never shown.
    package let password: String?
    package let database: String
    /// The file of a local socket.
    package let socket: String?
    /// Whether to refuse unencrypted connections, and whether to check the server's name against
    /// its certificate.
    package let (needsTLS, checksName): (Bool, Bool)
    /// Files of certificates to trust, of an own one, and of its key.
    package let (authorities, certificate, key): (String?, String?, String?)

    /// How addresses begin.
    package static let schemes = ["mysql://", "mariadb://"]

    /// The form of an address, for a hint.
    package static let form =
        "mysql://[user[:password]@][host[:port]]/database[?socket=FILE&ssl-mode=…&ssl-ca=FILE]"

    /// Whether a text looks like such an address.
    package static func isAddress(_ text: String) -> Bool {
        schemes.contains(where: text.hasPrefix)
    }

    /// The address without its password, for display.
    package var name: String {
        let user = user.map { "\(Self.encoded($0))@" } ?? ""
        let socket = socket.map { "?socket=\($0)" } ?? ""
        return scheme + user + (host ?? "") + (port.map { ":\($0)" } ?? "")
            + "/\(Self.encoded(database))\(socket)"
    }

    package init(_ text: String) throws(MariaDBError) {
        guard let scheme = Self.schemes.first(where: text.hasPrefix) else {
            throw Self.wrong("it begins with \(Self.schemes.joined(separator: " or "))")
        }
        self.scheme = scheme
        let rest = text.dropFirst(scheme.count)
        let main = rest.prefix { $0 != "?" }
        let authority = main.prefix { $0 != "/" }
        let path = main.dropFirst(authority.count + 1)
        // A password with an unescaped sign of these would appear as another part.
        guard !path.contains("@"), !path.contains("/"), !rest.dropFirst(main.count).contains("@")
        else { throw Self.wrong("write @ as %40, / as %2F and ? as %3F") }
        database = try Self.decoded(path)
        guard !database.isEmpty else { throw Self.wrong("it names no database") }
        var target = authority
        var (user, password): (String?, String?)
        if let at = authority.lastIndex(of: "@") {
            target = authority[authority.index(after: at)...]
            let parts = authority[..<at].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = parts[0].isEmpty ? nil : try Self.decoded(parts[0])
            password = parts.count == 2 ? try Self.decoded(parts[1]) : nil
        }
        (self.user, self.password) = (user, password)
        (host, port) = try Self.endpoint(target)
        let options = try Self.options(rest.dropFirst(main.count + 1))
        socket = options["socket"]
        let mode = options["ssl-mode"] ?? (options["ssl-ca"] == nil ? "PREFERRED" : "VERIFY_CA")
        guard ["PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"].contains(mode) else {
            throw Self.wrong(
                "ssl-mode is PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY")
        }
        (needsTLS, checksName) = (mode != "PREFERRED", mode.hasPrefix("VERIFY"))
        (authorities, certificate, key) =
            (options["ssl-ca"], options["ssl-cert"], options["ssl-key"])
    }

    private static let known = ["socket", "ssl-mode", "ssl-ca", "ssl-cert", "ssl-key"]

    private static func options(_ text: Substring) throws(MariaDBError) -> [String: String] {
        var options: [String: String] = [:]
        for option in text.split(separator: "&") {
            let parts = option.split(separator: "=", maxSplits: 1)
            let name = String(parts.first ?? "")
            guard known.contains(name), parts.count == 2 else {
                // A value may be a secret in a wrong place.
                throw wrong("the options are \(known.joined(separator: ", "))")
            }
            options[name] = try decoded(parts[1])
        }
        return options
    }

    private static func endpoint(
        _ text: Substring
    ) throws(MariaDBError) -> (host: String?, port: UInt16?) {
        var host = text
        var port: UInt16?
        let close = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), close.map({ $0 < colon }) ?? true {
            host = text[..<colon]
            port = UInt16(text[text.index(after: colon)...])
            guard port != nil, port != 0 else { throw wrong("a port is a number from 1 to 65535") }
        }
        guard !host.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
            throw wrong("the host has a space or a control character")
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (host.isEmpty ? nil : String(host), port)
    }

    private static func wrong(_ reason: String) -> MariaDBError {
        MariaDBError(.address, 0, reason)
    }

    /// A part of the address, decoded.
    private static func decoded(_ text: Substring) throws(MariaDBError) -> String {
        guard let text = PercentText.decoded(text), !text.utf8.contains(0) else {
            throw wrong("a % is not followed by two digits")
        }
        return text
    }

    /// The text with % and two digits for what means something in an address.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isPlain = scalar.value > 127 || !"%/?#@:&= ".unicodeScalars.contains(scalar)
            result += isPlain ? String(scalar) : "%" + String(scalar.value, radix: 16)
        }
        return result
    }
}
