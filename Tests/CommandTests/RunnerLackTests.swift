import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("A queue that no worker serves")
struct RunnerLackTests {
    private func bench(_ runners: [(queues: [String]?, types: [String]?)]) throws -> Bench {
        let bench = Bench()
        _ = bench("enqueue resize img")
        _ = bench("enqueue mail send")
        try bench.store.transactBlocking(at: Bench.start) { mutation in
            for runner in runners {
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                    attachedAt: mutation.now)
                (process.slots, process.queues, process.types) = (1, runner.queues, runner.types)
                _ = try mutation.attach(process)
            }
        }
        return bench
    }

    private func row(_ bench: Bench, _ queue: String) throws -> String {
        let rows = bench("queues").output.split(separator: "\n").map(String.init)
        return try #require(rows.first { $0.contains("  \(queue)  ") })
    }

    @Test("N1 a queue that work --queues leaves out reads no worker, and why says who serves what")
    func leftOut() throws {
        let bench = try bench([(["mail", "orders"], nil)])
        #expect(try row(bench, "mail").contains("running"))
        let row = try row(bench, "resize")
        #expect(row.contains("no worker") && !row.contains("running"))
        let words = "no worker for resize: the only worker serves mail and orders"
        #expect(row.contains(words))
        #expect(bench("why 1").output.contains(words))
        #expect(bench("why 1 --json").json["blockers"]?[0]?["kind"] == "noRunner")
        #expect(bench("queues --json").json["queues"]?[1]?["state"] == "running")
    }

    @Test("N1 a queue whose due tasks are of types that nobody handles reads no worker")
    func unknownType() throws {
        let bench = try bench([(nil, ["send"]), (["mail"], nil), (["resize"], ["send", "cut"])])
        #expect(try row(bench, "mail").contains("running"))
        let words = "no worker for type img: the 2 workers handle cut and send"
        #expect(try row(bench, "resize").contains(words))
        #expect(bench("why 1").output.contains(words))
        // A later task has a runner.
        _ = bench("enqueue resize cut")
        #expect(try row(bench, "resize").contains("running"))
    }

    @Test("N1 a name that one letter parts from one that is served is asked about")
    func misspelled() throws {
        let bench = try bench([(["mail"], ["send", "cut"])])
        _ = bench("enqueue mail sned")
        _ = bench("enqueue mial send")
        let why = bench("why 3").output
        #expect(why.contains("no worker for type sned: the only worker handles cut and send;"))
        #expect(why.contains("did you mean send?"))
        let queue = "no worker for mial: the only worker serves mail; did you mean mail?"
        #expect(bench("why 4").output.contains(queue))
        #expect(!bench("why 1").output.contains("did you mean"))
    }

    @Test("N1 without any worker it says so, and an empty or a stopped queue says what it is")
    func nobody() throws {
        let bench = try bench([])
        #expect(try row(bench, "mail").contains("no worker is attached"))
        _ = bench("pause mail")
        #expect(try row(bench, "mail").contains("paused by dana for 0 ms; no worker is attached"))
        _ = bench("queue set batch --start manual")
        #expect(try row(bench, "batch").contains("empty"))
        _ = bench("enqueue batch t")
        #expect(try row(bench, "batch").contains("waits for a run"))
        #expect(bench("queues --json").json["queues"]?[0]?["state"] == "idle")
    }

    @Test("F5 what a queue does has the word of the screen in queues")
    func words() throws {
        let bench = try bench([(nil, nil)])
        _ = bench("queue set batch --start manual")
        _ = bench("enqueue batch t")
        #expect(try row(bench, "batch").contains("  no run "))
        #expect(try row(bench, "batch").hasSuffix("waits for a run"))
        _ = bench("queue set chain --after-failure block --priority 9")
        _ = bench("enqueue chain a")
        _ = bench("enqueue chain b")
        _ = try bench.store.transactBlocking(at: Bench.start) { mutation in
            let runner = try #require(try mutation.store.processes().first?.id)
            _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        #expect(try row(bench, "chain").contains("  running "))
        _ = try bench.store.transactBlocking(at: Bench.start) { mutation in
            let token = try #require(try mutation.store.requireTask(4).running).token
            let retry = HandlerOutcome.retry(afterMilliseconds: 60_000, error: "busy")
            _ = try mutation.settle([
                Completion(task: 4, token: token, ending: .handler(retry))
            ])
        }
        #expect(try row(bench, "chain").contains("  blocked "))
        _ = bench("pause mail")
        #expect(try row(bench, "mail").contains("  paused "))
        // A head task that holds its paused queue for long is no fault.
        bench.clock.withLock { $0 = Bench.start + 3_600_000 }
        #expect(try row(bench, "chain").contains("  stuck "))
        _ = bench("pause chain")
        #expect(try row(bench, "chain").contains("  paused "))
        #expect(!bench("queues --json").output.contains(#""stuck":true"#))
        // No runner starts a skipped task.
        _ = bench("skip 1")
        #expect(try row(bench, "resize").contains("  blocked "))
    }

    @Test("N3 a forecast says in a word what blocks")
    func forecast() throws {
        let bench = try bench([])
        _ = bench("pause mail")
        #expect(bench("forecast mail").output.contains("blocked: paused"))
    }
}
