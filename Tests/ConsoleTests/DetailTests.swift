import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("The activity in detail")
struct DetailTests {
    /// A batched queue with a task that runs, and one that waits.
    private func bench(height: Int = 32) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        let now = LivingScene.now
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "q", createdAt: now)
            queue.settings.start = .batched(count: 2, delayMilliseconds: 30_000)
            try writer.put(queue)
            let runner = try writer.transact(at: now) { mutation in
                let runner = try mutation.attach(LivingScene.runner(0, pid: 1, types: nil)).id
                _ = try mutation.enqueue([EnqueueRequest(type: "identify")], to: "q")
                _ = try mutation.enqueue([EnqueueRequest(type: "track")], to: "q")
                return runner
            }
            try writer.transact(at: now) { mutation in
                _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
            }
        }
        return Bench(store: store, size: Size(width: 118, height: height), now: now)
    }

    @Test("CIO-109 L in view 4 adds runs, timers, begins and numbers, and takes them away again")
    func toggles() throws {
        let bench = try bench()
        bench.press("4")
        let detail = [
            "a run began: 2 fresh tasks wait", "the next run is due: 2 fresh tasks wait",
            "#1 identify", "starts", "enqueued by an app, 1 in the queue",
            "enqueued by an app, 2 in the queue", "in detail",
        ]
        #expect(bench.screen.contains("L detail"))
        let plain = bench.lines.dropFirst(5).joined()
        #expect(detail.filter { plain.contains($0) } == [])
        bench.press("L")
        #expect(detail.filter { !bench.screen.contains($0) } == [], "\(bench.screen)")
        // The cursor stays on a line without a journal entry.
        bench.press("k k G")
        #expect(bench.state.cursors[.activity]?.key?.task == 1)
        bench.press("L")
        #expect(!bench.screen.contains("a run began"))
    }

    @Test("CIO-109 L is for the activity, and the help names it")
    func disabledReasons() throws {
        let bench = try bench(height: 99)
        bench.press("L")
        #expect(bench.message.contains("that is for the activity: 4 shows it"))
        bench.press("? Enter")
        #expect(bench.lines.contains { $0.contains(" L  ") && $0.contains("begins of attempts") })
    }
}
