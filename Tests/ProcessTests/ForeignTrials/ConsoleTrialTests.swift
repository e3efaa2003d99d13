import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("the console at other systems' own workers", .serialized, .enabled(if: TrialSize.canRun))
struct ConsoleTrialTests {
    @Test(
        "X2 X3 by keys a queue is held, stepped one task at a time, and given back",
        arguments: TrialSize.isWhole ? Trial.System.all : Trial.System.few)
    func keys(system: Trial.System) async throws {
        try await Workplace.onOwnThread { try Self.tryKeys(Trial(system)) }
    }

    @Test("K8 a server that goes and comes back is shown again")
    func server() throws {
        let server = try RedisServer(options: ["--appendonly", "yes"])
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        try redis.call("RPUSH", "rq:queue:mail", "a", "b")
        for id in ["a", "b"] {
            try redis.call("HSET", "rq:job:\(id)", "status", "queued", "origin", "mail")
        }
        let console = try TerminalSession(
            BuiltProgram.path(), [server.address()],
            environment: ["HOME=\(server.folder)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 120, rows: 36)
        try console.wait(forText: "row 1 of 2", timeoutSeconds: 60)
        try server.stop()
        try console.wait(forText: "server away", timeoutSeconds: 60)
        try server.start()
        try server.connect().call("RPUSH", "rq:queue:mail", "c")
        try console.wait(forText: "row 1 of 3", timeoutSeconds: 60)
        #expect(try !console.screen.text.contains("server away"))
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    /// Three jobs of RQ that no worker takes.
    private static func jobs() throws -> RedisServer {
        let server = try RedisServer(options: ["--appendonly", "yes"])
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        for id in ["a", "b", "c"] {
            try redis.call("HSET", "rq:job:\(id)", "status", "queued", "origin", "mail")
            try redis.call("RPUSH", "rq:queue:mail", id)
        }
        return server
    }

    @Test("D10 what is tried out changes nothing, and an option that means nothing is refused")
    func options() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address()]
            let trial = try place.expecting(0, place.sluice(["skip", "a", "--dry-run"] + store))
            #expect(trial.output.contains("1 task would be skipped: a"))
            let list = try place.expecting(0, place.sluice(["list", "mail", "--json"] + store))
            #expect(list.json["tasks"]?.array?.count == 3)
            #expect(list.json["tasks"]?[0]?["display"]?.string != "skipped")
            let over = try place.sluice(["retry", "a", "--over", "1m"] + store)
            #expect(over.code != 0 && over.errors.contains("--over is for stores"))
            let help = try place.sluice(
                ["help", "skip"], environment: ["SLUICE_STORE=\(server.address())"])
            #expect(help.code == 0 && help.output.contains("skip"))
        }
    }

