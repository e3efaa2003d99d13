import Sluice
import SluiceSystem
import Testing

/// The cost of a store in memory for an app's tests, in counts.
@Suite("library: a store in memory")
struct MemoryPaceTests {
    struct Job: TaskPayload {
        static let taskType = "job"
        var number: Int
    }

    @Test("K6 each task costs as many looks among many as among few")
    func linear() async throws {
        func looks(_ count: Int) async throws -> Int {
            let store = MemoryStore()
            let app = QueueClient(store: store)
            try app.handle(Job.self) { _, _ in }
            for number in 0..<count { try await app.enqueue(Job(number: number), to: "q") }
            try await app.drain(slots: 1, network: nil)
            #expect(try await store.read { try $0.counts()[.waiting] } == 0)
            return store.looked / count
        }
        let (few, many) = (try await looks(60), try await looks(600))
        #expect(many <= few + 2, "\(few) looks for each of 60 tasks, \(many) for each of 600")
    }
}
