import SluiceModel
import SluiceStore
import Testing

@testable import SluiceSQL

@Suite("queues in which nothing waits")
struct IdleQueueTests {
    private static func process() -> ProcessRecord {
        var process = ProcessRecord(
            id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l", attachedAt: at(0))
        process.slots = 8
        return process
    }

    @Test("K6 A1 a claim beside hundreds of idle queues reads none of them")
    func claim() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        try store.writeBlocking { writer in
            for number in 0..<300 {
                try writer.put(QueueRecord(name: "idle\(number)", createdAt: at(0)))
            }
        }
        store.close()
        let connection = try Connection(path: place.path, mode: .readWrite)
        try connection.beginWriting()
        let session = TableWriter(connection, settingsCache: SettingsCache())
        session.liveness = { _ in true }
        try session.transact(at: at(1)) { mutation in
            let runner = try mutation.attach(Self.process()).id
            _ = try mutation.enqueue([EnqueueRequest(type: "t")], to: "q")
            var request = ClaimRequest(runner: runner, freeSlots: 4, inFlight: 0)
            request.isOffering = true
            let claimed = try mutation.claim(request)
            #expect(claimed.count == 1)
            _ = try mutation.settle(
                claimed.map {
                    Completion(
                        task: $0.task.id, token: $0.task.running?.token ?? 0,
                        ending: .handler(.success(result: nil)))
                })
            _ = try mutation.workOffWakes()
        }
        #expect(try session.queues(.holding([.waiting, .running])).isEmpty)
        try session.finish()
        try session.writeCounts()
        let asked = connection.preparedQueries
        #expect(asked.contains { $0.contains("FROM sluice_queue") })
        #expect(!asked.contains { $0.contains("FROM sluice_queue ORDER BY name") })
        let nothing = try connection.rows(
            once: "SELECT count(*) FROM sluice_tally WHERE queue > 0 AND n = 0"
        ) { $0.integer(0) }
        #expect(nothing == [0])
    }

    @Test("Q5 the largest priority is known as settings change and queues go")
    func priority() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        func highest() throws -> Int? { try store.readBlocking { try $0.highestPriority() } }
        #expect(try highest() == 0)
        for (name, priority) in [("a", -5), ("b", 7), ("b", 3), ("c", 1)] as [(String, Int)] {
            try store.writeBlocking { writer in
                var queue =
                    try writer.queue(named: name) ?? QueueRecord(name: name, createdAt: at(0))
                queue.settings.priority = priority
                try writer.put(queue)
            }
        }
        #expect(try highest() == 3)
        try store.writeBlocking { try $0.removeQueue(named: "b") }
        #expect(try highest() == 1)
        store.close()
    }
}
