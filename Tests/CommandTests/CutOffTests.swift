import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// The warnings before a task with a cut-off handler runs again, and during the run.
@Suite("Cut off attempts")
struct CutOffTests {
    private let bench = Bench()

    /// A worker that claims all, and whose attempts run into their time-out.
    private func timeOut() throws {
        let now = bench.clock.withLock { $0 }
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: now)
                process.slots = 8
                let runner = try mutation.attach(process).id
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: 8, inFlight: 0))
                _ = try mutation.settle(
                    claimed.map { one in
                        Completion(
                            task: one.task.id, token: one.task.running?.token ?? 0,
                            ending: .stopped(.timedOut))
                    })
            }
        }
    }

    @Test("D7 why and retry say that an attempt was cut off, whose effect may come twice")
    func told() throws {
        let sentence = "attempt 1 was cut off: what it did stays done, the next does it again"
        #expect(bench("queue set mail --attempts 1 --concurrency 9").exit == .done)
        for _ in 0..<7 { #expect(bench("enqueue mail send").exit == .done) }
        try timeOut()
        #expect(bench("why 1").output.contains("  \(sentence)\n"))
        let one = bench("retry 1")
        #expect(one.output.contains("#1: \(sentence)\n"), "\(one.output)")
        let all = bench("retry --filter state:failed --yes --json").json
        #expect(all["changed"]?.array?.count == 6)
        let told = all["consequences"]?.array?.compactMap(\.string) ?? []
        #expect(told.filter { $0.hasSuffix(sentence) }.count == 5, "\(told)")
    }
}
