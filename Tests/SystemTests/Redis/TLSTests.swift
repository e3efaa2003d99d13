import SluiceTestSupport
import Testing

@testable import SluiceSystem

/// A TLS server on a separate port that requires client certificates.
private struct SecureServer {
    let server: RedisServer
    let port: UInt16
    let folder: String

    /// `wantsCertificate` refuses clients that show none.
    init(wantsCertificate: Bool = false) throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-tls-")
        for name in ["server", "other"] {
            try Self.run([
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem",
            ])
        }
        port = try RedisServer.freePort()
        server = try RedisServer(options: [
            "--tls-port", String(port), "--tls-cert-file", "\(folder)/server.pem",
            "--tls-key-file", "\(folder)/server.key", "--tls-ca-cert-file",
            "\(folder)/server.pem", "--tls-auth-clients", wantsCertificate ? "yes" : "no",
        ])
    }

    private static func run(_ words: [String]) throws {
        let child = try ChildProcess.spawn(
            Spawn(
                "openssl", words, environment: ["PATH=/usr/bin:/bin"], directory: "/",
                output: .null, errors: .null))
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 60_000)
        #expect(try child.reap() == .code(0))
    }

    func connect(_ options: String, host: String = "127.0.0.1") throws -> RedisConnection {
        try RedisConnection(try RedisAddress("rediss://\(host):\(port)/1?\(options)"))
    }

    func end() throws { try Files.removeTree(folder) }
}

@Suite("Redis by TLS", .enabled(if: RedisServer.isInstalled))
struct TLSTests {
    @Test("a server is reached by TLS: long rows, what blocks, its end")
    func talks() throws {
        let secure = try SecureServer()
        let redis = try secure.connect("ssl_ca_certs=\(secure.folder)/server.pem")
        #expect(redis.address.name == "rediss://127.0.0.1:\(secure.port)/1")
        // Longer than a record of TLS, both ways, and many in one round trip.
        let long = [UInt8](repeating: 7, count: 3 << 20)
        try redis.call("SET", "long", long)
        #expect(try redis.call("GET", "long") == .bytes(long))
        let many = (0..<2_000).map { RedisCommand("RPUSH", "row", $0) }
        #expect(try redis.pipeline(many).last?.integer == 2_000)
        #expect(try redis.call("LRANGE", "row", 0, -1).array.count == 2_000)
        // One waits in the server until another connection gives.
        let other = try secure.connect("ssl_ca_certs=\(secure.folder)/server.pem")
        try other.send([RedisCommand("BLPOP", "arrivals", 0)])
        #expect(try other.arrived().isEmpty)
        try redis.call("RPUSH", "arrivals", "x")
        #expect(try other.receive().array.count == 2)
        try secure.server.stop(isCrash: true)
        #expect(throws: RedisError.self) { try redis.call("PING") }
        #expect(!redis.isOpen)
        redis.close()
        #expect(redis.descriptor == -1)
        try secure.end()
    }

    @Test("a certificate that nobody vouches for, another name and a plain server are refused")
    func refuses() throws {
        let secure = try SecureServer()
        let own = "ssl_ca_certs=\(secure.folder)/server.pem"
        func isRefused(_ options: String, host: String = "127.0.0.1") throws -> String {
            let error = #expect(throws: RedisError.self) {
                try secure.connect(options, host: host)
            }
            let failure = try #require(error)
            #expect(failure.origin == .connecting)
            return failure.message
        }
        #expect(try isRefused("").contains("by TLS: "))
        #expect(try isRefused("ssl_ca_certs=\(secure.folder)/other.pem").contains("certificate"))
        #expect(try isRefused(own, host: "localhost").contains("localhost"))
        #expect(try isRefused("ssl_ca_certs=/nowhere.pem").contains("/nowhere.pem"))
        #expect(try secure.connect("ssl_cert_reqs=none").call("PING").text == "PONG")
        let plain = "rediss://127.0.0.1:\(secure.server.port)/0"
        #expect(throws: RedisError.self) { try RedisConnection(try RedisAddress(plain)) }
        try secure.end()
    }

    @Test("a server that asks for the client's certificate gets it")
    func shows() throws {
        let secure = try SecureServer(wantsCertificate: true)
        let own = "ssl_ca_certs=\(secure.folder)/server.pem"
        #expect(throws: RedisError.self) { try secure.connect(own) }
        let shown =
            "&ssl_certfile=\(secure.folder)/server.pem&ssl_keyfile=\(secure.folder)/server.key"
        #expect(try secure.connect(own + shown).call("PING").text == "PONG")
        try secure.end()
    }
}
