import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("verbs on many tasks of other systems", .serialized, .enabled(if: RedisServer.isInstalled))
struct BulkTrialTests {
    /// Jobs of RQ that failed in the same way.
    private static func failed(_ count: Int) throws -> RedisServer {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        for number in 0..<count {
            let id = "job\(10 + number)-mail"
            try redis.call(
                "HSET", "rq:job:\(id)", "status", "failed", "origin", "mail", "description",
                "tasks.run(\(number))", "data", "[\"tasks.run\",null,[\(number)],{}]", "exc_info",
                "ValueError: boom")
            try redis.call("ZADD", "rq:failed:mail", number + 1, id)
        }
        return server
    }

    private static func console(_ server: RedisServer) throws -> TerminalSession {
        try TerminalSession(
            BuiltProgram.path(), [server.address(), "--by", "dana"],
            environment: ["HOME=\(server.folder)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 120, rows: 36)
    }

    @Test("D10 K9 R on a row of failures asks in the console's own line, and z takes all back")
    func failures() throws {
        let server = try Self.failed(12)
        let redis = try server.connect()
        let console = try Self.console(server)
        try console.wait(forText: "row 1 of 12", timeoutSeconds: 60)
        try console.send("5")
        try console.wait(forText: "R retries 12", timeoutSeconds: 60)
        try console.send("R")
        try console.wait(forText: "in this session?")
        try console.send("y")
        try console.wait(forText: "retry 12 tasks?", timeoutSeconds: 30)
        #expect(try redis.call("LLEN", "rq:queue:mail").integer == 0)
        try console.send("y")
        try console.wait(forText: "12 tasks · done", timeoutSeconds: 60)
        #expect(try redis.call("LLEN", "rq:queue:mail").integer == 12)
        try console.send("z")
        try console.wait(forText: "of 12 tasks", timeoutSeconds: 60)
        #expect(try redis.call("ZCARD", "rq:failed:mail").integer == 12)
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    @Test("D10 D9 a filter of the console's line means tasks of several systems; z takes all back")
    func systems() throws {
        let server = try Self.failed(2)
        let redis = try server.connect()
        try redis.call("SADD", "queues", "news")
        try redis.call("SET", "stat:processed", 1)
        for id in ["a1", "a2"] {
            let job = #"{"class":"Welcome","queue":"news","jid":"\#(id)","args":[],"retry":true}"#
            try redis.call("ZADD", "dead", 1, job)
        }
        func failed() throws -> [Int64?] {
            try [
                redis.call("ZCARD", "rq:failed:mail").integer, redis.call("ZCARD", "dead").integer,
            ]
        }
        let console = try Self.console(server)
        try console.wait(forText: "row 1 of 2", timeoutSeconds: 60)
        try console.send(":retry --filter state:failed\r")
        try console.wait(forText: "in this session?")
        try console.send("y")
        try console.wait(forText: "4 tasks · done", timeoutSeconds: 60)
        #expect(try failed() == [0, 0])
        try console.send("z")
        try console.wait(forText: "of 4 tasks", timeoutSeconds: 60)
        #expect(try failed() == [2, 2])
        // The console accepts no other store.
        try console.send(":retry --filter state:failed --store \(server.address(database: 1))\r")
        try console.wait(forText: "holds none of", timeoutSeconds: 30)
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    @Test("what a bulk did is told by how many, in its word, then the first; what it left apart")
    func told() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.failed(42), try Workplace())
            let store = ["--store", server.address()]
            try server.connect().call("ZADD", "rq:failed:mail", 99, "gone-mail")
            let retried = try place.sluice(["retry", "--filter", "state:failed", "--yes"] + store)
            let lines = retried.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "42 tasks retried: job10-mail job11-mail job12-mail …")
            #expect(lines.last?.hasPrefix("left alone: gone-mail: there is no task") == true)
            #expect(lines.count == 3 && retried.code == 3, "\(retried)")
            let one = try place.expecting(0, place.sluice(["delete", "job10-mail"] + store))
            #expect(one.output == "1 task deleted: job10-mail\n")
            let trial = try place.expecting(
                0, place.sluice(["skip", "--filter", "type:*", "--dry-run"] + store))
            #expect(trial.output.hasPrefix("41 tasks would be skipped: job11-mail "), "\(trial)")
            #expect(trial.output.hasSuffix("\nnothing was changed\n"), "\(trial)")
        }
    }

    @Test("the answer of a hold says once how many lie aside")
    func aside() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.failed(3), try Workplace())
            let store = ["--store", server.address()]
            try place.expecting(
                0, place.sluice(["retry", "--filter", "state:failed", "--yes"] + store))
            let held = try place.expecting(0, place.sluice(["pause", "mail"] + store))
            let told = held.output.split(separator: "\n").filter { $0.contains("3 held") }
            #expect(told.count == 1 && told[0].contains("3 held, by blocking keys"), "\(held)")
            try place.expecting(0, place.sluice(["resume", "mail"] + store))
        }
    }
}
