import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("The table of a run", .timeLimit(.minutes(2)))
struct RunTableTests {
    /// A folder with a handlers file, for the time of a test.
    private final class Place {
        let folder: String
        var handlers: String { "\(folder)/h.json" }

        init(_ entry: String) throws {
            folder = try Files.makeTemporaryDirectory(prefix: "run-table-")
            let text = #"{"handlers":{"*":\#(entry.replacing("FOLDER", with: folder))}}"#
            try Files.writeAtomically(Array(text.utf8), to: handlers)
        }

        deinit { try? Files.removeTree(folder) }
    }

    @Test("D4 KKT-25 a run answers for whom each task waited, and what the required ones cost")
    func table() throws {
        var bench = Bench()
        // Each look at the clock is a moment later, so that each attempt takes time.
        bench.tick = 7
        let place = try Place(#"{"simulate":{}}"#)
        _ = bench("queue set startup --preset startup --rank network,login,banner")
        _ = bench("enqueue startup banner")
        _ = bench("enqueue startup login --required")
        _ = bench("enqueue startup network --required")
        let run = bench("run startup --handlers \(place.handlers) --json")
        #expect(run.exit == .done, "\(run)")
        let tasks = try #require(run.json["tasks"]?.array)
        #expect(tasks.map { $0["type"] } == ["network", "login", "banner"])
        #expect(tasks.map { $0["required"] } == [true, true, false])
        let times = tasks.compactMap { $0["milliseconds"]?.integer }
        #expect(times.count == 3 && times.allSatisfy { $0 > 0 })
        let waitedFor = tasks.map { task in
            (task["waitedFor"]?.array ?? []).compactMap { $0["id"]?.integer }.sorted()
        }
        #expect(waitedFor == [[], [3], [2, 3]])
        #expect(tasks[1]["waitedFor"]?[0]?["milliseconds"]?.integer == times[0])
        let whole = try #require(run.json["milliseconds"]?.integer)
        let required = try #require(run.json["requiredMilliseconds"]?.integer)
        #expect(required >= times[0] + times[1] && required <= whole - times[2])
        #expect(run.json["criticalPath"] == [3, 2, 1])
        #expect(run.json["moreTasks"] == false)
    }

    @Test("D4 KKT-25 the same as a table for people, and nothing about required ones without any")
    func text() throws {
        var bench = Bench()
        bench.tick = 7
        let place = try Place(#"{"simulate":{}}"#)
        _ = bench("queue set q --start manual")
        _ = bench("enqueue q one")
        _ = bench("enqueue q two")
        let plain = bench("run q --handlers \(place.handlers)").output
        let lines = plain.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("TASK  TYPE  END"), "\(plain)")
        #expect(lines[0].contains("WAITED") && lines[0].hasSuffix("FOR"))
        #expect(lines[1].hasPrefix("#1    one   succeeded after"))
        #expect(lines[2].hasPrefix("#2    two   succeeded after") && lines[2].contains("#1 one "))
        #expect(lines[3] == "the run ended after 2 attempts, 0 left waiting")
        #expect(lines[4].hasPrefix("it took ") && !plain.contains("required"))
        _ = bench("enqueue q three --required")
        let marked = bench("run q --handlers \(place.handlers)").output
        #expect(marked.contains("required") && marked.contains("the last required task ended"))
    }

    @Test("D4 a task that failed in the run has no wait after its last attempt")
    func waitOfFailed() throws {
        var bench = Bench()
        bench.tick = 7
        let place = try Place(#"{"simulate":{"fail":1,"error":"boom"}}"#)
        _ = bench("queue set q --start manual")
        _ = bench("enqueue q one")
        _ = bench("enqueue q two")
        let run = bench("run q --handlers \(place.handlers) --json")
        let first = try #require(run.json["tasks"]?[0], "\(run)")
        #expect(first["id"] == 1 && run.json["tasks"]?[1]?["id"] == 2)
        // It waits for its retry since its attempt, while the other one runs.
        #expect(bench("list q --json").json["tasks"]?[0]?["display"] == "retrying")
        #expect(first["timedMilliseconds"] == 0 && first["waitedMilliseconds"] == 0, "\(first)")
        #expect(first["waitedFor"] == [])
    }

    @Test("D4 KKT-26 a run with handlers that joins another one waits for its end, with one count")
    func joins() throws {
        let bench = Bench()
        let place = try Place(
            #"{"command":["sh","-c","until [ -e FOLDER/go ]; do sleep 0.01; done"]}"#)
        _ = bench("queue set q --start manual")
        _ = bench("enqueue q slow --required")
        _ = bench("enqueue q late")
        let answers = Protected<[Bench.Outcome]>([])
        let line = "run q --handlers \(place.handlers) --json"
        func begin() throws -> Thread {
            try Thread(name: "run") {
                let outcome = bench(line)
                answers.withLock { $0.append(outcome) }
            }
        }
        let first = try begin()
        try wait(bench) { try $0.counts(queue: "q")[.running] == 1 }
        let second = try begin()
        try wait(bench) { try $0.processes().count { $0.role == .runner } == 2 }
        try Files.writeAtomically([], to: "\(place.folder)/go")
        for thread in [first, second] { thread.join() }
        let all = answers.withLock { $0 }
        #expect(all.count == 2)
        for answer in all {
            #expect(answer.exit == .done, "\(answer)")
            #expect(answer.json["run"] == ["state": "ended", "attempted": 2, "left": 0])
            #expect(answer.json["stepped"]?.array?.count == 2)
            #expect(answer.json["tasks"]?.array?.map { $0["required"] } == [true, false])
            #expect(answer.json["next"] == .null)
        }
        #expect(bench("log").output.contains("the run ended after 2 attempts"))
    }

    private func wait(
        _ bench: Bench, until isTrue: @escaping @Sendable (any StoreReader) throws -> Bool
    ) throws {
        let gate = NoticeGate()
        let observation = try bench.store.observe { gate.open() }
        defer { withExtendedLifetime(observation) {} }
        let end = SystemClock.monotonicNanoseconds() + 30_000_000_000
        while try !bench.store.readBlocking(isTrue) {
            try #require(SystemClock.monotonicNanoseconds() < end, "nothing for thirty seconds")
            gate.wait(until: end)
        }
    }
}
