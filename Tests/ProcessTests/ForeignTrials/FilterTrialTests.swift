import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@Suite("commands at other systems' stores", .serialized, .enabled(if: RedisServer.isInstalled))
struct FilterTrialTests {
    private static let ids = (1...12).map { "job\($0 < 10 ? "0" : "")\($0)-mail" }

    /// Twelve jobs of RQ that no worker takes, each with its number as argument.
    private static func jobs() throws -> RedisServer {
        let server = try RedisServer()
        let redis = try server.connect()
        try redis.call("SADD", "rq:queues", "rq:queue:mail")
        for (number, id) in ids.enumerated() {
            try redis.call(
                "HSET", "rq:job:\(id)", "status", "queued", "origin", "mail", "description",
                "tasks.run(\(number + 1))", "data", "[\"tasks.run\",null,[\(number + 1)],{}]")
            try redis.call("RPUSH", "rq:queue:mail", id)
        }
        return server
    }

    private static func shown(_ answer: ProgramAnswer) -> [String] {
        (answer.json["tasks"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    @Test("a filter for twins is refused, also where no task is")
    func twins() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let words = ["list", "mail", "--filter", "twin:", "--store", server.address()]
            for _ in 0..<2 {
                let answer = try place.sluice(words)
                #expect(
                    answer.code == 1
                        && answer.errors.contains("twin: finds tasks of a store of this program's"),
                    "\(answer)")
                try server.connect().call("DEL", "rq:queue:mail")
            }
        }
    }

