import SluiceModel
import SluiceStore
import Testing

@testable import SluiceSQL

/// Bounds how the work for an attempt grows with the earlier attempts of its task.
@Suite("A task that fails often")
struct ManyAttemptsTests {
    @Test("A1 D7 an attempt costs the same after 100, 400 and 1,000 failures")
    func failures() throws {
        let place = try Place()
        try place.open().close()
        let connection = try Connection(path: place.path, mode: .readWrite)
        try connection.beginWriting()
        let session = TableWriter(connection, settingsCache: SettingsCache())
        let runner = try session.transact(at: at(0)) { mutation in
            var queue = QueueRecord(name: "q", createdAt: at(0))
            queue.settings.retry = .fixed(milliseconds: 0)
            queue.settings.attemptLimit = nil
            try mutation.store.put(queue)
            _ = try mutation.enqueue([EnqueueRequest(type: "t")], to: "q")
            return try mutation.attach(
                ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                    attachedAt: at(0))
            ).id
        }
        var failed = 0
        func fail() throws {
            try session.transact(at: at(1)) { mutation in
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
                #expect(claimed.map(\.ownNumber) == [failed + 1])
                let outcome = HandlerOutcome.retry(afterMilliseconds: 0, error: "no")
                _ = try mutation.settle(
                    claimed.map {
                        Completion(
                            task: $0.task.id, token: $0.task.running?.token ?? 0,
                            ending: .handler(outcome))
                    })
            }
            try session.finish()
            try session.writeCounts()
            session.rest()
            failed += 1
        }
        var steps: [Int] = []
        for count in [100, 400, 1000] {
            while failed < count { try fail() }
            _ = connection.takeSteps()
            for _ in 0..<10 { try fail() }
            steps.append(connection.takeSteps())
        }
        #expect(steps[1] * 10 <= steps[0] * 12 && steps[2] * 10 <= steps[0] * 12, "\(steps)")
    }
}
