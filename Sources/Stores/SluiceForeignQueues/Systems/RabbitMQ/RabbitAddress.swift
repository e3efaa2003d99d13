import SluiceModel
import SluiceSystem

/// The address of a RabbitMQ broker:
/// `amqp://[user[:password]@]host[:port][/vhost][?management=PORT]`, or `amqps://` for TLS.
struct RabbitAddress: Hashable, Sendable {
    let isTLS: Bool
    /// The machine, in brackets if it is an address of IPv6.
    let host: String
    /// The port of its queues, as the address has it.
    let port: UInt16
    let managementPort: UInt16
    let user: String
    /// The password; never shown.
    let password: String
    /// The virtual host.
    let vhost: String
    /// A file of certificates to trust in place of the system's: `cacertfile`.
    let authorities: String?

    /// Whether a text begins like such an address.
    static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("amqp://") || text.hasPrefix("amqps://")
    }

    /// The address without its password, for messages.
    var name: String {
        let options =
            managementPort == Self.usualManagement(isTLS)
            ? "" : "?management=\(managementPort)"
        let path = PercentText.encoded(vhost)
        return "\(isTLS ? "amqps" : "amqp")://\(PercentText.encoded(user))@\(host):\(port)/\(path)"
            + options
    }

    /// The beginning of each address of its management interface.
    var management: String { "\(isTLS ? "https" : "http")://\(host):\(managementPort)/api/" }

    /// The machine as a socket takes it.
    var bareHost: String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    private static func usualManagement(_ isTLS: Bool) -> UInt16 { isTLS ? 15_671 : 15_672 }

    /// Reads an address; throws `badValue`.
    init(_ text: String) throws(QueueError) {
        isTLS = text.hasPrefix("amqps://")
        let rest = text.dropFirst(isTLS ? 8 : 7)
        let main = rest.prefix { $0 != "?" }
        let options = try Self.options(rest.dropFirst(main.count + 1))
        let authority = main.prefix { $0 != "/" }
        let path = main.dropFirst(authority.count + 1)
        // Reject a password with a `/`, which would appear as part of the vhost.
        guard !path.contains("@") else { throw Self.wrong("write @ as %40 and / as %2F") }
        vhost = path.isEmpty ? "/" : try Self.decoded(path)
        var target = authority
        var (user, password) = ("guest", "guest")
        if let at = authority.lastIndex(of: "@") {
            target = authority[authority.index(after: at)...]
            let secret = authority[..<at].split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if !secret[0].isEmpty { user = try Self.decoded(secret[0]) }
            password = secret.count == 2 ? try Self.decoded(secret[1]) : ""
        }
        (self.user, self.password) = (user, password)
        let end = try Self.endpoint(target, usual: isTLS ? 5671 : 5672)
        (host, port) = end
        if let text = options.management {
            managementPort = try Self.port(text[...])
        } else {
            managementPort = Self.usualManagement(isTLS)
        }
        authorities = options.authorities
    }

    private typealias Options = (management: String?, authorities: String?)

    private static func options(_ text: Substring) throws(QueueError) -> Options {
        var options: Options = (nil, nil)
        for option in text.split(separator: "&") {
            let parts = option.split(separator: "=", maxSplits: 1)
            let value = try decoded(parts.count == 2 ? parts[1] : "")
            switch parts.first {
            case "management": options.management = value
            case "cacertfile": options.authorities = value
            default:
                throw wrong(
                    "\"\(parts.first ?? "")\" is not known; there are management and cacertfile")
            }
        }
        return options
    }

    private static func endpoint(
        _ text: Substring, usual: UInt16
    ) throws(QueueError) -> (host: String, port: UInt16) {
        var (host, port) = (text, usual)
        let close = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), close.map({ $0 < colon }) ?? true {
            host = text[..<colon]
            port = try Self.port(text[text.index(after: colon)...])
        }
        guard !host.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
            throw wrong("the host has a space or a control character")
        }
        return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }

    private static func port(_ text: Substring) throws(QueueError) -> UInt16 {
        guard let number = UInt16(text), number > 0 else {
            throw wrong("a port is a number from 1 to 65535")
        }
        return number
    }

    private static func decoded(_ text: Substring) throws(QueueError) -> String {
        guard let decoded = PercentText.decoded(text) else {
            throw wrong("a % is not followed by two digits")
        }
        return decoded
    }

    private static func wrong(_ reason: String) -> QueueError {
        QueueError(
            .badValue, "the address of the store: \(reason)",
            fix: "amqp://[user[:password]@]host[:port][/vhost][?management=PORT]")
    }
}
