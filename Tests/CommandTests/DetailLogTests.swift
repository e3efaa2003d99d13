import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("log --detail")
struct DetailLogTests {
    private func events(_ bench: Bench, _ line: String) -> [JSONValue] {
        bench(line).json["events"]?.array ?? []
    }

    private func act<Value: Sendable>(
        _ bench: Bench, _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        let now = bench.clock.withLock { $0 }
        return try bench.store.transactBlocking(at: now, body)
    }

    @Test("CIO-109 log --detail tells of runs, their timers, begins and the queue's number")
    func story() throws {
        let bench = Bench()
        #expect(bench("queue set q --preset customer-io --batch-count 2").exit == .done)
        #expect(bench("enqueue q t").exit == .done)
        bench.clock.withLock { $0 = $0 + 1000 }
        #expect(bench("enqueue q t").exit == .done)
        let runner = try act(bench) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: mutation.now)
            process.slots = 1
            return try mutation.attach(process).id
        }
        _ = try act(bench) {
            try $0.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        let told = events(bench, "log --detail --json")
        #expect(
            told.compactMap { $0["text"]?.string } == [
                "q made by dana", "#1 t enqueued by dana, 1 in the queue",
                "the next run is due in 30s", "#2 t enqueued by dana, 2 in the queue",
                "the next run is due: 2 fresh tasks wait", "a run began: 2 fresh tasks wait",
                "#1 t starts, 2 in the queue",
            ])
        #expect(
            told.compactMap { $0["kind"]?.string } == [
                "queueSet", "enqueue", "runTimer", "enqueue", "runDue", "runBegan", "started",
            ])
        #expect(told.compactMap { $0["inQueue"]?.integer } == [1, 2, 2])
        #expect(told.last?["sequence"] == .null && told.last?["task"] == 1)
        #expect(told.last?["by"] == .string("runner \(runner)"))
        let lines = bench("log --detail -n 2").output.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("  q  ") })
        #expect(lines.last?.hasSuffix("#1 t starts, 2 in the queue") == true)
        let plain = events(bench, "log --json")
        #expect(plain.compactMap { $0["kind"]?.string } == ["queueSet", "enqueue", "enqueue"])
        #expect(plain.allSatisfy { $0["inQueue"] == nil })
    }
}
