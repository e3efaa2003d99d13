import SluiceTestSupport
import Testing

@testable import SluiceSystem

@Suite("Redis by sentinels", .enabled(if: RedisServer.isInstalled))
struct SentinelTests {
    @Test("an address of sentinels is read, and shown without its passwords")
    func addresses() throws {
        let text =
            "redis+sentinel://kim:word@one:7000,two,[::1]:7002/orders/3?sentinel_password=se%2Fcret"
        let address = try RedisAddress(text)
        #expect(
            address.place
                == .sentinels(
                    [
                        HostPort(host: "one", port: 7000), HostPort(host: "two", port: 26_379),
                        HostPort(host: "::1", port: 7002),
                    ], service: "orders"))
        #expect(address.user == "kim" && address.password == "word" && address.database == 3)
        #expect(address.sentinelPassword == "se/cret")
        #expect(
            address.name == "redis+sentinel://kim@one:7000,two:26379,[::1]:7002/orders/3")
        let plain = try RedisAddress("rediss+sentinel://one/orders")
        #expect(plain.tls != nil && plain.database == 0)
        #expect(plain.name == "rediss+sentinel://one:26379/orders/0")
        for text in ["redis://one?sentinel_password=x", "unix:///run/one?sentinel_password=x"] {
            let error = #expect(throws: RedisError.self) { try RedisAddress(text) }
            #expect(error?.message.contains("sentinel_password needs sentinels") == true)
        }
    }

    @Test("the first sentinel that knows the service names the server; a dead one is passed over")
    func finds() throws {
        let server = try RedisServer(options: ["--requirepass", "word"])
        let sentinel = try RedisSentinel(
            watching: server, options: ["--requirepass", "secret"])
        let place = "127.0.0.1:1,127.0.0.1:\(sentinel.port)/\(RedisSentinel.service)/2"
        let password = "?sentinel_password=secret"
        let redis = try RedisConnection(
            try RedisAddress("redis+sentinel://:word@\(place)\(password)"))
        try redis.call("SET", "here", "yes")
        #expect(redis.server.place == .server(.address(host: "127.0.0.1", port: server.port)))
        let same = try RedisConnection(
            try RedisAddress("redis://:word@127.0.0.1:\(server.port)/2"))
        #expect(try same.call("GET", "here").text == "yes")

        func refusal(_ text: String) throws -> String {
            let error = #expect(throws: RedisError.self) {
                try RedisConnection(try RedisAddress(text))
            }
            return try #require(error).message
        }
        let unknown = try refusal(
            "redis+sentinel://127.0.0.1:\(sentinel.port)/mails\(password)")
        #expect(
            unknown == "no sentinel knows the master of mails: 127.0.0.1:\(sentinel.port): "
                + "it does not watch that service")
        #expect(try refusal("redis+sentinel://\(place)").contains("NOAUTH"))
        #expect(
            try refusal("redis+sentinel://\(place)\(password)").contains("NOAUTH"),
            "the server's own password is another one")
    }

    @Test("a server that is no master any more is not taken for it")
    func replica() throws {
        let server = try RedisServer()
        let sentinel = try RedisSentinel(watching: server)
        let other = try RedisServer()
        let text = "redis+sentinel://127.0.0.1:\(sentinel.port)/\(RedisSentinel.service)"
        #expect(try RedisConnection(try RedisAddress(text)).call("PING").text == "PONG")
        // It follows another one, and the sentinel has not heard of that yet.
        try sentinel.connect().call(
            "SENTINEL", "SET", RedisSentinel.service, "down-after-milliseconds", "600000")
        try server.connect().call("REPLICAOF", "127.0.0.1", String(other.port))
        let error = #expect(throws: RedisError.self) {
            try RedisConnection(try RedisAddress(text))
        }
        #expect(
            error?.message
                == "redis://127.0.0.1:\(server.port)/0 is not the master: a new one is being chosen"
        )
    }
}
