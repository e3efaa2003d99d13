import Sluice
import SluiceSystem
import Testing

/// Typed tasks that come many at a time.
@Suite("library: batches")
struct BatchTests {
    /// A payload with a currency, which an older version lacked.
    struct Order: TaskPayload, Equatable {
        static let taskType = "order"
        static let payloadVersion = 2
        var number: Int
        var currency: String

        /// Would ruin what this version wrote.
        static func upgrade(_ payload: [UInt8], from version: Int) throws -> Order {
            Order(number: -1, currency: "upgraded from \(version)")
        }
    }

    private let orders = (1...3).map { Order(number: $0, currency: "EUR") }

    @Test("T3 PN-18 a batch is one commit in the order given, and keeps the payloads' version")
    func batch() async throws {
        let app = QueueClient(store: MemoryStore())
        let read = Protected<[Order]>([])
        try app.handle(Order.self) { order, _ in read.withLock { $0.append(order) } }
        let commits = Protected(0)
        let watch = try app.store.observe { commits.withLock { $0 += 1 } }
        let ids = try await app.enqueue(orders, to: "shop") { order, task in
            task.label = "order \(order.number)"
        }
        withExtendedLifetime(watch) {}
        #expect(commits.withLock { $0 } == 1)
        #expect(ids == [1, 2, 3])
        let labels = try await app.store.read { try $0.tasks(ids).map(\.label) }
        #expect(labels == ["order 1", "order 2", "order 3"])
        try await app.drain(slots: 1, network: nil)
        #expect(read.withLock { $0 } == orders)
    }

    @Test("T3 where one of a batch cannot come, none does")
    func none() async throws {
        let app = QueueClient(store: MemoryStore())
        try await app.enqueue(orders[0], to: "shop")
        let error = await #expect(throws: QueueError.self) {
            try await app.enqueue(orders, to: "shop") { order, task in
                if order.number == 3 { task.groupMembers = [""] }
            }
        }
        #expect(error?.code == .badName)
        #expect(try await app.store.read { try $0.counts()[.waiting] } == 1)
        #expect(try await app.enqueue([Order](), to: "empty") == [])
        #expect(try await app.store.read { try $0.queue(named: "empty") } == nil)
    }

    @Test("PN-18 a request made of a payload has its version, also in a session and an inbox's SQL")
    func request() async throws {
        let app = QueueClient(store: MemoryStore())
        let requests = try orders.map { try EnqueueRequest($0) }
        let session = try await app.session("s", of: Order.self)
        let ids = try await session.enqueue(requests)
        let payloads = try await app.store.read { try $0.payloads(of: ids) }
        #expect(
            payloads.values.allSatisfy {
                String(decoding: $0, as: UTF8.self).contains("$version\":2")
            })
    }

    @MainActor
    @Test("a task is configured on the actor that enqueues it, with what only that may touch")
    func actor() async throws {
        final class Form { var label = "from a screen" }
        let (app, form) = (QueueClient(store: MemoryStore()), Form())
        let id = try await app.enqueue(orders[0], to: "shop") {
            $0.label = form.label
            form.label = "sent"
        }
        #expect(form.label == "sent")
        #expect(try await app.store.read { try $0.task(id) }?.label == "from a screen")
    }
}
