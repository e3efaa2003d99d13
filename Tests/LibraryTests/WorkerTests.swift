import Sluice
import SluiceSystem
import Testing

/// A worker of an app as a value: start, events, end.
@Suite("library: workers")
struct WorkerTests {
    private let ran = Protected<[String]>([])

    private func client(_ name: String) throws -> (QueueClient, AsyncStream<String>) {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-worker")
        let (words, feed) = AsyncStream<String>.makeStream()
        let app = try QueueClient.open("\(folder)/\(name).db")
        try app.handle(
            type: "send",
            AsyncHandler { execution, _ in
                feed.yield("\(execution.task.queue) \(execution.task.type)")
                return .success(result: nil)
            })
        return (app, words)
    }

    private func enqueue(_ type: String, to queue: String, _ app: QueueClient) async throws {
        try await app.control.perform(.enqueue(queue: queue, [EnqueueRequest(type: type)]))
    }

    @Test("A1 A6 two workers of one app: each serves its queues and is stopped by itself")
    func two() async throws {
        let (app, words) = try client("two")
        var said = words.makeAsyncIterator()
        let mail = try app.start(queues: ["mail"], slots: 2, network: nil)
        let chat = try app.start(queues: ["chat"], slots: 2, network: nil)
        #expect(mail.id != chat.id)
        let events = mail.events
        try await mail.stop()
        var last: RunnerEvent?
        for await event in events { last = event }
        #expect(last == .ended)
        try await enqueue("send", to: "mail", app)
        try await enqueue("send", to: "chat", app)
        #expect(await said.next() == "chat send")
        let runners = try await app.store.read { try $0.processes().map(\.id) }
        #expect(runners == [chat.id])
        try await chat.stop()
        #expect(try await app.store.read { try $0.counts(queue: "mail")[.waiting] } == 1)
    }

    @Test("A4 a handler that is added while a worker runs is served, and its row says so")
    func addedLater() async throws {
        let (app, words) = try client("later")
        var said = words.makeAsyncIterator()
        let worker = try app.start(network: nil)
        try await enqueue("late", to: "q", app)
        try await enqueue("send", to: "q", app)
        #expect(await said.next() == "q send")
        let (late, feed) = AsyncStream<String>.makeStream()
        try app.handle(
            type: "late",
            AsyncHandler { execution, _ in
                feed.yield(execution.task.type)
                return .success(result: nil)
            })
        var heard = late.makeAsyncIterator()
        #expect(await heard.next() == "late")
        let types = try await app.store.read { try $0.processes().first?.types }
        #expect(types == ["late", "send"])
        try await worker.stop()
    }

    @Test("A4 handlers that are added at the same time are all served")
    func addedTogether() async throws {
        let (app, _) = try client("together")
        let worker = try app.start(network: nil)
        let count = 200
        await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    try app.handle(
                        type: "t\(number)", AsyncHandler { _, _ in .success(result: nil) })
                }
            }
        }
        let end = SystemClock.monotonicMilliseconds() + 20_000
        var served = 0
        while served <= count, SystemClock.monotonicMilliseconds() < end {
            served = try await app.store.read { try $0.processes().first?.types?.count ?? 0 }
            await Task.yield()
        }
        #expect(served == count + 1)
        try await worker.stop()
    }

    @Test("A6 a sequence of events that nobody reads holds no more than its bound")
    func bounded() async throws {
        let (app, _) = try client("bounded")
        try await app.control.perform(
            .enqueue(
                queue: "q",
                Array(repeating: EnqueueRequest(type: "send"), count: Worker.eventLimit)))
        try await app.control.perform(.setQueue("q", [.concurrency(50)]))
        let (ends, feed) = AsyncStream<Void>.makeStream()
        let worker = try app.start(slots: 50, network: nil) { event in
            if case .settled = event { feed.yield() }
        }
        let unread = worker.events
        var settled = 0
        for await _ in ends {
            settled += 1
            if settled == Worker.eventLimit { break }
        }
        try await worker.stop()
        #expect(worker.missedEvents > 0)
        var held = 0
        for await _ in unread { held += 1 }
        #expect(held == Worker.eventLimit)
    }
}
