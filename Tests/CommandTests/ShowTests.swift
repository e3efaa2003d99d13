import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("What is shown of an attempt")
struct ShowTests {
    /// A task of a queue after one attempt with that outcome.
    private func bench(
        _ outcome: HandlerOutcome, attempts: Int = 1, log: [String] = []
    ) throws -> Bench {
        try bench(ended: .handler(outcome), attempts: attempts, log: log)
    }

    private func bench(
        ended ending: Ending, attempts: Int, log: [String] = []
    ) throws -> Bench {
        let bench = Bench()
        _ = bench("enqueue q t --attempts \(attempts)")
        _ = try bench.store.transactBlocking(at: Bench.start) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: mutation.now)
            process.slots = 1
            let runner = try mutation.attach(process).id
            _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        _ = try bench.store.transactBlocking(at: Bench.start + 8) { mutation in
            let task = try mutation.store.requireTask(1)
            let lease = try #require(task.running)
            var completion = Completion(
                task: 1, token: lease.token, ending: ending)
            var progress = AttemptProgress()
            progress.log = log
            completion.progress = progress
            _ = try mutation.settle([completion])
        }
        return bench
    }

    @Test("A3 D9 an attempt after which the task was given up does not read retry")
    func givenUp() throws {
        let outcome = HandlerOutcome.retry(afterMilliseconds: nil, error: "card declined")
        let last = try bench(outcome)
        #expect(last("show 1").output.contains("gave up"))
        #expect(!last("show 1").output.contains("retry  "))
        let line = last("log -n 1").output
        #expect(line.hasSuffix("#1 t gave up after 8 ms: card declined\n"), "\(line)")
        // The JSON output keeps the handler's outcome.
        #expect(last("show 1 --json").json["attemptLog"]?[0]?["outcome"] == "retry")
        #expect(last("show 1 --json").json["attemptLog"]?[0]?["then"] == "given up")
        let first = try bench(outcome, attempts: 3)
        let then = first("show 1 --json").json["attemptLog"]?[0]?["then"]?.string
        #expect(then?.hasPrefix("retry in ") == true)
        #expect(first("show 1").output.contains("failed   retry in "))
        #expect(first("log -n 1").output.contains("failed after 8 ms: card declined → retry in"))
    }

    @Test("A3 A5 a task that fails without an error says that its attempts are used up")
    func failedWithoutError() throws {
        let bench = try bench(.retry(afterMilliseconds: nil, error: nil))
        #expect(bench("show 1").output.contains("  error: its attempts are used up\n"))
        let json = bench("show 1 --json").json
        #expect(json["error"] == "its attempts are used up")
        #expect(json["attemptLog"]?[0]?["error"] == .null)
    }

    @Test("A6 an attempt that was cut off says that its effect stays and comes again")
    func cutOff() throws {
        let words = "attempt 1 was cut off: what it did stays done, the next does it again"
        for ending in [Ending.stopped(.timedOut), .abandoned(.timedOut)] {
            let bench = try bench(ended: ending, attempts: 3)
            #expect(bench("show 1").output.contains("\n  \(words)\n"), "\(bench("show 1"))")
            #expect(bench("report 1").output.contains("Note: \(words)."))
        }
        let failed = try bench(.retry(afterMilliseconds: 60_000, error: "busy"), attempts: 3)
        #expect(!failed("show 1").output.contains("cut off"))
    }

    @Test("A2 of an attempt that was lost is told when that was noticed, and no duration")
    func lost() throws {
        let bench = try bench(ended: .lost, attempts: 3)
        let words = "was lost, noticed after 8 ms"
        let line = bench("log -n 1").output
        #expect(line.contains("#1 t \(words) → retry in "), "\(line)")
        let shown = bench("show 1").output
        #expect(shown.contains("\(words)  retry in "), "\(shown)")
        #expect(shown.split(separator: "8 ms").count == 2, "\(shown)")
        let report = bench("report 1").output
        #expect(report.contains(words) && !report.contains("took"), "\(report)")
        // JSON output for scripts does not change.
        let attempt = bench("show 1 --json").json["attemptLog"]?[0]
        #expect(attempt?["outcome"] == "lost" && attempt?["endedAt"] != .null)
    }

    @Test("A7 show has the log of each attempt and what followed from it")
    func log() throws {
        let outcome = HandlerOutcome.retry(afterMilliseconds: 60_000, error: "busy")
        let bench = try bench(outcome, attempts: 3, log: ["rendering…", "sent to relay"])
        let lines = bench("show 1").output.split(separator: "\n").map(String.init)
        let attempt = try #require(lines.firstIndex { $0.contains("retry in 1m") })
        #expect(
            lines[(attempt + 1)...(attempt + 2)] == ["      rendering…", "      sent to relay"])
    }

    @Test("D9 a line of the log has the number that undo takes, and names the task that came")
    func numbers() throws {
        let bench = Bench()
        _ = bench("enqueue q t")
        _ = bench("skip 1")
        let lines = bench("log").output.split(separator: "\n")
        let event = try #require(bench("log --json").json["events"]?[1]?["sequence"]?.integer)
        #expect(lines[0].contains("#1 t enqueued by dana"))
        #expect(lines[1].hasPrefix("    \(event)  "))
        #expect(bench("undo \(event)").exit == .done)
    }

    @Test("Q1 a priority that means nothing is named before the state of the task")
    func priority() throws {
        let bench = try bench(.success(result: nil))
        let outcome = bench("priority 1 nonsense --json")
        #expect(outcome.exit == .usage && outcome.errorCode == "badValue")
        #expect(outcome.errors.contains("nonsense"))
        let refused = bench("priority 1 5")
        #expect(refused.errors.contains("#1 has succeeded: it cannot be given a priority"))
    }

    @Test("a payload that looks like JSON and is none is kept as text, and that is said")
    func payload() {
        let bench = Bench()
        let bad = bench.run(["enqueue", "q", "t", "{bad json"])
        #expect(bad.exit == .done)
        #expect(bad.output.contains("its payload is no JSON and is kept as text: line 1, column 2"))
        for good in ["{}", "plain text", #"{"a":1}"#] {
            #expect(!bench.run(["enqueue", "q", "t", good]).output.contains("as text"))
        }
        #expect(bench("show 1 --json").json["payloadBase64"] == "e2JhZCBqc29u")
    }
}
