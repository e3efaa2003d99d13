import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// An application at a server that uses only the inbox table, with workers in other processes. It
/// uses psql and a role limited to INSERT.
@Suite(
    "end to end: inbox at a server", .serialized, .enabled(if: PostgresServer.isInstalled))
struct ServerInboxTests {
    /// A store in a separate database.
    private struct Site {
        let server: PostgresServer
        let place: Workplace
        let database: String
        let role: String

        init() throws {
            (server, place) = (try PostgresServer.shared(), try Workplace())
            database = server.newName()
            role = "app_\(database)"
            try server.run("CREATE DATABASE \(database)")
            try json(["init"])
            try server.run(
                """
                CREATE ROLE \(role) LOGIN;
                GRANT USAGE ON SCHEMA sluice TO \(role);
                GRANT INSERT ON sluice.inbox TO \(role);
                CREATE TABLE public.kept (n BIGINT);
                GRANT INSERT ON public.kept TO \(role)
                """, in: database)
        }

        private var named: [String] { ["--store", server.address(database)] }

        func start(_ statements: String) throws -> RunningProgram {
            let folder = try #require(PostgresServer.programs)
            return try place.start(
                "\(folder)/psql",
                ["-Xqv", "ON_ERROR_STOP=1", server.address(database, role: role)],
                input: statements)
        }

        func run(_ statements: String) throws {
            try place.expecting(0, start(statements).answer())
        }

        @discardableResult
        func json(_ words: [String]) throws -> JSONValue { try place.json(words + named) }

        func work(_ words: [String] = []) throws -> RunningProgram {
            let worker = try place.start(
                ["work", "--handlers", place.file("handlers.json")] + named + words)
            try place.wait(for: "a worker's attachment") {
                worker.errors.contains("is attached") || !worker.isRunning
            }
            return worker
        }

        func count(_ queue: String, _ state: String) throws -> Int64 {
            let queues = try json(["queues"])["queues"]?.array
            let found = queues?.first { $0["name"]?.string == queue }
            return found?["counts"]?[state]?.integer ?? 0
        }
    }

    @Test("T4 P7 a worker that sleeps is woken by an application's commit, within 100 ms")
    func wake() async throws {
        try await Workplace.onOwnThread {
            let site = try Site()
            try site.place.write(
                #"{"handlers":{"*":{"command":["sh","-c","cat >>ran"]}}}"#, to: "handlers.json")
            _ = try site.work()
            var waits: [Int64] = []
            for number in 1...Int64(Soak.count(15, soak: 300)) {
                try site.run(
                    "INSERT INTO sluice.inbox (queue, type, payload) VALUES ('mail', 'job', '.')")
                try site.place.wait(for: "task \(number)") {
                    site.place.text("ran").count == number
                }
                let log = try site.json(["show", "\(number)"])
                let start = log["attemptLog"]?[0]?["startedAt"]?.string
                waits.append(try moment(start) - moment(log["createdAt"]?.string))
            }
            waits.sort()
            print("woken by another's commit at a server after \(waits) ms")
            #expect(waits[waits.count / 2] <= 100)
        }
    }

    private func moment(_ text: String?) throws -> Int64 {
        let epoch = Timestamp(milliseconds: 0)
        return try #require(text.flatMap { TimeText.moment($0, now: epoch) }).milliseconds
    }

    @Test("T4 P2 P7 YTQ-17 of four programs what is kept runs, and nothing else, as workers die")
    func kept() async throws {
        try await Workplace.onOwnThread {
            let seed = Soak.seed()
            var chance = SeededChance(seed: seed)
            let (rows, kills) = (Soak.count(240, soak: 100_000), Soak.count(3, soak: 40))
            // Each check reads the results again.
            let burst = Soak.count(20, soak: 1000)
            let site = try Site()
            let place = site.place
            try place.write(
                #"{"handlers":{"*":{"command":["sh","-c","cat >>ran"]}}}"#, to: "handlers.json")
            try site.json([
                "queue", "set", "line", "--concurrency", "8", "--retry", "fixed(0s)",
                "--attempts", "none", "--keep-finished", "\(rows)",
            ])
            var workers = [try site.work(["--slots", "8"]), try site.work(["--slots", "8"])]
            var (kept, given) = (Set<Int>(), 0)
            let programs = try (0..<4).map { program in
                var script = ""
                for number in stride(from: program, to: rows, by: 4) {
                    let isKept = chance.number(1...100) > 20
                    if isKept { kept.insert(number) } else { given += 1 }
                    script += """
                        BEGIN;
                        INSERT INTO sluice.inbox (queue, type, payload)
                            VALUES ('line', 'job', E'\(number)\\n');
                        INSERT INTO public.kept VALUES (\(number));
                        \(isKept ? "COMMIT" : "ROLLBACK");

                        """
                }
                return try site.start(script)
            }
            func ran() -> [Int] { place.text("ran").split(separator: "\n").compactMap { Int($0) } }
            for kill in 1...kills {
                let goal = kept.count * kill / (kills + 2)
                try place.wait(for: "progress", burstMilliseconds: burst) { ran().count >= goal }
                let victim = chance.number(0...1)
                place.kill([workers[victim].processID])
                _ = try workers[victim].answer()
                workers[victim] = try site.work(["--slots", "8"])
            }
            for program in programs { try place.expecting(0, program.answer(withinSeconds: 3600)) }
            try place.wait(for: "the last task", seconds: 3600, burstMilliseconds: burst) {
                Set(ran()).count >= kept.count
            }
            try place.wait(for: "its end", burstMilliseconds: 20) {
                try site.count("line", "succeeded") == kept.count
            }
            let ends = ran()
            print(
                "inbox at a server, seed \(seed): \(rows) rows, \(given) rolled back, \(kills) "
                    + "workers killed, \(ends.count) executions of \(kept.count) tasks")
            #expect(Set(ends) == kept)
            #expect(ends.count <= kept.count + kills * 8)
            let noted = try site.server.value(of: "SELECT count(*) FROM kept", in: site.database)
            #expect(noted == "\(kept.count)")
            for state in ["waiting", "running", "failed"] {
                #expect(try site.count("line", state) == 0)
            }
            let left = "SELECT count(*) FROM sluice.inbox"
            #expect(try site.server.value(of: left, in: site.database) == "0")
        }
    }
}
