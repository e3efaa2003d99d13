import SluiceModel
import SluiceStore
import Testing

@testable import SluiceSQL

/// Bounds how the work for a task grows with the number of queues with waiting tasks. The measure
/// is the steps that SQLite makes, because times vary.
@Suite("queues in which something waits")
struct ManyQueuesTests {
    private static func store(queues count: Int) throws -> Place {
        let place = try Place()
        let store = try place.open()
        try store.transactBlocking(at: at(0)) { mutation in
            for number in 0..<count {
                _ = try mutation.enqueue([EnqueueRequest(type: "t")], to: "q\(number)")
            }
        }
        store.close()
        return place
    }

    private static func completion(_ claimed: Claimed) -> Completion {
        Completion(
            task: claimed.task.id, token: claimed.task.running?.token ?? 0,
            ending: .handler(.success(result: nil)))
    }

    /// The steps of commits that settle and claim eight tasks each.
    private static func workSteps(queues count: Int) throws -> Int {
        let place = try store(queues: count)
        let connection = try Connection(path: place.path, mode: .readWrite)
        try connection.beginWriting()
        let session = TableWriter(connection, settingsCache: SettingsCache())
        session.liveness = { _ in true }
        let runner = try session.transact(at: at(1)) { mutation in
            try mutation.attach(
                ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                    attachedAt: at(1))
            ).id
        }
        var turn = RoundRobin()
        var running: [Claimed] = []
        for round in 0..<21 {
            // The first claim reads all queues once.
            if round == 1 { _ = connection.takeSteps() }
            running = try session.transact(at: at(2)) { [running, turn] mutation in
                _ = try mutation.settle(running.map(completion))
                var request = ClaimRequest(runner: runner, freeSlots: 8, inFlight: 0)
                (request.turn, request.isOffering) = (turn, true)
                return try mutation.claim(request)
            }
            #expect(running.count == 8)
            turn.record(running.map(\.task.queue))
            try session.finish()
            try session.writeCounts()
            session.rest()
        }
        return connection.takeSteps()
    }

    @Test("Q5 A1 a commit of a worker costs the same beside 500, 2,000 and 5,000 queues")
    func work() throws {
        let steps = try [500, 2000, 5000].map(Self.workSteps)
        #expect(steps[1] * 10 <= steps[0] * 12 && steps[2] * 10 <= steps[0] * 12, "\(steps)")
    }

    @Test("A1 a look that finds work costs the same beside 500, 2,000 and 5,000 queues")
    func looks() throws {
        let steps = try [500, 2000, 5000].map { count in
            let place = try Self.store(queues: count)
            let connection = try Connection(path: place.path, mode: .readOnly)
            try connection.beginReading()
            let reader = TableReader(connection, settingsCache: SettingsCache())
            var seen: [String] = []
            try reader.visitQueuesInUse { queue in
                seen.append(queue.record.name)
                return false
            }
            #expect(try seen.count == 1 && reader.queues(.busy).isEmpty)
            return connection.takeSteps()
        }
        #expect(steps[1] * 10 <= steps[0] * 12 && steps[2] * 10 <= steps[0] * 12, "\(steps)")
    }

    @Test("A1 a whole look meets each queue in use once, those with a run or wakes too")
    func all() throws {
        let place = try Self.store(queues: 40)
        let store = try place.open()
        try store.transactBlocking(at: at(1)) { mutation in
            _ = try mutation.enqueue(
                (0..<3).map { EnqueueRequest(type: $0 == 0 ? "t" : "u") }, to: "q1")
            try mutation.openRun("q2", limit: nil)
            try mutation.store.put(QueueRecord(name: "empty", createdAt: at(1)))
            try mutation.store.put(QueueRecord(name: "run", createdAt: at(1)))
            try mutation.openRun("run", limit: nil)
        }
        let seen = try store.readBlocking { reader in
            var seen: [String] = []
            try reader.visitQueuesInUse { queue in
                seen.append(queue.record.name)
                return true
            }
            return seen
        }
        #expect(seen.sorted() == ((0..<40).map { "q\($0)" } + ["run"]).sorted())
        store.close()
    }
}
