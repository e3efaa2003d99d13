import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

@Suite("sluice queues --chart")
struct ChartTests {
    private func filled() throws -> Bench {
        let bench = Bench()
        #expect(bench("enqueue mail send").exit == .done)
        #expect(bench("enqueue jobs work").exit == .done)
        try bench.store.writeBlocking { writer in
            guard let task = try writer.task(1) else { return }
            var attempts: [AttemptRecord] = []
            for number in 1...20 {
                let endedAt = Bench.start + Int64(-number) * 60_000
                var attempt = AttemptRecord(
                    task: task, number: number, runner: 1, startedAt: endedAt + -500)
                attempt.endedAt = endedAt
                attempt.outcome = number % 5 == 0 ? .retry : .success
                attempt.isCounted = number % 5 == 0
                attempts.append(attempt)
            }
            try writer.put(attempts)
            for number in 1...20 {
                try writer.countWait(
                    DurationBucket(milliseconds: 3000), in: "mail",
                    at: Bench.start + Int64(-number) * 60_000)
            }
        }
        return bench
    }

    @Test("prints the queues and the charts of one")
    func picture() throws {
        let outcome = try filled()("queues --chart --queue mail")
        #expect(outcome.exit == .done, "\(outcome.errors)")
        #expect(outcome.output.contains("ended in a minute") && outcome.output.contains("~p95"))
        #expect(outcome.output.contains("last hour of mail  1 wait now · ok 16 · failed 4"))
        #expect(!outcome.output.contains("seen since"), "one look has seen nothing")
        #expect(outcome.output.contains("wait from due to start"), "\(outcome.output)")
        let plain = try filled()("queues --chart --queue mail --ascii --last 15m").output
        #expect(plain.utf8.allSatisfy { $0 < 128 }, "\(plain)")
        // The attempt that ended 15 minutes ago, to the second, is out.
        #expect(plain.contains("ended in 10 seconds"))
        #expect(plain.contains("ok 12 - failed 2"), "\(plain)")
    }

    @Test("--json has the numbers of each part, the oldest first")
    func json() throws {
        let bench = try filled()
        let json = bench("queues --chart --json").json
        #expect(json["partSeconds"]?.integer == 60)
        let mail = json["queues"]?.array?.first { $0["name"]?.string == "mail" }
        let good = mail?["succeeded"]?.array ?? []
        #expect(good.count == 60 && good.compactMap(\.integer).reduce(0, +) == 16)
        #expect(good.last?.integer == 0 && good[58].integer == 1)
        let slow = mail?["p95Milliseconds"]?.array ?? []
        #expect((400...600).contains(slow[58].integer ?? 0) && slow[59] == .null)
        for key in ["waitP50Milliseconds", "waitP95Milliseconds"] {
            let waits = mail?[key]?.array ?? []
            #expect(waits.count == 60 && waits[59] == .null)
            #expect((2500...3500).contains(waits[58].integer ?? 0), "\(waits)")
        }
        let waiting = mail?["waiting"]?.array ?? []
        // The look is at the end of one minute, which is the beginning of the other.
        #expect(waiting.count == 60 && waiting.compactMap(\.integer) == [1, 1], "\(waiting)")
        let one = bench("queues --chart --json --queue jobs").json["queues"]?.array
        #expect(one?.count == 1)
        #expect(bench("queues --json").json["partSeconds"] == nil)
    }

    @Test("refuses a queue that is not there, and options without --chart")
    func refusals() throws {
        let bench = try filled()
        #expect(bench("queues --chart --queue nope").errors.contains("no queue \"nope\""))
        #expect(bench("queues --last 1h").exit == .usage)
        #expect(bench("queues --chart --last 3h").exit != .done)
        #expect(bench("queues mail").exit == .usage)
        #expect(Bench()("queues --chart").output.contains("no queues"))
    }
}
