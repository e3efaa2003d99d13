import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Sessions at the command line: handing over, looking at results, collecting them.
@Suite("Session commands")
struct SessionCommandTests {
    private let bench = Bench()

    /// Runs the next task of a queue to an end.
    private func work(_ outcome: HandlerOutcome) throws {
        let now = Bench.start
        try bench.store.transactBlocking(at: now) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: now)
            process.slots = 1
            let id = try mutation.attach(process).id
            for claimed in try mutation.claim(ClaimRequest(runner: id, freeSlots: 1, inFlight: 0)) {
                var completion = Completion(
                    task: claimed.task.id, token: claimed.task.running?.token ?? 0,
                    ending: .handler(outcome))
                if case .success(let result) = outcome { completion.result = result }
                _ = try mutation.settle([completion])
            }
            try mutation.detach(id)
        }
    }

    @Test("S1 a task is handed over with its client string, which may be empty or no text")
    func handOver() throws {
        #expect(bench("enqueue q t {} --session s --client-string a").exit == .done)
        #expect(
            bench.run(["enqueue", "q", "t", "--session", "s", "--client-string", ""]).exit == .done)
        var lines = bench
        lines.input = #"{"type":"t","session":"s","clientStringBase64":"/wA="}"# + "\n"
        #expect(lines("enqueue q --jsonl -").exit == .done)
        let shown = (1...3).map { bench("show \($0) --json").json }
        #expect(shown.map { $0["clientString"] } == ["a", "", .null])
        #expect(shown.map { $0["clientStringBase64"] } == [nil, nil, "/wA="])
        #expect(bench("show 2").output.contains("client string: \"\""))
        #expect(bench("show 3").output.contains("2 bytes, no text"))
        lines.input = #"{"type":"t","clientString":"a","clientStringBase64":"/wA="}"# + "\n"
        #expect(lines("enqueue q --jsonl - --json").errorCode == "badValue")
        #expect(bench.run(["enqueue", "q", "t", "--session", ""]).exit == .usage)
    }

    @Test("S3 DBX-34 DBX-35 results say why an item waits; they and lists how far a running one is")
    func waits() throws {
        for type in ["upload", "upload"] { _ = bench("enqueue q \(type) {} --session s") }
        #expect(bench("results s").output.contains("waits: no worker is attached"))
        let now = Bench.start
        try bench.store.transactBlocking(at: now) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: now)
            process.slots = 1
            let id = try mutation.attach(process).id
            let claimed = try mutation.claim(
                ClaimRequest(runner: id, freeSlots: 1, inFlight: 0))
            let task = try #require(claimed.first?.task)
            var attempt = AttemptRecord(task: task, try #require(task.running))
            (attempt.fraction, attempt.progressText) = (0.4, "sending")
            attempt.log = [try #require(AttemptStage("packing", afterMilliseconds: 1200)).line]
            try mutation.store.put([attempt])
        }
        let list = bench("list q").output
        #expect(list.contains("PROGRESS") && list.contains("40 % packing, sending"), "\(list)")
        #expect(!bench("list q --filter state:waiting").output.contains("PROGRESS"))
        let report = bench("report 1").output
        #expect(report.contains("packing began after 1.2s\n"), "\(report)")
        let text = bench("results s").output
        #expect(text.contains("40 % packing, sending"), "\(text)")
        #expect(text.contains("waits: its queue's one place is taken by #1"))
        let results = bench("results s --json").json["results"]?.array ?? []
        #expect(results.count == 2 && results.last?["progress"] == .null)
        let progress = results.first?["progress"]
        #expect(progress?["attempt"] == 1 && progress?["text"] == "sending")
        #expect(progress?["fraction"]?.double == 0.4)
        #expect(results.map { $0["blockers"]?.array?.first?["kind"] } == [nil, "noSlot"])
    }

    @Test("S3 S4 results say what there is without taking it; acknowledge collects it")
    func results() throws {
        for payload in ["1", "2", "bad", ""] {
            _ = bench.run(
                ["enqueue", "q", "t", payload, "--session", "s", "--client-string", "n\(payload)"])
        }
        try work(.success(result: Array(#"{"url":"u"}"#.utf8)))
        try work(.giveUp(error: "no room"))
        for _ in 0..<2 {
            let all = bench("results s --json").json["results"]?.array ?? []
            #expect(all.map { $0["id"] } == [1, 2, 3, 4])
            #expect(all.map { $0["state"] } == ["succeeded", "failed", "waiting", "waiting"])
            #expect(all.map { $0["outcome"] } == ["success", "giveUp", .null, .null])
            #expect(all.map { $0["error"] } == [.null, "no room", .null, .null])
            #expect(all[0]["result"] == ["url": "u"])
            #expect(all[2]["failure"] == ["kind": "badFormat", "description": "bad"])
            #expect(all[3]["failure"]?["kind"] == "noPersistedInfo")
        }
        let text = bench("results s").output
        #expect(text.contains(#"{"url":"u"}"#) && text.contains("unreadable: badFormat"))
        #expect(bench("purge 2").exit == .refused)
        #expect(bench("acknowledge 3").exit == .refused)
        #expect(bench("acknowledge 1 2").exit == .done)
        let left = bench("results s --json").json["results"]?.array ?? []
        #expect(left.map { $0["id"] } == [3, 4])
        // The last 100 successes stay (Q11). Failed tasks stay until a purge (Q9).
        #expect(bench("show 1 --json").json["state"] == "succeeded")
        #expect(bench("show 2 --json").json["state"] == "failed")
        #expect(bench("purge 2").exit == .done)
    }

    @Test("PN-06 a session that nobody knows waits for nothing, and that is no error")
    func unknown() {
        let answer = bench("results nobody --json")
        #expect(answer.exit == .done)
        #expect(answer.json == ["session": "nobody", "results": []])
        #expect(bench("results nobody").output.contains("waits for nothing"))
        #expect(bench("results").exit == .usage)
    }
}
