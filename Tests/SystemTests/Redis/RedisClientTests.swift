import SluiceTestSupport
import Testing

@testable import SluiceSystem

@Suite("a small Redis client")
struct RedisClientTests {
    @Test("an address is read, and shown without its password")
    func addresses() throws {
        let plain = try RedisAddress("redis://kim:a%2Fb@example.org:7000/3")
        #expect(plain.place == .server(.address(host: "example.org", port: 7000)))
        #expect(plain.user == "kim")
        #expect(plain.password == "a/b")
        #expect(plain.database == 3)
        #expect(plain.name == "redis://kim@example.org:7000/3")
        let short = try RedisAddress("redis://:secret@[::1]")
        #expect(short.place == .server(.address(host: "::1", port: 6379)))
        #expect(short.user == nil && short.password == "secret" && short.database == 0)
        #expect(short.name == "redis://[::1]:6379/0")
        let socket = try RedisAddress("unix:///run/redis.sock?db=2")
        #expect(socket.place == .server(.socket(path: "/run/redis.sock")) && socket.database == 2)
        #expect(plain.results == nil)
        let other = try RedisAddress("redis://kim:word@host/3?results=4")
        #expect(other.results == (try RedisAddress("redis://kim:word@host/4")))
        #expect(other.name == "redis://kim@host:6379/3")
        let far = try RedisAddress("redis://host/3?results=rediss://:word@far/1")
        #expect(far.results == (try RedisAddress("rediss://:word@far/1")))
        for wrong in [
            "redis://host?results=x", "redis://host?results=redis%3A%2F%2Ffar%2F1",
            "redis://host:port", "redis://host/x", "redis://host/3/x", "redis://%zz@host",
            "redis://host?ssl_ca_certs=a", "rediss://host?ssl_version=3",
            "rediss://host?ssl_cert_reqs=optional", "redis+sentinel://host",
            "redis+sentinel://host/orders/x", "redis+sentinel://host:port/orders",
        ] {
            #expect(throws: RedisError.self, "\(wrong)") { try RedisAddress(wrong) }
        }
    }

    @Test("answers are read however they are cut")
    func cutAnswers() throws {
        let text = "+OK\r\n-ERR no\r\n:-7\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n$1\r\nx\r\n*-1\r\n*0\r\n"
        let expected: [RedisValue] = [
            .word(Array("OK".utf8)), .refusal(Array("ERR no".utf8)), .integer(-7),
            .bytes(Array("a\r\n".utf8)), .none, .array([.bytes([120]), .none]), .array([]),
        ]
        for size in 1...9 {
            var reader = RedisReader()
            var found: [RedisValue] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                reader.add(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
                while let value = try reader.next() { found.append(value) }
            }
            #expect(found == expected)
        }
    }

    @Test(
        "what is no Redis protocol is an error", arguments: ["HTTP/1.1 200", "$x", "*9999999999"])
    func otherProtocols(line: String) {
        var reader = RedisReader()
        reader.add(Array("\(line)\r\n".utf8))
        #expect(throws: RedisError.self) { try reader.next() }
        var deep = RedisReader()
        deep.add(Array(String(repeating: "*1\r\n", count: 40).utf8))
        #expect(throws: RedisError.self) { try deep.next() }
    }