    private static func open(_ server: RedisServer) throws -> TerminalSession {
        let console = try TerminalSession(
            BuiltProgram.path(), [server.address()],
            environment: ["HOME=\(server.folder)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 120, rows: 36)
        try console.wait(forText: "row 1 of 3", timeoutSeconds: 60)
        return console
    }

    @Test("D9 one undo takes back all that one verb did")
    func undo() throws {
        let server = try Self.jobs()
        let console = try Self.open(server)
        try console.send("  ")
        try console.wait(forText: "2 tasks are marked", timeoutSeconds: 60)
        try console.send("x")
        try console.wait(forText: "allow changes to rq at \(server.address())")
        try console.send("y")
        try console.wait(forText: "skipped 2", timeoutSeconds: 60)
        try console.send("z")
        try console.wait(forText: "due 3", timeoutSeconds: 60)
        try console.wait(forText: "of 2 tasks", timeoutSeconds: 60)
        // Undo reverts only the later command.
        try console.send("g  ")
        try console.wait(forText: "2 tasks are marked", timeoutSeconds: 60)
        try console.send("x")
        try console.wait(forText: "skipped 2", timeoutSeconds: 60)
        try console.send(":delete c\r")
        try console.wait(forText: "1 task deleted: c", timeoutSeconds: 60)
        try console.send("z")
        try console.wait(forText: "due 1", timeoutSeconds: 60)
        #expect(try console.screen.text.contains("skipped 2"))
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    @Test("K5 a queue of another system with skipped tasks alone is blocked, and needs no run")
    func skippedAlone() throws {
        let server = try Self.jobs()
        let console = try Self.open(server)
        try console.send(":skip a b c\r")
        try console.wait(forText: "in this session?", timeoutSeconds: 60)
        try console.send("y")
        try console.wait(forText: "skipped 3", timeoutSeconds: 60)
        try console.wait(forText: "mail  ○ blocked", timeoutSeconds: 60)
        #expect(try !console.screen.text.contains("no run"))
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    @Test("G7 Y takes the report of a task of another system; an empty queue says who fills it")
    func report() throws {
        let server = try Self.jobs()
        let console = try Self.open(server)
        try console.send("Y")
        try console.wait(forText: "report of a", timeoutSeconds: 60)
        let redis = try server.connect()
        try redis.call("DEL", "rq:queue:mail")
        try console.wait(forText: "New tasks of rq appear here as they come", timeoutSeconds: 60)
        #expect(try !console.screen.text.contains("sluice enqueue"))
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    @Test("F1 Tab completes places in payloads of another system's tasks")
    func places() throws {
        let server = try Self.jobs()
        try server.connect().call("HSET", "rq:job:a", "data", #"["tasks.run",null,[7],{"seat":4}]"#)
        let console = try Self.open(server)
        try console.send("/payload.kwa\t")
        try console.wait(forText: "payload.kwargs.", timeoutSeconds: 60)
        try console.send("\u{1B}")
        try console.wait("the end of the question", timeoutSeconds: 60) {
            $0.position(of: "payload.kwargs.") == nil
        }
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
    }

    private static func tryKeys(_ trial: Trial) throws {
        let first = try trial.send(1, 1)
        try trial.wait(for: "the first task runs") { trial.log == [1] }
        try first.answer()
        try trial.send(2, 1).answer()
        try trial.wait(for: "the second task runs") { trial.log == [1, 2] }
        try trial.place.expecting(0, trial.sluice(["pause", trial.system.queue]))
        try trial.send(100, 3).answer()
        let console = try TerminalSession(
            BuiltProgram.path(), [trial.store, "--as", trial.system.asked, "--by", "dana"],
            environment: ["HOME=\(trial.place.path)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
            columns: 140, rows: 40)
        if trial.system.isAtRabbit {
            // Queues of Celery itself come first by their names.
            try console.wait(forText: trial.system.queue, timeoutSeconds: 60)
            try console.send(":\(trial.system.queue)\r")
        }
        try console.wait(forText: "paused by dana", timeoutSeconds: 60)
        try console.wait(forText: "due 3", timeoutSeconds: 60)
        #expect(try console.screen.text.contains(trial.system.asked))
        try console.send("7")
        try console.wait(forText: "last hour of", timeoutSeconds: 30)
        #expect(try !console.screen.text.contains(" ok "))
        try console.send("1")
        try console.wait(forText: "row 1 of 3", timeoutSeconds: 30)
        // The console refuses other verbs with the reason.
        try console.send("E")
        try console.wait(forText: "is for stores of this program's own", timeoutSeconds: 30)
        for left in [2, 1] {
            try console.send("s")
            if left == 2 {
                try console.wait(forText: "in this session?")
                try console.send("y")
            }
            try trial.wait(for: "a task runs") { trial.log.count == 5 - left }
            try console.wait(forText: "due \(left)", timeoutSeconds: 60)
            // If success leaves no trace, the step outlives its task, and no other step begins.
            try console.wait("the step's end", timeoutSeconds: 60) {
                $0.position(of: "under way") == nil
            }
            #expect(trial.log.count == 5 - left)
        }
        // The console counts the ends of both steps. Its system may end a task of the time before
        // the hold later, which is a third end.
        _ = try console.wait("the ends of both steps", timeoutSeconds: 30) { screen in
            ["2", "3"].contains { screen.position(of: "in 10m: ended ~\($0)") != nil }
        }
        try console.send("r")
        try trial.wait(for: "the rest runs") { trial.log.count == 5 }
        // Which comes next is their system's to say: some of them have priorities.
        #expect(Set(trial.log) == [1, 2, 100, 101, 102])
        try console.send("q")
        #expect(try console.waitForExit() == .code(0))
        try trial.end()
    }
}
