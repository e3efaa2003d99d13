import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("what commands refuse at other systems' stores", .enabled(if: RedisServer.isInstalled))
struct RefusalTrialTests {
    /// Two jobs of RQ that no worker takes.
    private static func jobs() throws -> RedisServer {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        for id in ["job1-mail", "job2-mail"] {
            try redis.call(
                "HSET", "rq:job:\(id)", "status", "queued", "origin", "mail", "data",
                #"["tasks.run",null,[1],{}]"#)
            try redis.call("RPUSH", "rq:queue:mail", id)
        }
        return server
    }

    @Test("D10 an option that means nothing there is refused by its name, and nothing is done")
    func options() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address()]
            func state() throws -> [String] {
                let redis = try server.connect()
                return try redis.call("KEYS", "*").array.compactMap(\.text).sorted()
                    + redis.call("LRANGE", "rq:queue:mail", "0", "-1").array.compactMap(\.text)
            }
            let before = try state()
            let refused: [(words: [String], option: String)] = [
                (["skip", "job1-mail", "--for", "1m"], "--for"),
                (["delete", "job1-mail", "--cancel"], "--cancel"),
                (["delete", "job1-mail", "--store-name", "x"], "--store-name"),
                (["retry", "job1-mail", "--over", "5m"], "--over"),
                (["postpone", "job1-mail", "+1h", "--over", "5m"], "--over"),
                (["move", "job1-mail", "--queue", "other"], "--queue"),
                (["edit", "job1-mail", "--set", "label=x"], "--set"),
                (["step", "mail", "--handlers", "none.json"], "--handlers"),
                (["step", "--back"], "--back"), (["resume", "mail", "--breakpoints"], "--breakp"),
                (["doctor", "--quick"], "--quick"), (["doctor", "--repair"], "--repair"),
                (["queues", "--chart"], "--chart"),
                (["list", "--at", "3"], "--at"), (["show", "job1-mail", "--at", "3"], "--at"),
                (["report", "job1-mail", "--at", "3"], "--at"),
                (["skip", "--filter", "type:none", "--yes", "--for", "1m"], "--for"),
            ]
            for (words, option) in refused {
                let answer = try place.sluice(words + store)
                #expect(answer.code == 1, "\(words)")
                #expect(
                    answer.errors.contains("\(option)")
                        && answer.errors.contains("for stores of this program's own"),
                    "\(words): \(answer.errors)")
            }
            for words in [["pause", "mail", "--for", "1m"], ["pause", "--all"]] {
                let answer = try place.sluice(words + store)
                #expect(answer.code == 1 && answer.errors.contains("sluice: "), "\(words)")
            }
            #expect(try state() == before)
        }
    }

    @Test(
        "a command that is not for other systems says so, and which ones are",
        arguments: [
            ["purge", "job1-mail"], ["groups", "mail"], ["stats"],
            ["enqueue", "mail", "t"], ["watch"], ["log", "--follow"], ["work"],
            ["break", "queue:mail"], ["export", "copy.jsonl"], ["init"],
        ])
    func commands(words: [String]) async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let answer = try place.sluice(words + ["--store", server.address()])
            #expect(answer.code == 1, "\(answer)")
            #expect(answer.errors.contains("\(words[0]): not at a store of rq"), "\(answer)")
            #expect(answer.errors.contains("doctor and report are"), "\(answer)")
        }
    }

    @Test("a command of two words is refused by both")
    func guardCommand() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let words = ["guard", "set", "mail", "--store", server.address()]
            let answer = try place.sluice(words)
            #expect(answer.code == 1, "\(answer)")
            #expect(answer.errors.contains("guard set: not at a store of rq"), "\(answer)")
        }
    }

    @Test("D8 --read-only refuses every change there, and tries out what would be done")
    func readOnly() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address(), "--read-only"]
            let verbs = [
                ["pause", "mail"], ["resume", "mail"], ["step", "mail"], ["skip", "job1-mail"],
                ["undo"], ["skip", "--filter", "type:*", "--yes"],
            ]
            for words in verbs {
                let answer = try place.sluice(words + store)
                #expect(answer.code == 1 && answer.errors.contains("for reading only"), "\(words)")
            }
            let trial = try place.expecting(
                0, place.sluice(["skip", "job1-mail", "--dry-run", "--json"] + store))
            #expect(trial.json["changed"]?[0]?.string == "job1-mail")
            #expect(try server.connect().call("LLEN", "rq:queue:mail").integer == 2)
        }
    }

    @Test("the answers of verbs and steps name tasks by their own ids, in the contract's shapes")
    func shapes() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address(), "--json"]
            let skipped = try place.sluice(["skip", "job1-mail", "gone-mail"] + store)
            #expect(skipped.code == 3)
            #expect(skipped.json["changed"]?[0]?.string == "job1-mail")
            #expect(skipped.json["failed"]?[0]?["id"]?.string == "gone-mail")
            #expect(skipped.json["failed"]?[0]?["code"]?.string == "unknownTask")
            #expect(skipped.json["undo"] == .null)
            let undone = try place.expecting(0, place.sluice(["undo"] + store))
            #expect(undone.json["changed"]?[0]?.string == "job1-mail")
            try place.expecting(0, place.sluice(["skip", "job1-mail", "job2-mail"] + store))
            let both = try place.expecting(0, place.sluice(["undo"] + store))
            #expect(both.json["changed"]?.array?.count == 2)
            try place.expecting(0, place.sluice(["pause", "mail"] + store))
            let step = try place.sluice(["step", "--task", "job1-mail"] + store)
            #expect(step.code == 1 && step.errors.contains("no worker of mail took job1-mail"))
            let moved = try place.expecting(
                0, place.sluice(["move", "job1-mail", "--after", "job2"] + store))
            #expect(moved.json["changed"]?[0]?.string == "job1-mail")
            let list = try place.expecting(0, place.sluice(["list", "mail"] + store))
            let order = (list.json["tasks"]?.array ?? []).compactMap { $0["id"]?.string }
            #expect(order == ["job2-mail", "job1-mail"])
            try place.expecting(0, place.sluice(["resume", "mail"] + store))
        }
    }

    @Test("B9 why a task waits is told in the words of its system, with no command of other stores")
    func words() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let console = try TerminalSession(
                BuiltProgram.path(), [server.address()],
                environment: ["HOME=\(place.path)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
                columns: 120, rows: 36)
            try console.wait(forText: "row 1 of 2", timeoutSeconds: 60)
            try console.send("\r")
            try console.wait(forText: "no worker of RQ serves mail", timeoutSeconds: 60)
            #expect(try !console.screen.text.contains("sluice work"))
            try console.send("qq")
            #expect(try console.waitForExit() == .code(0))
            let expected = try place.sluice(
                ["expect", "count(state:waiting) = 3", "--store", server.address()])
            #expect(expected.code == 4 && expected.output.contains("job1"), "\(expected)")
            #expect(!expected.output.contains("sluice work"), "\(expected)")
        }
    }

    @Test("B9 each queue that no worker serves says so, the selected one and the others")
    func unserved() throws {
        let server = try Self.jobs()
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:news")
        try redis.call("HSET", "rq:job:job3-news", "status", "queued", "origin", "news")
        try redis.call("RPUSH", "rq:queue:news", "job3-news")
        let console = try TerminalSession(
            BuiltProgram.path(), [server.address()],
            environment: ["HOME=\(server.folder)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 120, rows: 36)
        try console.wait("two queues without a worker", timeoutSeconds: 60) { screen in
            ["mail", "news"].allSatisfy { name in
                screen.text.split(separator: "\n").contains {
                    $0.contains(" \(name) ") && $0.prefix(34).contains("no worker")
                }
            }
        }
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    @Test("X4 a queue that holds nothing any more is given back, beside another system's")
    func emptied() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let redis = try server.connect()
            let message =
                #"{"queue_name":"def","actor_name":"f","args":[],"kwargs":{},"#
                + #""options":{"redis_message_id":"m1"},"message_id":"m1","message_timestamp":1}"#
            try redis.call("HSET", "dramatiq:def.msgs", "m1", message)
            try redis.call("RPUSH", "dramatiq:def", "m1")
            let store = ["--store", server.address()]
            for words in [["pause", "def"], ["delete", "m1"]] {
                try place.expecting(0, place.sluice(words + store))
            }
            let given = try place.sluice(["resume", "def"] + store)
            #expect(given.code == 0, "\(given)")
        }
    }

    @Test("at a terminal --json tells the queues, and opens no console")
    func json() throws {
        let server = try Self.jobs()
        let session = try TerminalSession(
            BuiltProgram.path(), [server.address(), "--json"],
            environment: ["HOME=\(server.folder)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 120, rows: 36)
        try session.wait(forText: #"{"queues":[{"name":"mail""#, timeoutSeconds: 60)
        #expect(try session.waitForExit() == .code(0))
    }
}