    @Test("a key lies in the slot of what its first braces hold, as the cluster's own rules say")
    func slots() {
        let expected = [
            "123456789": 12_739, "foo": 12_182, "{bull}:mail:meta": 9263, "bull": 9263,
            "a{foo}{bar}": 12_182,
        ]
        for (key, slot) in expected { #expect(RedisSlot.of(Array(key.utf8)) == slot, "\(key)") }
        for (key, tag) in ["foo{}{bar}": "foo{}{bar}", "foo{{bar}}zap": "{bar", "x": "x"] {
            #expect(RedisSlot.tag(Array(key.utf8)) == Array(tag.utf8))
        }
        let keys: [(RedisCommand, String?)] = [
            (RedisCommand("HGET", "a", "b"), "a"), (RedisCommand("TIME"), nil),
            (RedisCommand("CLIENT", "LIST"), nil), (.script("return 1", keys: [[98]]), "b"),
            (.script("return 1", arguments: ["x"]), nil),
            (RedisCommand("XREAD", "COUNT", 1, "STREAMS", "s", "0"), "s"),
        ]
        for (command, key) in keys { #expect(command.key == key.map { Array($0.utf8) }) }
    }

    @Test("nothing listens there: it is said what and where")
    func nobody() throws {
        let address = try RedisAddress("redis://127.0.0.1:1")
        let error = #expect(throws: RedisError.self) { try RedisConnection(address) }
        #expect(error?.message == "cannot connect to 127.0.0.1:1: nothing answers there")
        #expect(throws: RedisError.self) {
            try RedisConnection(try RedisAddress("unix:///nowhere/socket"))
        }
    }
}

@Suite("a small Redis client at a server", .enabled(if: RedisServer.isInstalled))
struct RedisServerTests {
    @Test("one round trip carries many commands, and a refusal is one of the answers")
    func pipelines() throws {
        let server = try RedisServer()
        let connection = try server.connect(database: 3)
        let commands = (0..<1200).map { RedisCommand("SET", "k\($0)", [UInt8(0), 13, 10, 255]) }
        #expect(try connection.pipeline(commands).allSatisfy { $0.text == "OK" })
        let answers = try connection.pipeline([
            RedisCommand("GET", "k7"), RedisCommand("LLEN", "k7"), RedisCommand("GET", "none"),
        ])
        #expect(answers[0] == .bytes([0, 13, 10, 255]))
        #expect(throws: RedisError.self) { try answers[1].accepted() }
        #expect(answers[2] == .none)
        let refused = #expect(throws: RedisError.self) { try connection.call("LPUSH", "k1", "x") }
        #expect(refused?.refusal == "WRONGTYPE")
        #expect(connection.isOpen)
        let other = try RedisConnection(try RedisAddress(server.socketAddress))
        #expect(try other.call("DBSIZE").integer == 0)
        #expect(other.id != connection.id)
    }

    @Test("a blocking command ends when another connection unblocks it, or patience ends")
    func blocking() throws {
        let server = try RedisServer()
        let (waiting, other) = (try server.connect(), try server.connect())
        try waiting.send([RedisCommand("BLPOP", "q", 0), RedisCommand("PING")])
        while try other.call("CLIENT", "UNBLOCK", waiting.id, "TIMEOUT").integer == 0 {}
        #expect(try waiting.receive() == .none)
        #expect(try waiting.receive().text == "PONG")
        try waiting.send([RedisCommand("BLPOP", "q", 0)])
        let error = #expect(throws: RedisError.self) {
            try waiting.receive(timeoutMilliseconds: 5)
        }
        #expect(error?.origin == .lost)
        #expect(!waiting.isOpen)
    }

    @Test("passwords and users, and a server that goes")
    func rights() throws {
        let server = try RedisServer(options: [
            "--user", "kim", "on", ">se/cret", "~*", "+@all", "-client|kill",
        ])
        let port = server.port
        let good = try RedisAddress("redis://kim:se%2Fcret@127.0.0.1:\(port)")
        let connection = try RedisConnection(good)
        #expect(try connection.call("ACL", "WHOAMI").text == "kim")
        let wrong = try RedisAddress("redis://kim:no@127.0.0.1:\(port)")
        let refused = #expect(throws: RedisError.self) { try RedisConnection(wrong) }
        #expect(refused?.refusal == "WRONGPASS")
        let denied = #expect(throws: RedisError.self) {
            try connection.call("CLIENT", "KILL", "ID", 1)
        }
        #expect(denied?.refusal == "NOPERM")
        try connection.call("SET", "kept", "yes")
        try server.stop()
        #expect(throws: RedisError.self) { try connection.call("GET", "kept") }
        #expect(!connection.isOpen)
        try server.start()
        #expect(try RedisConnection(good).call("GET", "kept").text == "yes")
    }
}
