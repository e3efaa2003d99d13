import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Failures that are not final")
struct RetryingTests {
    /// Three tasks of `mail` that wait for a retry, by two kinds of error, and one that is due.
    private func bench() throws -> Bench {
        let bench = Bench()
        for _ in 1...4 { _ = bench("enqueue mail send") }
        try bench.store.writeBlocking { writer in
            var tasks = try writer.tasks([1, 2, 3])
            let errors = ["HTTP 503 from\n relay-1", "HTTP 502 from\n relay-7", "timed out"]
            for (place, error) in errors.enumerated() {
                tasks[place].lastError = error
                tasks[place].attempts = 1
                tasks[place].state = .waiting(
                    Waiting(
                        timer: WaitTimer(
                            until: Bench.start + 60_000, cause: .retry, since: Bench.start)))
            }
            try writer.update(tasks)
        }
        return bench
    }

    @Test("failures says how many wait for a retry, with the command that tells them")
    func offered() throws {
        let output = try bench()("failures mail").output
        let lines = output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].contains("RETRYING"), "\(output)")
        #expect(lines[1].contains("HTTP # from relay-#") && lines[2].contains("timed out"))
        #expect(lines[3] == "3 wait for a retry: sluice failures mail --retrying")
        let json = try bench()("failures mail --json").json
        #expect(json["failures"]?[0]?["count"] == 0 && json["failures"]?[0]?["retrying"] == 2)
        #expect(json["failures"]?[0]?["retryingFilter"] == json["failures"]?[0]?["filter"])
    }

    @Test("F5 queues says that a queue is failing, as the screen does")
    func failing() throws {
        let bench = try bench()
        #expect(bench("queue set mail --retry fixed(1h)").exit == .done)
        for _ in 5...16 { _ = bench("enqueue mail send") }
        try bench.store.transactBlocking(at: Bench.start) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                attachedAt: Bench.start)
            process.slots = 1
            let runner = try mutation.attach(process).id
            for _ in 1...11 {
                let claim = ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0)
                let task = try #require(try mutation.claim(claim).first).task
                let done = Completion(
                    task: task.id, token: task.running?.token ?? 0,
                    ending: .handler(.retry(afterMilliseconds: nil, error: "HTTP 503")))
                _ = try mutation.settle([done])
            }
        }
        func state() -> Substring? {
            let row = bench("queues").output.split(separator: "\n")[1]
            return row.split(separator: " ").dropFirst(2).first
        }
        #expect(state() == "failing", "\(bench("queues").output)")
        #expect(bench("queues --json").json["queues"]?[0]?["state"] == "running")
        bench.clock.withLock { $0 = $0 + 1_200_000 }
        #expect(state() == "running")
        _ = bench("pause mail")
        #expect(state() == "paused")
    }

    @Test("failures --retrying says since when they fail")
    func since() throws {
        let bench = try bench()
        bench.clock.withLock { $0 = $0 + 30_000 }
        let row = try #require(bench("failures mail --retrying --json").json["failures"]?[0])
        #expect(row["since"]?.string == TimeText.rfc3339(Bench.start))
        #expect(row["sinceEstimated"] == false)
        let lines = bench("failures mail --retrying").output.split(separator: "\n")
        #expect(lines[1].split(separator: " ").dropFirst(2).first == "30s", "\(lines)")
    }

    @Test("a task whose retry is due is still counted, until it starts", arguments: [false, true])
    func isDue(isWoken: Bool) throws {
        let bench = try bench()
        #expect(bench("pause mail").exit == .done)
        bench.clock.withLock { $0 = $0 + 61_000 }
        if isWoken {
            try bench.store.writeBlocking { writer in
                try writer.update(
                    try writer.tasks([1, 2, 3]).map { $0.awake(at: Bench.start + 61_000) })
            }
        }
        let output = bench("failures mail").output
        let lines = output.split(separator: "\n")
        #expect(lines.count == 4, "\(output)")
        #expect(lines.last == "3 wait for a retry: sluice failures mail --retrying", "\(output)")
        for command in ["failures mail", "failures", "failures mail --retrying"] {
            let row = try #require(bench("\(command) --json").json["failures"]?[0], "\(command)")
            #expect(row["retrying"] == 2, "\(command): \(row)")
            let filter = try #require(row["filter"]?.string)
            let found = bench.run(["list", "--filter", filter, "--json"]).json
            #expect(
                found["tasks"]?.array?.compactMap { $0["id"]?.integer } == [1, 2], "\(filter)")
        }
        try bench.store.writeBlocking { writer in
            var tasks = try writer.tasks([1, 2, 3])
            for place in tasks.indices {
                tasks[place].state = .running(
                    Running(owner: 1, token: tasks[place].id, attempt: 2, since: Bench.start))
            }
            try writer.update(tasks)
        }
        let none = bench("failures mail").output
        #expect(none == "nothing of mail has failed permanently\n", "\(none)")
    }

    @Test("failures tells the attempts that failed in the last hour where no task was given up")
    func passing() throws {
        let bench = try bench()
        try bench.store.writeBlocking { writer in
            guard let task = try writer.task(4) else { return }
            try writer.put(
                (1...3).map { number in
                    var attempt = AttemptRecord(
                        task: task, number: number, runner: 1, startedAt: Bench.start)
                    attempt.endedAt = Bench.start + -Int64(number) * 1_500_000
                    (attempt.outcome, attempt.isCounted) = (.retry, true)
                    return attempt
                })
        }
        #expect(
            bench("failures mail").output.hasSuffix(
                """
                2 attempts failed in the last hour: sluice log --queue mail
                3 wait for a retry: sluice failures mail --retrying

                """))
        let all = bench("failures").output
        #expect(all.contains("2 attempts failed in the last hour: sluice log\n"), "\(all)")
    }

    @Test("failures --explain names what the tasks of an error share, and few others")
    func explain() throws {
        let bench = Bench()
        for country in ["DE", "DE", "DE", "FR", "FR", "IT", "FR", "IT", "FR"] {
            _ = bench.run(["enqueue", "mail", "send", #"{"country":"\#(country)","v":2}"#])
        }
        try bench.store.writeBlocking { writer in
            var tasks = try writer.tasks([1, 2, 3])
            for place in tasks.indices {
                tasks[place].state = .failed(
                    Failure(at: Bench.start, reason: "no rate for DE", startPolicy: nil))
            }
            try writer.update(tasks)
        }
        let row = try #require(bench("failures --json").json["failures"]?[0])
        let key = try #require(row["key"]?.string)
        #expect(row["count"] == 3 && row["retrying"] == 0)
        #expect(row["sinceEstimated"] == false && row["since"]?.string != nil)
        let told = bench.run(["failures", "--explain", key]).output
        #expect(
            told == """
                3 failed, 0 retrying: no rate for DE
                in common of 3 tasks that were read:
                  payload.country=DE (3 of 3; 0 % of those not tried yet)

                """)
        let json = bench.run(["failures", "mail", "--explain", key, "--json"]).json
        #expect(json["compared"] == 6 && json["comparedState"] == "waiting")
        #expect(json["common"]?.array?.count == 1)
        #expect(json["common"]?[0]?["name"] == "payload.country=DE")
        let unknown = bench("failures --explain zz")
        #expect(unknown.exit == .usage && unknown.errors.contains("--explain"), "\(unknown)")
        #expect(bench("failures --retrying --explain zz").exit == .usage)
    }

    @Test("errors that are all the same are told as they are")
    func same() throws {
        let bench = try bench()
        let told = bench("failures --retrying").output
        #expect(told.contains("HTTP # from relay-#") && told.contains("timed out"), "\(told)")
        try bench.store.writeBlocking { writer in
            var tasks = try writer.tasks([1, 2])
            for place in tasks.indices { tasks[place].lastError = "HTTP 503" }
            try writer.update(tasks)
        }
        #expect(bench("failures --retrying").output.contains("HTTP 503"))
        let json = bench("failures --retrying --json").json
        #expect(json["failures"]?[0]?["error"] == "HTTP #")
        try bench.store.writeBlocking { writer in
            var tasks = try writer.tasks([1, 2])
            let failure = Failure(at: Bench.start, reason: "HTTP\n 503", startPolicy: nil)
            for place in tasks.indices { tasks[place].state = .failed(failure) }
            try writer.update(tasks)
        }
        #expect(bench("failures").output.contains("HTTP 503"))
    }

    @Test("failures --retrying shows them by their errors, with a filter that finds them")
    func retrying() throws {
        let bench = try bench()
        let json = bench("failures --retrying --json").json
        #expect(json["failures"]?.array?.count == 2 && json["more"] == false)
        let first = try #require(json["failures"]?[0])
        #expect(first["count"] == 2 && first["error"] == "HTTP # from relay-#")
        let filter = try #require(first["filter"]?.string)
        let found = bench.run(["list", "--filter", filter, "--json"]).json
        #expect(found["tasks"]?.array?.compactMap { $0["id"]?.integer } == [1, 2], "\(filter)")
        #expect(bench("failures other --retrying").exit == .refused)
        _ = bench("enqueue other send")
        #expect(
            bench("failures other --retrying").output
                == "nothing of other waits for a retry after an error\n")
    }
}
