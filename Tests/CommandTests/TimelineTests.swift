import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("sluice timeline")
struct TimelineTests {
    private func filled() throws -> Bench {
        let bench = Bench()
        for type in ["network", "login"] {
            #expect(bench("enqueue startup \(type)").exit == .done)
        }
        try bench.store.writeBlocking { writer in
            for (number, id) in [TaskID(1), 2].enumerated() {
                guard let task = try writer.task(id) else { continue }
                var attempt = AttemptRecord(
                    task: task, number: 1, runner: 1,
                    startedAt: Bench.start + Int64(number) * 400)
                attempt.endedAt = Bench.start + Int64(number + 1) * 400
                attempt.outcome = number == 0 ? .success : .retry
                attempt.isCounted = true
                attempt.error = number == 0 ? nil : "HTTP 401"
                try writer.put([attempt])
            }
        }
        return bench
    }

    @Test("prints the attempts of a queue as bars")
    func picture() throws {
        var bench = try filled()
        bench.columns = 80
        let outcome = bench("timeline startup")
        #expect(outcome.exit == .done, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("startup  2 tasks") ?? false, "\(outcome.output)")
        #expect(lines.contains { $0.contains("#1 network") && $0.contains("████") })
        #expect(lines.contains { $0.contains("#2 login") && $0.contains("···▚▚") })
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(outcome.output)")
        let zero = ClockText.moment(Bench.start).suffix(8)
        #expect(outcome.output.contains("0 is ") && outcome.output.contains(zero))
    }

    @Test("--ascii has ASCII alone, with another sign for each kind, and --width is kept")
    func ascii() throws {
        let output = try filled()("timeline startup --ascii --width 60").output
        #expect(output.utf8.allSatisfy { $0 < 128 }, "\(output)")
        #expect(output.contains("####") && output.contains("..xx"))
        #expect(output.split(separator: "\n").allSatisfy { $0.count <= 60 })
    }

    @Test("--json has the bars and what each task waited for")
    func json() throws {
        let bench = try filled()
        #expect(bench("postpone 2 +1h").exit == .done)
        let json = bench("timeline startup --json").json
        let rows = json["rows"]?.array ?? []
        #expect(rows.count == 2 && json["more"] == .bool(false))
        let bars = rows.last?["bars"]?.array ?? []
        #expect(bars.map { $0["kind"]?.string } == ["waits", "failed", "timed"])
        #expect(rows.last?["waitedMilliseconds"]?.integer == 400)
        #expect(rows.last?["waitedFor"]?.array?.first?["id"]?.integer == 1)
        #expect(json["criticalPath"]?.array?.compactMap(\.integer) == [1, 2])
    }

    @Test("takes tasks; one has a row for each attempt")
    func tasks() throws {
        let bench = try filled()
        #expect(bench("timeline 1 2").output.hasPrefix("tasks  2 tasks"))
        let one = bench("timeline #2").output
        #expect(one.contains("try 1") && one.contains("1 attempt "), "\(one)")
    }

    @Test("--workers has a lane for each slot of each worker")
    func workers() throws {
        let bench = try filled()
        try bench.store.writeBlocking { writer in
            var process = ProcessRecord(
                id: 1, role: .runner, host: "atlas", bootID: "b", pid: 4710, lockName: "r1.lock",
                attachedAt: Bench.start)
            process.slots = 2
            try writer.put(process)
            guard var task = try writer.task(2) else { return }
            task.state = .running(
                Running(owner: 1, token: 2, attempt: 2, since: Bench.start + 500))
            try writer.update([task])
        }
        bench.clock.withLock { $0 = $0 + 60_000 }
        let output = bench("timeline --workers --last 1m").output
        #expect(output.contains("workers  2 slots · 1 busy · the last 1m"), "\(output)")
        let lanes = output.split(separator: "\n").filter { $0.contains("4710/") }
        #expect(lanes.count == 2, "\(output)")
        #expect(lanes.first?.contains("4710/1") == true && lanes.last?.contains("▄▄") == true)
        let rows = bench("timeline --workers --json").json["rows"]?.array ?? []
        #expect(rows.map { $0["slot"]?.integer } == [1, 2], "\(rows)")
        #expect(rows[0]["pid"]?.integer == 4710)
        let bars = rows[0]["bars"]?.array ?? []
        #expect(bars.map { $0["id"]?.integer } == [1, 2], "\(bars)")
        #expect(rows[1]["bars"]?.array?.map { $0["kind"]?.string } == ["running"])
        bench.clock.withLock { $0 = $0 + 600_000 }
        let later = bench("timeline --workers --json").json["rows"]?.array ?? []
        #expect(later.map { $0["bars"]?.array?.count } == [1, 0], "\(later)")
        for words in ["startup --workers", "1 --workers", "--workers --run 0"] {
            #expect(bench("timeline \(words)").exit == .usage)
        }
    }

    @Test("refuses what it does not know, with a way out")
    func refusals() throws {
        let bench = try filled()
        #expect(bench("timeline").exit == .usage)
        #expect(bench("timeline startup 1").exit == .usage)
        #expect(bench("timeline 1 --run 0").exit == .usage)
        #expect(bench("timeline startup --run 0 --group g").exit == .usage)
        #expect(bench("timeline startup --width 3").exit == .usage)
        #expect(bench("timeline nope").errors.contains("there is no queue \"nope\""))
        #expect(bench("timeline startup --run 0").errors.contains("leave out --run"))
        #expect(bench("timeline startup --group g").errors.contains("no group \"g\""))
        #expect(bench("timeline 99").exit != .done)
    }
}
