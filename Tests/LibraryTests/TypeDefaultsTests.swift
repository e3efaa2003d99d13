import Sluice
import SluiceSystem
import Testing

/// The defaults that a payload's type has for all of its tasks.
@Suite("library: defaults of a payload's type")
struct TypeDefaultsTests {
    private struct Down: Error, CustomStringConvertible {
        let description = "503"
    }

    private struct Ping: TaskPayload {
        static let taskType = "ping"
        static let queue: String? = "pings"
        static let retry: RetryRule? = .linear(base: .seconds(5), step: .seconds(2))
        var wait: Int64?
    }

    private struct Other: TaskPayload {
        static let taskType = "other"
    }

    private func frozen() async throws -> QueueClient {
        let app = QueueClient(store: MemoryStore())
        try await app.setClock(.freeze)
        return app
    }

    /// How long a task waits for its retry.
    private func wait(_ id: TaskID, in app: QueueClient) async throws -> Int64? {
        let task = try await app.store.read { try $0.requireTask(id) }
        return task.waiting?.timer.map { $0.until - $0.since }
    }

    @Test("Q14 T5 IDJ-39 the example sends an order's newest mail, three times, from its queue")
    func example() async throws {
        let app = try await frozen()
        let sent = Protected<[String]>([])
        try await sendMail(of: app) { mail in
            sent.withLock { $0.append(mail.text) }
            throw Down()
        }
        try await app.drain(network: nil)
        #expect(try await wait(2, in: app) == 30_000)
        while let next = try await app.clock().next {
            #expect(next.kind == .retry && next.task == 2)
            try await app.setClock(.next(queue: "mail"))
            try await app.drain(network: nil)
        }
        #expect(sent.withLock { $0 } == ["thank you", "thank you", "thank you"])
        let tasks = try await app.store.read { try $0.tasks([1, 2]) }
        #expect(tasks.map(\.stateName) == [.deleted, .failed])
        #expect(tasks.map(\.queue) == ["mail", "mail"])
        #expect(tasks[1].lastError == "503")
    }

    @Test("Q14 a queue and properties that are given go before those of the type")
    func given() async throws {
        let app = try await frozen()
        let ids = [
            try await app.enqueue(OrderMail(order: 1, text: "a"), to: "other"),
            try await app.enqueue(OrderMail(order: 2, text: "b")) {
                ($0.attemptLimit, $0.uniqueKey) = (9, nil)
            },
            try await app.enqueue([OrderMail(order: 3, text: "c")])[0],
            try await app.enqueue(Other()),
        ]
        let tasks = try await app.store.read { try $0.tasks(ids) }
        #expect(tasks.map(\.queue) == ["other", "mail", "mail", "default"])
        #expect(tasks.map(\.attemptLimit) == [3, 9, 3, nil])
        #expect(tasks.map(\.uniqueKey) == ["order-1", nil, "order-3", nil])
    }

    @Test("Q14 A3 R1 S2 follow-ups, sessions and schedules take the queue of the type")
    func everywhere() async throws {
        let app = try await frozen()
        try app.handle(Other.self) { _, task in try task.enqueue(Ping()) }
        try await app.enqueue(Other(), to: "q")
        try await app.drain(network: nil)
        let session = try await app.session("uploads")
        let id = try await session.enqueue(Ping())
        let tasks = try await app.store.read { try $0.tasks([2, id]) }
        #expect(tasks.map(\.type) == ["ping", "ping"])
        #expect(tasks.map(\.queue) == ["pings", "pings"])
        #expect(try await app.schedule("s", .every(.seconds(60)), Ping()).queue == "pings")
        try await app.close()
    }

    @Test("Q14 the rule of the type gives the wait of an error without one")
    func rule() async throws {
        let app = try await frozen()
        try await app.control.perform(
            .setQueue("pings", [.retry(.fixed(.seconds(1))), .concurrency(9)]))
        try app.handle(Ping.self) { ping, _ in
            guard let wait = ping.wait else { throw Down() }
            throw HandlerError(
                .retry(afterMilliseconds: wait < 0 ? nil : wait, error: "asked"))
        }
        let ids = try await app.enqueue([Ping(), Ping(wait: -1), Ping(wait: 700)])
        try await app.drain(network: nil)
        var waits: [Int64?] = []
        for id in ids { waits.append(try await wait(id, in: app)) }
        #expect(waits == [5_000, 5_000, 700])
        try await app.setClock(.move(5_000))
        try await app.drain(network: nil)
        #expect(try await wait(ids[0], in: app) == 7_000)
        let errors = try await app.store.read { try $0.tasks(ids).map(\.lastError) }
        #expect(errors == ["503", "asked", "asked"])
    }
}
