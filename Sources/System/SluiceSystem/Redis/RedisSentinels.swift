/// Who the sentinels of a service say is its master (Redis Sentinel's `get-master-addr-by-name`).
enum RedisSentinels {
    /// The timeout of one sentinel before the next is tried.
    private static let timeoutMilliseconds = 2_000

    /// The server of an address: the master by the first sentinel that knows it, where the address
    /// names no server itself. Throws `connecting` with what each of them said.
    static func server(of address: RedisAddress) throws(RedisError) -> RedisAddress.Endpoint {
        switch address.place {
        case .server(let server): return server
        case .sentinels(let sentinels, let service):
            var said: [String] = []
            for sentinel in sentinels {
                do {
                    return try master(of: service, by: sentinel, address)
                } catch {
                    said.append("\(sentinel): \(error.message)")
                }
            }
            throw RedisError(
                .connecting,
                "no sentinel knows the master of \(service): " + said.joined(separator: "; "))
        }
    }

    private static func master(
        of service: String, by sentinel: HostPort, _ address: RedisAddress
    ) throws(RedisError) -> RedisAddress.Endpoint {
        let wire = try ServerWire(
            to: .address(host: sentinel.host, port: sentinel.port), address.tls,
            timeoutMilliseconds: timeoutMilliseconds)
        defer { wire.close() }
        var link = RedisLink(wire: wire, reader: RedisReader())
        var words = [RedisCommand("SENTINEL", "get-master-addr-by-name", service)]
        if let password = address.sentinelPassword {
            words.insert(RedisCommand("AUTH", password), at: 0)
        }
        try link.send(words)
        var answer = RedisValue.none
        for _ in words { answer = try link.receive(timeoutMilliseconds).accepted() }
        let parts = answer.array.compactMap(\.text)
        guard parts.count == 2, let port = UInt16(parts[1]) else {
            throw RedisError(.unexpected, "it does not watch that service")
        }
        return .address(host: parts[0], port: port)
    }
}
