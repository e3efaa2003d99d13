import Sluice
import SluiceSystem
import Testing

/// An app's own test that travels through a week of retries.
@Suite("library: the clock of the store")
struct ClockTests {
    private struct Down: Error, CustomStringConvertible {
        let description = "503"
    }

    @Test("G3 a week of backoff passes in an app's test without a wait")
    func week() async throws {
        let app = QueueClient(store: MemoryStore())
        let calls = Protected(0)
        try await sendReports(of: app) { _ in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // It is up again after 17 tries.
            if call < 17 { throw Down() }
        }
        try await app.setClock(.freeze)
        let began = try await app.clock().now
        try await app.enqueue(Report(day: "2026-12-24"), to: "reports")
        try await app.drain(network: nil)
        var waits: [Int64] = []
        var last = began
        while let next = try await app.clock().next {
            #expect(next.kind == .retry && next.task == 1)
            let now = try await app.setClock(.next(queue: "reports")).now
            waits.append(now - last)
            last = now
            try await app.drain(network: nil)
        }
        #expect(calls.withLock { $0 } == 17)
        #expect(waits.prefix(3) == [60_000, 120_000, 240_000])
        #expect(waits.suffix(2) == [86_400_000, 86_400_000])
        // More than a week by the clock of the store.
        #expect(last - began > 5 * 86_400_000)
        let answer = try await app.expect("state(#1) == succeeded and ran(type:report) == 17")
        #expect(answer.held, "\(answer)")
    }

    @Test("G3 a worker that rests hears of the clock, and goes to the next moment anew")
    func worker() async throws {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Report.self) { _, _ in }
        let worker = try app.start(network: nil)
        let later = try await app.clock().now + 86_400_000
        try await app.enqueue(Report(day: "now"), to: "reports")
        try await app.enqueue(Report(day: "tomorrow"), to: "reports") { $0.notBefore = later }
        #expect(try await app.expect("ran(type:report) == 1", within: .seconds(60)).held)
        #expect(try await app.expect("state(#2) == delayed").held)
        try await app.setClock(.next(queue: nil))
        let answer = try await app.expect("ran(type:report) == 2", within: .seconds(60))
        #expect(answer.held, "\(answer)")
        try await worker.stop()
    }
}
