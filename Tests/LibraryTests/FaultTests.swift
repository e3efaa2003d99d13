import Sluice
import SluiceSystem
import Testing

/// An app's own test of how it bears what goes wrong.
@Suite("library: faults")
struct FaultTests {
    struct Charge: TaskPayload {
        static let taskType = "charge"
        var order: Int
    }

    @Test("G2 A8 an app tries its handler twice, and after a failure, in a store in memory")
    func app() async throws {
        let app = QueueClient(store: MemoryStore())
        let keys = Protected<[String]>([])
        try app.handle(Charge.self) { _, task in
            keys.withLock { $0.append(task.execution.idempotencyKey) }
        }
        try await app.control.perform(.setQueue("shop", [.retry(.fixed(milliseconds: 0))]))
        let charge = try TaskFilter("type:charge")
        try await app.control.perform(.setFault(FaultRequest(charge, .fail("HTTP 500"))))
        try await app.control.perform(.setFault(FaultRequest(charge, .twice)))
        try await app.enqueue(Charge(order: 7), to: "shop")
        try await app.drain(network: nil)
        let called = keys.withLock { $0 }
        #expect(called.count == 2 && Set(called).count == 1)
        let injected = try await app.store.read { store in
            try store.journal(JournalQuery(limit: 100)).compactMap { entry in
                if case .attempt(let attempt) = entry { attempt.injection?.sentence } else { nil }
            }
        }
        #expect(injected == ["injected: fault 1, fail=HTTP 500", "injected: fault 2, twice"])
    }

    @Test(
        "G2 only a worker that allows it says that a crash may kill it", arguments: [false, true])
    func allowsCrash(_ allows: Bool) async throws {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Charge.self) { _, _ in }
        let worker = try app.start(network: nil, allowsCrash: allows)
        let rows = try await app.store.read { try $0.processes() }
        #expect(rows.map(\.allowsCrash) == [allows])
        try await worker.stop()
    }
}
