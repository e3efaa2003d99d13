import Sluice
import SluiceSystem
import Testing

/// Follow-ups that handlers enqueue in the commit of their success.
@Suite("library: follow-ups")
struct FollowUpTests {
    struct Order: TaskPayload {
        static let taskType = "order"
        var fails: Bool
    }
    struct Invoice: TaskPayload {
        static let taskType = "invoice"
        var number: Int
    }

    private static func app(
        _ body: @escaping @Sendable (TaskContext) throws -> Void
    ) async throws -> QueueClient {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Order.self) { order, task in
            try body(task)
            if order.fails { throw HandlerError(.giveUp(error: "no")) }
        }
        return app
    }

    private static func tasks(_ app: QueueClient, _ queue: String) async throws -> [QueueTask] {
        try await app.store.read { store in
            try store.tasks(matching: TaskQuery(queue: queue, state: .waiting, limit: 10))
        }
    }

    @Test("A3 a follow-up says all that an enqueue may say, and comes with the success alone")
    func all() async throws {
        let app = try await Self.app { task in
            try task.enqueue(Invoice(number: 7), to: "bills") {
                ($0.groupStart, $0.groupMembers) = ("g", ["t1"])
                ($0.priority, $0.label, $0.uniqueKey) = (5, "first", "k")
                ($0.attemptLimit, $0.isRequired) = (3, true)
            }
            try task.enqueue(Invoice(number: 8), to: "bills") { $0.uniqueKey = "k" }
        }
        try await app.enqueue(Order(fails: true), to: "orders")
        try await app.drain(network: nil)
        #expect(try await app.store.read { try $0.queue(named: "bills") } == nil)
        let id = try await app.enqueue(Order(fails: false), to: "orders")
        try await app.drain(network: nil)
        let made = try await Self.tasks(app, "bills")
        // The second one has a duplicate key.
        #expect(made.count == 1)
        let bill = try #require(made.first)
        #expect(bill.type == "invoice" && bill.parent == id && bill.depth == 1)
        #expect(bill.groupStart == "g" && bill.groupMembers == ["t1"])
        #expect(bill.priority == 5 && bill.label == "first" && bill.uniqueKey == "k")
        #expect(bill.attemptLimit == 3 && bill.isRequired)
    }

    @Test("A3 T6 one with a time of its own begins at depth 0, as one that waits does")
    func later() async throws {
        let app = try await Self.app { task in
            try task.enqueue(Invoice(number: 1), to: "q") {
                $0.notBefore = Timestamp(milliseconds: 9_000_000_000_000)
            }
            try task.enqueue(Invoice(number: 2), to: "q", after: .seconds(60))
            try task.enqueue(Invoice(number: 3), to: "q") {
                $0.notBefore = Timestamp(milliseconds: 1)
            }
        }
        try await app.enqueue(Order(fails: false), to: "orders")
        // A delayed task would keep `drain` waiting.
        let (ends, feed) = AsyncStream<Void>.makeStream()
        let worker = try app.start(network: nil) { event in
            if case .settled = event { feed.yield() }
        }
        for await _ in ends { break }
        try await worker.stop()
        let made = try await Self.tasks(app, "q").filter { $0.parent != nil }
        #expect(made.map(\.depth) == [0, 0, 1])
        #expect(made[0].waiting?.timer?.until == Timestamp(milliseconds: 9_000_000_000_000))
        #expect(made[1].waiting?.timer?.cause == .notBefore && made[2].waiting?.timer == nil)
    }

    @Test("A3 what cannot be is thrown where it is said, and nothing comes")
    func refused() async throws {
        let errors = Protected<[QueueError.Code]>([])
        let app = try await Self.app { task in
            for (queue, group) in [("", "g"), ("q", "\u{1}"), ("q", "")] {
                do {
                    try task.enqueue(Invoice(number: 1), to: queue) { $0.groupMembers = [group] }
                } catch let error as QueueError {
                    errors.withLock { $0.append(error.code) }
                }
            }
        }
        try await app.enqueue(Order(fails: false), to: "orders")
        try await app.drain(network: nil)
        #expect(errors.withLock { $0 } == [.badName, .badName, .badName])
        #expect(try await app.store.read { try $0.queues().map(\.name) } == ["orders"])
    }
}
