import Sluice
import SluiceSystem
import Testing

/// The library as an app uses it, on a real file.
@Suite("library")
struct LibraryTests {
    let folder: String

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "sluice-library") }

    @Test("the README's example: open, handle, enqueue, run")
    func readmeExample() async throws {
        let path = "\(folder)/app.db"
        try await greet(storeAt: path)
        let app = try QueueClient.open(path)
        let journal = try await app.store.read { try $0.journal(JournalQuery(limit: 10)) }
        let logs = journal.compactMap { entry -> [String]? in
            if case .attempt(let attempt) = entry { return attempt.log }
            return nil
        }
        #expect(logs == [["hello Dana, execution 1"]])
        let counts = try await app.store.read { try $0.counts(queue: "greetings") }
        #expect(counts.states.values.reduce(0, +) == 1 && counts[.succeeded] == 1)
    }

    @Test("A4 a payload that does not decode is given up, not retried; two handlers are refused")
    func badPayload() async throws {
        let app = try QueueClient.open("\(folder)/bad.db")
        try app.handle(Greeting.self) { _, _ in }
        #expect(throws: QueueError.self) { try app.handle(Greeting.self) { _, _ in } }
        let request = EnqueueRequest(type: "greeting", payload: Array("[1]".utf8))
        let answer = try await app.control.perform(.enqueue(queue: "q", [request]))
        try await app.drain()
        let id = try #require(answer.changed.first)
        let task = try #require(try await app.store.read { try $0.task(id) })
        #expect(task.state.name == .failed)
        #expect(task.attempts == 1)
        #expect(task.lastError?.contains("does not decode") == true)
    }

    @Test("IDJ-31 what is enqueued without a queue is in the default one, which an app may name")
    func defaultQueue() async throws {
        let app = try QueueClient.open("\(folder)/default.db")
        try await app.enqueue(Greeting(name: "Dana"))
        let other = try QueueClient.open("\(folder)/default.db", defaultQueue: "jobs")
        try await other.enqueue(Greeting(name: "Kim"))
        try await other.enqueue(Greeting(name: "Ann"), to: "greetings")
        let names = try await app.store.read { try $0.queues().map(\.name).sorted() }
        #expect(names == ["default", "greetings", "jobs"])
    }

    @Test("IDJ-22 a payload that cannot be JSON is refused at the call, and nothing is stored")
    func noJSON() async throws {
        let app = try QueueClient.open("\(folder)/number.db")
        let error = await #expect(throws: QueueError.self) {
            try await app.enqueue(Measure(value: .infinity), to: "q")
        }
        #expect(error?.code == .badValue)
        #expect(try await app.store.read { try $0.queues() } == [])
    }

    @Test("A3 follow-ups come with the success, with parent and depth; T6 bounds the chain")
    func followUps() async throws {
        let app = try QueueClient.open("\(folder)/chain.db")
        try app.handle(Link.self) { link, task in
            if link.left > 0 { try task.enqueue(Link(left: link.left - 1)) }
        }
        try await app.enqueue(Link(left: 3), to: "chain")
        let started = Protected<[TaskID]>([])
        try await app.drain { event in
            guard case .started(let execution) = event else { return }
            started.withLock { $0.append(execution.task.id) }
        }
        #expect(started.withLock { $0 } == [1, 2, 3, 4])
        let answer = try await app.control.perform(.setQueue("chain", [.maximumDepth(2)]))
        #expect(answer.summary.contains("settings of chain changed"))
        try await app.enqueue(Link(left: 9), to: "chain")
        try app.handle(type: "*", AsyncHandler { _, _ in .success(result: nil) })
        try await app.control.perform(
            .setQueue("chain", [.attempts(1)]))
        try await app.drain()
        let failed = try await app.store.read { store in
            try store.tasks(matching: TaskQuery(queue: "chain", state: .failed, limit: 10))
        }
        #expect(failed.map(\.depth) == [2])
    }

    @Test("K8 a worker ends with an error when its store is removed, and tells the trouble once")
    func gone() async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-gone")
        let app = try QueueClient.open("\(folder)/a.db")
        let worker = try app.start()
        var events = worker.events.makeAsyncIterator()
        try Files.remove("\(folder)/a.db")
        let error = await #expect(throws: QueueError.self) { try await worker.end() }
        #expect(error?.code == .noStore)
        var troubles: [String] = []
        while let event = await events.next(), event != .ended {
            if case .troubled(let text) = event { troubles.append("\(text)") }
        }
        #expect(troubles.count == 1, "\(troubles)")
        app.store.close()
        try Files.removeTree(folder)
    }
}

struct Measure: TaskPayload {
    static let taskType = "measure"
    var value: Double
}

struct Link: TaskPayload {
    static let taskType = "link"
    var left: Int
}
