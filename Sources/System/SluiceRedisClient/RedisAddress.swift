/// Where a Redis server is and who asks: `redis://[user[:password]@]host[:port][/database]`, or
/// `unix://[user[:password]@]/path[?db=n]`.
public struct RedisAddress: Hashable, Sendable {
    /// How it is reached.
    public enum Place: Hashable, Sendable {
        case address(host: String, port: UInt16)
        case socket(path: String)
    }

    /// How it is reached.
    public var place: Place
    /// The user of its access list; nil for the default one.
    public var user: String?
    /// The password; never shown.
    public var password: String?
    /// The number of the database.
    public var database = 0
    /// The address as it may be shown: without its password.
    public var name: String {
        let who = user.map { "\($0)@" } ?? ""
        switch place {
        case .address(let host, let port):
            let shown = host.contains(":") ? "[\(host)]" : host
            return "redis://\(who)\(shown):\(port)/\(database)"
        case .socket(let path): return "unix://\(who)\(path)?db=\(database)"
        }
    }

    private static let schemes = ["redis://", "unix://", "rediss://"]

    /// Whether a text is meant as such an address.
    public static func isAddress(_ text: String) -> Bool {
        schemes.contains { text.hasPrefix($0) }
    }

    /// Reads an address; throws with origin `address`.
    public init(_ text: String) throws(RedisError) {
        guard !text.hasPrefix("rediss://") else {
            throw RedisError(.address, "TLS (rediss://) is not supported yet")
        }
        let isSocket = text.hasPrefix("unix://")
        let rest = text.dropFirst(isSocket ? 7 : 8)
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
        if isSocket {
            place = .socket(path: try Self.decoded(target))
        } else {
            let parts = target.split(separator: "/", maxSplits: 1)
            place = try Self.address(parts.first ?? "")
            if parts.count == 2, target.hasPrefix(parts[0]) {
                database = try Self.database(parts[1])
            }
        }
        for option in query.split(separator: "&") where option.hasPrefix("db=") {
            database = try Self.database(option.dropFirst(3))
        }
    }

    private static func address(_ text: Substring) throws(RedisError) -> Place {
        var host = text
        var port: UInt16 = 6379
        let close = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), close.map({ $0 < colon }) ?? true {
            host = text[..<colon]
            guard let number = UInt16(text[text.index(after: colon)...]) else {
                throw RedisError(.address, "the port of the address is no number")
            }
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return .address(host: host.isEmpty ? "127.0.0.1" : String(host), port: port)
    }

    private static func database(_ text: Substring) throws(RedisError) -> Int {
        guard let number = UInt16(text) else {
            throw RedisError(.address, "the database of the address is no number")
        }
        return Int(number)
    }

    /// A part with its `%2F` as the characters that they stand for.
    private static func decoded(_ text: Substring) throws(RedisError) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard rest.count >= 2, let value = UInt8(digits, radix: 16) else {
                throw RedisError(.address, "a % in the address is not followed by two digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
