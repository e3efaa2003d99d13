import SluicePlatform

/// Who the sentinels of a service say is its master (Redis Sentinel's `get-master-addr-by-name`).
enum RedisSentinels {
    /// How long one sentinel may take before the next is asked.
    private static let patienceMilliseconds = 2_000

    /// The address of the master by the first sentinel that knows it; the same address where it
    /// names a server itself. Throws `connecting` with what each of them said.
    static func server(of address: RedisAddress) throws(RedisError) -> RedisAddress {
        guard case .sentinels(let sentinels, let service) = address.place else { return address }
        var said: [String] = []
        for sentinel in sentinels {
            var asked = address
            asked.place = .address(host: sentinel.host, port: sentinel.port)
            do {
                var server = address
                server.place = try master(of: service, by: asked)
                server.sentinelPassword = nil
                return server
            } catch {
                said.append("\(sentinel.host):\(sentinel.port): \(error.message)")
            }
        }
        throw RedisError(
            .connecting,
            "no sentinel knows the master of \(service): "
                + said.joined(separator: "; "))
    }

    private static func master(
        of service: String, by sentinel: RedisAddress
    ) throws(RedisError) -> RedisAddress.Place {
        let wire = try RedisWire(to: sentinel, patienceMilliseconds: patienceMilliseconds)
        defer { wire.close() }
        var link = RedisLink(wire: wire, reader: RedisReader())
        var words = [RedisCommand("SENTINEL", "get-master-addr-by-name", service)]
        if let password = sentinel.sentinelPassword {
            words.insert(RedisCommand("AUTH", password), at: 0)
        }
        try link.send(words)
        var answer = RedisValue.none
        for _ in words { answer = try link.receive(patienceMilliseconds).accepted() }
        let parts = answer.array.compactMap(\.text)
        guard parts.count == 2, let port = UInt16(parts[1]) else {
            throw RedisError(.unexpected, "it does not watch that service")
        }
        return .address(host: parts[0], port: port)
    }
}
