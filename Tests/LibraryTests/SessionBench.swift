import Sluice
import SluiceSystem

struct Upload: TaskPayload, Equatable {
    static let taskType = "files/upload"
    var path: String
    var parts: [Int]
    var note: String?
}

struct Download: TaskPayload, Equatable {
    static let taskType = "files/download"
    var destination: String
    var overwrite: Bool
}

/// The agent's result of an upload.
struct Receipt: Codable, Sendable, Equatable {
    var path: String
    var bytes: Int
}

/// A store with a simulated clock and simulated program runs. Its deinit removes it.
final class SessionBench: Sendable {
    let folder: String
    private let clock = Protected(Timestamp(milliseconds: 1_800_000_000_000))

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "sluice-session") }

    deinit { try? Files.removeTree(folder) }

    var now: Timestamp { clock.withLock { $0 } }

    func pass(_ milliseconds: Int64) { clock.withLock { $0 = $0 + milliseconds } }

    func at(_ milliseconds: Int64) -> Timestamp { now + milliseconds }

    /// A program that opens the store: its own connection, threads and locks.
    func life(_ person: String = "app") throws -> QueueClient {
        let store = try SQLiteStore.open(
            path: "\(folder)/shared.db", createIfMissing: true, durability: .normal,
            clock: { self.now })
        return QueueClient(store: store, person: person, now: { self.now })
    }

    /// Another process that runs what there is: `sluice work` in a test.
    func agent(
        _ body: @escaping @Sendable (Upload, TaskContext) async throws -> Receipt = { upload, _ in
            Receipt(path: upload.path, bytes: upload.parts.count)
        }
    ) async throws {
        let agent = try life("agent")
        try agent.handle(Upload.self, returning: Receipt.self, body)
        try await agent.drain()
        agent.store.close()
    }

    /// Runs everything that may run, each task to the outcome given for it.
    func agent(_ outcome: @escaping @Sendable (Execution) -> HandlerOutcome) async throws {
        let agent = try life("agent")
        try agent.handle(type: "*", AsyncHandler { execution, _ in outcome(execution) })
        try await agent.drain()
        agent.store.close()
    }

    /// Runs an agent during `body`, and then stops it.
    func withAgent<Value>(
        _ outcome: @escaping @Sendable (Execution) -> HandlerOutcome,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let agent = try life("agent")
        try agent.handle(type: "*", AsyncHandler { execution, _ in outcome(execution) })
        let worker = try agent.start()
        let value = try await body()
        try await worker.stop()
        agent.store.close()
        return value
    }
}

extension TaskSession {
    /// The next `count` end events, skipping others.
    func ends(_ count: Int) async throws -> [SessionItem] {
        var items: [SessionItem] = []
        guard count > 0 else { return items }
        for try await event in events {
            if case .ended(let item) = event { items.append(item) }
            if items.count == count { break }
        }
        return items
    }
}

/// A thread-safe counter of calls.
final class Calls: Sendable {
    private let number = Protected(0)

    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

/// A handler that runs until cancelled, and then throws. It ends after 30 seconds, so that a test
/// without a cancel ends too.
func goOnUntilCancelled() async throws {
    let end = SystemClock.monotonicMilliseconds() + 30_000
    while !Task.isCancelled, SystemClock.monotonicMilliseconds() < end { await Task.yield() }
    try Task.checkCancellation()
}