    @Test("X1 a list of all states has the ended tasks too, and says whether there are more")
    func allStates() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let redis = try server.connect()
            for (id, state) in zip(Self.ids, ["failed", "finished", "canceled"]) {
                try redis.call("LREM", "rq:queue:mail", 0, id)
                try redis.call("HSET", "rq:job:\(id)", "status", state)
                try redis.call("ZADD", "rq:\(state):mail", 4_000_000_000, id)
            }
            let list = ["list", "--json", "--store", server.address()]
            let usual = try place.expecting(0, place.sluice(list))
            #expect(Self.shown(usual) == Self.ids[3...] + [Self.ids[0]], "\(usual)")
            let all = Self.ids[3...] + Self.ids[..<3]
            for more in [[], ["--filter", "type:tasks.run"]] {
                let answer = try place.expecting(
                    0, place.sluice(list + ["--state", "all"] + more))
                #expect(Self.shown(answer) == Array(all), "\(answer)")
            }
            for (limit, more) in [(10, true), (11, true), (12, false)] {
                let answer = try place.expecting(
                    0, place.sluice(list + ["--state", "all", "--limit", "\(limit)"]))
                #expect(Self.shown(answer) == Array(all.prefix(limit)))
                #expect(answer.json["more"] == .bool(more), "\(limit) \(answer)")
            }
        }
    }

    @Test("G7 a report tells all of a task of another system but what is left out")
    func report() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address()]
            try server.connect().call(
                "HSET", "rq:job:job03-mail", "data", #"["tasks.run",null,["kim@example.org"],{}]"#,
                "description", "tasks.run('kim@example.org')")
            let told = try place.expecting(
                0, place.sluice(["report", "job03", "--redact", "payload.args[0]"] + store))
            #expect(told.output.hasPrefix("# Task job03-mail `tasks.run`\n"))
            #expect(!told.output.contains("kim@example.org"))
            for part in [
                "- system: `RQ`", "- queue: `mail`", "## Payload", "[redacted]",
                "no worker of RQ serves mail: none is known", "- 2 times: `payload.args[0]`",
            ] {
                #expect(told.output.contains(part), "\(part)")
            }
            let both = try place.expecting(
                0,
                place.sluice(["report", "--filter", "payload.args[0]<=2", "--json"] + store))
            #expect(both.json["tasks"]?.array?.count == 2)
            #expect(both.json["report"]?.string?.hasPrefix("# 2 tasks\n") == true)
            let missing = try place.sluice(["report", "job01", "--redact", "payload.x"] + store)
            #expect(missing.code == 3 && missing.errors.contains("there is nothing at payload.x"))
            let none = try place.sluice(["report", "job99"] + store)
            #expect(none.code == 1 && none.errors.contains("there is no task"))
        }
    }

    @Test("D10 a filter selects by what a row says and by payloads; a dry run changes nothing")
    func filters() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address()]
            let filter = ["--filter", "payload.args[0]>=5 payload.args[0]<=7"]
            let list = try place.expecting(0, place.sluice(["list", "--json"] + filter + store))
            #expect(Self.shown(list) == Array(Self.ids[4...6]))
            let first = try place.expecting(
                0,
                place.sluice(
                    ["list", "mail", "--filter", "type:*", "--limit", "2", "--json"] + store))
            #expect(Self.shown(first) == Array(Self.ids[0...1]))
            #expect(first.json["more"]?.bool == true)
            let trial = try place.expecting(
                0, place.sluice(["skip", "--dry-run", "--json"] + filter + store))
            #expect(trial.json["matched"]?.integer == 3 && trial.json["dryRun"]?.bool == true)
            let unasked = try place.sluice(["skip"] + filter + store)
            #expect(unasked.code == 2 && unasked.errors.contains("add --yes"))
            let none = try place.expecting(
                0, place.sluice(["list", "--filter", "state:skipped", "--json"] + store))
            #expect(Self.shown(none).isEmpty)
            try place.expecting(0, place.sluice(["skip", "--yes"] + filter + store))
            let skipped = try place.expecting(
                0, place.sluice(["list", "--filter", "state:skipped", "--json"] + store))
            #expect(Self.shown(skipped) == Array(Self.ids[4...6]))
            // A task that the verb would not change is no match.
            try place.expecting(
                0, place.sluice(["unskip", "--filter", "type:*", "--yes"] + store))
            let all = try place.expecting(0, place.sluice(["list", "mail", "--json"] + store))
            #expect(Set(Self.shown(all)) == Set(Self.ids))
            let wrong = try place.sluice(["skip", "--filter", "stat:x"] + store)
            #expect(wrong.code == 2 && wrong.errors.contains("stat"))
        }
    }

    @Test("a beginning names a task where no other one begins so; commands say where")
    func beginnings() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address()]
            let one = try place.expecting(
                0, place.sluice(["show", "job03", "--json"] + store))
            #expect(one.json["id"]?.string == Self.ids[2])
            try place.expecting(0, place.sluice(["skip", "job03-"] + store))
            let several = try place.sluice(["skip", "job0", "--json"] + store)
            #expect(several.code == 1 && several.errors.contains("ambiguousTask"))
            let short = try place.sluice(["skip", "job"] + store)
            #expect(short.code == 1 && short.errors.contains("there is no task"))
            #expect(short.errors.contains("sluice list --store \(server.address()) shows"))
            let why = try place.expecting(0, place.sluice(["why", "job03"] + store))
            #expect(why.output.contains("sluice unskip --store \(server.address()) job03-mail"))
        }
    }

    @Test("doctor says who holds what, and the commands that go on with it and that give back")
    func doctor() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let address = server.address()
            let well = try place.expecting(0, place.sluice(["doctor", address]))
            #expect(well.output == "\(address): rq\nnothing is held\n")
            // A person held it from another machine, whose process died.
            try server.connect().call(
                "HSET", "{rq:queue:mail}:sluice:hold", "system", "rq", "queue", "mail", "recipe",
                "guards", "by", "kim@web1", "since", "1000", "reason", "")
            let told = try place.sluice(["doctor", address])
            #expect(told.code == 1)
            #expect(told.output.contains("mail (rq) is held by kim@web1: 0 held; the process"))
            for verb in ["pause", "resume"] {
                #expect(told.output.contains("sluice \(verb) --store \(address) mail "), "\(told)")
            }
            try place.expecting(0, place.sluice(["pause", "--store", address, "mail"]))
            let held = try place.expecting(0, place.sluice(["doctor", address, "--json"]))
            #expect(
                held.json["findings"]?[0]?.string
                    == "mail (rq) is held by kim@web1: 12 held; sluice resume mail gives back")
            try place.expecting(0, place.sluice(["resume", "--store", address, "mail"]))
            let repair = try place.sluice(["doctor", address, "--repair"])
            #expect(repair.code != 0 && repair.errors.contains("--repair is for stores of"))
        }
    }

    @Test(
        "an import finds what tables of another system are at a server without being told",
        .enabled(if: PostgresServer.isInstalled))
    func importOfTables() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try PostgresServer.shared(), try Workplace())
            let name = "import_\(server.newName())"
            try server.run("CREATE DATABASE \(name)")
            let store = ["--store", place.file("copy.db")]
            let empty = try place.sluice(["import", server.address(name)] + store)
            #expect(empty.code == 2 || empty.code == 1)
            #expect(empty.errors.contains("holds none of"), "\(empty)")
            let schema = try Files.read(
                "\(PythonPackages.programs)/Schemas/que.sql", limitBytes: 1 << 20)
            let text = String(decoding: schema, as: UTF8.self)
            for part in text.split(separator: "-- part\n") {
                try server.run(String(part), in: name)
            }
            try server.run(
                """
                INSERT INTO que_jobs (job_class, job_schema_version)
                SELECT 'Welcome', 2 FROM generate_series(1, 3)
                """, in: name)
            let found = try place.expecting(
                0, place.sluice(["import", server.address(name), "--json"] + store))
            #expect(found.json["added"]?.integer == 3, "\(found)")
        }
    }

    @Test("X1 a blocked job is blocked in an import too, with its reason and a known end")
    func importOfBlocked() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let redis = try server.connect()
            let (waiting, failed) = (Self.ids[1], Self.ids[0])
            for id in [waiting, failed] { try redis.call("LREM", "rq:queue:mail", 0, id) }
            try redis.call("HSET", "rq:job:\(failed)", "status", "failed")
            try redis.call("ZADD", "rq:failed:mail", 1_769_868_202, failed)
            try redis.call(
                "HSET", "rq:job:\(waiting)", "status", "deferred", "dependency_ids",
                "[\"\(failed)\"]")
            try redis.call("ZADD", "rq:deferred:mail", 1_769_868_202, waiting)
            let store = ["--store", place.file("copy.db")]
            try place.expecting(
                0, place.sluice(["import", server.address(), "--as", "rq"] + store))
            let listed = try place.expecting(
                0, place.sluice(["list", "--filter", "state:blocked", "--json"] + store))
            let id = try #require(listed.json["tasks"]?[0]?["id"]?.integer)
            #expect(listed.json["tasks"]?.array?.count == 1)
            let why = try place.expecting(0, place.sluice(["why", "\(id)"] + store))
            let reason = "RQ blocked it: it depends on \(failed) (failed)  (sluice retry \(id))"
            #expect(why.output.contains(reason), "\(why.output)")
            let ended = try place.expecting(0, place.sluice(["list", "--state", "failed"] + store))
            #expect(!ended.output.contains("20"), "\(ended.output)")
        }
    }

    @Test(
        "each id that a list shows is taken at a server without the system's name",
        .enabled(if: PostgresServer.isInstalled))
    func idsAtServer() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try PostgresServer.shared(), try Workplace())
            let name = "ids_\(server.newName())"
            try server.run("CREATE DATABASE \(name)")
            let rows = try Files.read(
                "\(Project.folder)/Tests/ForeignQueuesTests/Fixtures/rows-djangoq-postgres.sql",
                limitBytes: 1 << 20)
            try server.run(String(decoding: rows, as: UTF8.self), in: name)
            let store = ["--store", server.address(name)]
            let listed = try place.expecting(
                0, place.sluice(["list", "--state", "failed", "--json"] + store))
            let ids = (listed.json["tasks"]?.array ?? []).compactMap { $0["id"]?.string }
            #expect(!ids.isEmpty)
            for id in ids {
                let shown = try place.expecting(0, place.sluice(["show", id, "--json"] + store))
                #expect(shown.json["id"]?.string == id)
            }
            let none = try place.sluice(["show", "zzz", "--store", place.file("none.db")])
            #expect(none.code == 2 && none.errors.contains("is not allowed"), "\(none)")
        }
    }

    @Test("an import of a system that has no queue there says so and makes nothing")
    func importOfAnother() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = place.file("copy.db")
            let words = ["import", server.address(), "--store", store, "--as"]
            let refused = try place.sluice(words + ["celery"])
            #expect(refused.code == 2 && refused.errors.contains("has no queue of celery"))
            #expect(!Files.exists(store))
            let copied = try place.expecting(0, place.sluice(words + ["rq", "--json"]))
            #expect(copied.json["added"]?.integer == 12)
        }
    }

    @Test("D9 the undo after one that came too late is of the change before")
    func lateUndo() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address(), "--by", "dana"]
            for words in [["delete", Self.ids[2]], ["skip", Self.ids[0], Self.ids[1]]] {
                try place.expecting(0, place.sluice(words + store))
            }
            let redis = try server.connect()
            try redis.call("DEL", "{rq:queue:mail}:sluice:skipped")
            let late = try place.sluice(["undo"] + store)
            #expect(late.code == 1)
            #expect(late.errors.contains("skip of task \(Self.ids[1]) is not undone"))
            let answer = try place.expecting(0, place.sluice(["undo"] + store))
            #expect(answer.output.contains("delete is undone"), "\(answer)")
        }
    }

    @Test("who leaves the console is told which queues stay held")
    func leaving() async throws {
        try await Workplace.onOwnThread {
            let (server, place) = (try Self.jobs(), try Workplace())
            let store = ["--store", server.address(), "--by", "dana"]
            try place.expecting(0, place.sluice(["pause", "mail"] + store))
            // Held tasks are due. The hold is a property of their queue.
            let list = try place.expecting(0, place.sluice(["list", "mail", "--json"] + store))
            #expect(list.json["tasks"]?[3]?["display"]?.string == "due")
            // A step takes the first one.
            #expect(list.json["tasks"]?[0]?["display"]?.string == "next")
            let console = try TerminalSession(
                BuiltProgram.path(), [server.address()],
                environment: ["HOME=\(place.path)", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
                columns: 140, rows: 36)
            try console.wait(forText: "paused by dana", timeoutSeconds: 60)
            try console.send("q")
            try console.wait(forText: "mail stays held by dana, 12 held", timeoutSeconds: 60)
            #expect(try console.waitForExit() == .code(0))
            try place.expecting(0, place.sluice(["resume", "mail"] + store))
        }
    }
}
