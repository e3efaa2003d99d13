import Platform
import Sluice
import Testing

/// Handlers for queues by the beginning of their names.
@Suite("brokers")
struct BrokerTests {
    private let ran = Protected<[String]>([])

    private func client(_ name: String) throws -> QueueClient {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-broker-")
        return try QueueClient.open("\(folder)/\(name).db")
    }

    private func handler(_ name: String) -> AsyncHandler {
        AsyncHandler { [ran] execution, _ in
            ran.withLock { $0.append("\(name): \(execution.task.queue) \(execution.task.type)") }
            return .success(result: nil)
        }
    }

    @Test("YTQ-18 two prefixes of which one begins the other are refused, in whatever order")
    func ambiguous() throws {
        for (first, second) in [("m", "message"), ("message", "m")] {
            let app = try client("ambiguous")
            try app.handle(type: "*", queuePrefix: first, handler("1"))
            let error = #expect(throws: QueueError.self) {
                try app.handle(type: "send", queuePrefix: second, handler("2"))
            }
            #expect(error?.code == .badHandlers)
            #expect(error?.message.contains(#"two prefixes, "m" and "message""#) == true)
            try app.handle(type: "*", queuePrefix: "other", handler("3"))
            #expect(throws: QueueError.self) {
                try app.handle(type: "*", queuePrefix: "other", handler("4"))
            }
            try app.handle(type: "send", queuePrefix: "other", handler("5"))
        }
        let brokers = ["q", "q"].map { prefix in
            Broker(queuePrefix: prefix, types: nil) { [self] _ in handler("1") }
        }
        let app = try client("runner")
        #expect(throws: QueueError.self) {
            try Runner(store: app.store, types: [], brokers: brokers, handlers: { _ in nil })
        }
    }

    @Test("YTQ-03 YTQ-18 a broker has every queue of its prefix, those to come too, and no other")
    func prefixes() async throws {
        let app = try client("prefixes")
        try app.handle(type: "send", queuePrefix: "chat-", handler("chat"))
        try app.handle(type: "*", queuePrefix: "mail-", handler("mail"))
        try app.handle(type: "send", handler("plain"))
        try app.handle(type: "sweep", handler("plain"))
        for queue in ["chat-1", "chat-2", "mail-1", "chat", "other"] {
            for type in ["send", "sweep", "strange"] {
                try await app.control.perform(.enqueue(queue: queue, [EnqueueRequest(type: type)]))
            }
        }
        try await app.run(untilEmpty: true)
        #expect(
            ran.withLock { $0.sorted() } == [
                "chat: chat-1 send", "chat: chat-2 send", "mail: mail-1 send",
                "mail: mail-1 strange", "mail: mail-1 sweep", "plain: chat send",
                "plain: chat sweep", "plain: chat-1 sweep", "plain: chat-2 sweep",
                "plain: other send", "plain: other sweep",
            ])
        let why = try await app.store.read { store in
            try store.tasks(matching: TaskQuery(queue: "chat-1", state: .waiting, limit: 9)).map(
                \.type)
        }
        #expect(why == ["strange"])
    }
}
