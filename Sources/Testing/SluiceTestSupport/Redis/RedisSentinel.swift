package import SluiceSystem

/// A Redis sentinel for tests: on the loopback address, watching one master. It goes with this
/// value, or with this process, however that ends.
package final class RedisSentinel: Sendable {
    /// The name of the service that it watches.
    package static let service = "orders"

    /// Its port at 127.0.0.1.
    package let port: UInt16
    private let server: RedisServer

    /// Starts a sentinel and waits until it knows `replicas` replicas of the server. A quorum of
    /// one triggers failover.
    package init(watching master: RedisServer, replicas: Int = 0, options: [String] = []) throws {
        let lines = [
            "sentinel monitor \(Self.service) 127.0.0.1 \(master.port) 1",
            "sentinel down-after-milliseconds \(Self.service) 500",
            "sentinel failover-timeout \(Self.service) 3000",
        ]
        server = try RedisServer(options: options, sentinel: lines)
        port = server.port
        let asked = try connect(options)
        for _ in 0..<600 {
            let state = try asked.call("SENTINEL", "MASTER", Self.service).array
            let words = state.compactMap(\.text)
            let index = words.firstIndex(of: "num-slaves").map { $0 + 1 } ?? 0
            if Int(words[index]) ?? 0 >= replicas { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 50)
        }
        throw ServerFailure("the sentinel does not find the replicas")
    }

    package func connect(_ options: [String] = []) throws -> RedisConnection {
        var address = try RedisAddress("redis://127.0.0.1:\(port)")
        if let at = options.firstIndex(of: "--requirepass") { address.password = options[at + 1] }
        return try RedisConnection(address)
    }
}
