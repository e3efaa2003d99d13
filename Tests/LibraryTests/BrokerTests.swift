import Sluice
import SluiceSystem
import Testing

/// Handlers for queues by the beginning of their names.
@Suite("brokers", .timeLimit(.minutes(10)))
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

    @Test("YTQ-18 what is named instead of a prefix begins no other, and is begun by none")
    func example() throws {
        for (first, second) in [("chat-", "chat-a"), ("a", "a-"), ("a-", "a")] {
            let app = try client("example")
            try app.handle(type: "*", queuePrefix: first, handler("1"))
            let error = #expect(throws: QueueError.self) {
                try app.handle(type: "send", queuePrefix: second, handler("2"))
            }
            #expect(error?.fix == "choose prefixes that do not begin with each other")
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
            #expect(
                error?.fix
                    == #"choose prefixes that do not begin with each other, such as "m-" for "m""#)
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
        for queue in ["chat-1", "chat-2", "mail-1", "chat", "mail", "other"] {
            for type in ["send", "sweep", "strange"] {
                try await app.control.perform(.enqueue(queue: queue, [EnqueueRequest(type: type)]))
            }
        }
        try await app.drain()
        #expect(
            ran.withLock { $0.sorted() } == [
                "chat: chat-1 send", "chat: chat-2 send", "mail: mail-1 send",
                "mail: mail-1 strange", "mail: mail-1 sweep", "plain: chat send",
                "plain: chat sweep", "plain: chat-1 sweep", "plain: chat-2 sweep",
                "plain: mail send", "plain: mail sweep", "plain: other send",
                "plain: other sweep",
            ])
        // No worker claims a task without a handler.
        for queue in ["chat-1", "mail"] {
            let left = try await app.store.read { store in
                try store.tasks(matching: TaskQuery(queue: queue, state: .waiting, limit: 9))
            }
            #expect(left.map(\.type) == ["strange"])
            #expect(left.map(\.executions) == [0])
        }
    }

    @Test("YTQ-20 a predicate chooses queues, those that come too, before a handler for all")
    func predicates() async throws {
        let app = try client("predicates")
        try app.handle(type: "send", forQueues: { $0.hasSuffix("-chat") }, handler("chat"))
        try app.handle(type: "only", forQueues: { $0.hasSuffix("-chat") }, handler("chat"))
        try app.handle(type: "send", handler("plain"))
        for (queue, type) in [("a-chat", "send"), ("a-chat", "only"), ("b", "send"), ("b", "only")]
        {
            try await app.control.perform(.enqueue(queue: queue, [EnqueueRequest(type: type)]))
        }
        let (events, feed) = AsyncStream<RunnerEvent>.makeStream()
        let worker = try app.start(network: nil) { feed.yield($0) }
        var settled = 0
        for await event in events {
            guard case .settled(let task) = event else { continue }
            settled += 1
            if settled == 3 {
                try await app.control.perform(
                    .enqueue(queue: "c-chat", ["only", "send"].map { EnqueueRequest(type: $0) }))
            }
            if settled == 5 {
                #expect(task.queue == "c-chat")
                break
            }
        }
        let handled = try await app.store.read {
            try $0.processes().flatMap { $0.handledNames ?? [] }
        }
        #expect(
            handled.sorted() == [
                "a-chat/only", "a-chat/send", "c-chat/only", "c-chat/send", "send",
            ])
        try await worker.stop()
        #expect(
            ran.withLock { $0.sorted() } == [
                "chat: a-chat only", "chat: a-chat send", "chat: c-chat only", "chat: c-chat send",
                "plain: b send",
            ])
    }

    /// Two handlers for `send` that both want what begins with m, and one for another type.
    private func rivals(_ name: String) throws -> QueueClient {
        let app = try client(name)
        let wants = { @Sendable (queue: String) in queue.hasPrefix("m") }
        try app.handle(
            type: "send", forQueues: { _ in true }, file: "A.swift", line: 1, handler("1"))
        try app.handle(type: "send", forQueues: wants, file: "B.swift", line: 2, handler("2"))
        try app.handle(type: "sweep", forQueues: wants, handler("3"))
        return app
    }

    private static let quarrel =
        #"two handlers want the queue "mail": send at A.swift:1 and send at B.swift:2"#

    @Test("YTQ-18 YTQ-20 two predicates that want a queue that is there are refused by their names")
    func contestedAtTheStart() async throws {
        let app = try rivals("contested")
        try await app.control.perform(.enqueue(queue: "other", [EnqueueRequest(type: "send")]))
        try await app.drain(network: nil)
        #expect(ran.withLock { $0 } == ["1: other send"])
        try await app.control.perform(.setQueue("mail", []))
        let error = await #expect(throws: QueueError.self) { try await app.drain() }
        #expect(error?.code == .badHandlers && error?.message == Self.quarrel)
    }

    @Test("YTQ-18 YTQ-20 a queue that comes and that two want is left alone, and both are named")
    func contestedLater() async throws {
        let app = try rivals("later")
        let (events, feed) = AsyncStream<RunnerEvent>.makeStream()
        let worker = try app.start(network: nil) { feed.yield($0) }
        var told: [String] = []
        var id: TaskID = 0
        loop: for await event in events {
            switch event {
            case .attached:
                let request = EnqueueRequest(type: "send")
                id = try await app.control.perform(.enqueue(queue: "mail", [request])).changed[0]
            case .troubled(let error):
                told.append(error.message)
                try await app.control.perform(
                    .enqueue(queue: "other", [EnqueueRequest(type: "send")]))
            case .settled: break loop
            case .started, .ended, .told: break
            }
        }
        let mail = id
        let why = try await app.store.read { store in
            try Reading(store, now: app.control.now()).line(mail).blockers.map(\.text)
        }
        try await worker.stop()
        #expect(told == [Self.quarrel])
        #expect(why.contains { $0.hasSuffix(Self.quarrel) })
        #expect(ran.withLock { $0 } == ["1: other send"])
    }
}
