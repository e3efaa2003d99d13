import Sluice
import SluiceSystem
import Testing

@Suite("library: middleware")
struct MiddlewareTests {
    struct Job: TaskPayload {
        static let taskType = "job"
        var name: String
    }

    struct Down: Error, CustomStringConvertible {
        let description = "503"
    }

    /// The actions, in order.
    private final class Record: Sendable {
        private let lines = Protected<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }

        func put(_ line: String) -> String {
            add(line)
            return line
        }
    }

    private let app = QueueClient(store: MemoryStore())
    private let record = Record()

    private func run(_ name: String = "a") async throws -> QueueTask {
        try await app.control.perform(.setQueue("q", [.attempts(1)]))
        let id = try await app.enqueue(Job(name: name), to: "q")
        try await app.drain(network: nil)
        return try #require(try await app.store.read { try $0.task(id) })
    }

    @Test("the first middleware stands outermost, also around handlers that were there before")
    func order() async throws {
        try app.handle(Job.self) { [record] job, _ in record.add(job.name) }
        for name in ["outer", "inner"] {
            app.use { [record] task, next in
                record.add("\(name) before \(task.execution.task.type)")
                try await next()
                record.add("\(name) after")
            }
        }
        #expect(try await run().state.name == .succeeded)
        #expect(
            record.all == [
                "outer before job", "inner before job", "a", "inner after", "outer after",
            ])
    }

    @Test("A3 it hears the handler's own error, and what it passes on is the attempt's end")
    func errors() async throws {
        try app.handle(Job.self) { _, _ in throw Down() }
        app.use { [record] _, next in
            do { try await next() } catch let error as Down {
                record.add("heard \(error)")
                throw HandlerError(.giveUp(error: "no more"))
            }
        }
        let task = try await run()
        #expect(task.state.name == .failed && task.lastError == "no more")
        #expect(record.all == ["heard 503"])
    }

    @Test("it may settle an attempt without its handler, and swallow an error")
    func settles() async throws {
        try app.handle(Job.self) { [record] job, _ in
            record.add(job.name)
            throw Down()
        }
        app.use { task, next in
            let job = try task.payload(Job.self)
            if job.name == "stale" { return task.log("skipped") }
            if job.name == "refused" { throw HandlerError(.park(error: "not now")) }
            try? await next()
        }
        #expect(try await run("stale").state.name == .succeeded)
        #expect(record.all == [])
        #expect(try await run("refused").waiting?.parking?.detail == "not now")
        #expect(try await run("swallowed").state.name == .succeeded)
        #expect(record.all == ["swallowed"])
    }

    @Test("A4 it sees a payload that does not decode, which is given up")
    func undecodable() async throws {
        try app.handle(Job.self) { _, _ in }
        app.use { [record] _, next in
            do { try await next() } catch {
                record.add("\(type(of: error))")
                throw error
            }
        }
        let request = EnqueueRequest(type: "job", payload: Array("[1]".utf8))
        try await app.control.perform(.enqueue(queue: "q", [request]))
        try await app.drain(network: nil)
        #expect(record.all == ["HandlerError"])
        #expect(try await app.store.read { try $0.task(1) }?.state.name == .failed)
    }

    @Test("S4 the handler's result is kept through it, and a thread of its own stays its own")
    func results() async throws {
        let threads = Protected<Set<UInt>>([])
        app.use { _, next in
            threads.withLock { _ = $0.insert(Thread.currentNumber) }
            try await next()
        }
        try app.handle(Job.self, on: .ownThread) { _, _ in
            threads.withLock { _ = $0.insert(Thread.currentNumber) }
        }
        #expect(try await run().state.name == .succeeded)
        #expect(threads.withLock { $0.count } == 1)
        let other = QueueClient(store: MemoryStore())
        other.use { _, next in try await next() }
        try other.handle(Job.self, returning: String.self) { job, _ in job.name + "!" }
        let session = try await other.session("s", of: Job.self)
        try await session.enqueue(Job(name: "a"))
        let worker = try other.start(network: nil)
        for try await event in session.events {
            guard case .ended(let item) = event else { continue }
            #expect(try item.result(as: String.self) == "a!")
            break
        }
        try await worker.stop()
    }

    @Test("it stands around a handler of any kind, and a stop reaches that through it (A6)")
    func anyKind() async throws {
        let stopped = Protected(false)
        let started = AsyncStream<Void>.makeStream()
        let handler = AsyncHandler { _, _ in
            started.continuation.yield()
            try await withTaskCancellationHandler {
                try await SilentWait().end()
            } onCancel: {
                stopped.withLock { $0 = true }
            }
            return .success(result: nil)
        }
        try app.handle(type: "*", handler)
        app.use { [record] task, next in
            record.add("around \(task.execution.task.type)")
            try await next()
        }
        try await app.enqueue(Job(name: "a"), to: "q")
        let worker = try app.start(network: nil)
        for await _ in started.stream { break }
        try await app.control.perform(.cancel([TaskTarget(1)]))
        try await worker.stop()
        #expect(stopped.withLock { $0 })
        #expect(record.all == ["around job"])
        let attempt = try await app.store.read { try $0.attempts(of: 1) }
        #expect(attempt.map(\.outcome) == [.cancelled])
    }

    @Test("A7 the logger writes what is at least of the client's level, with the level in front")
    func logger() async throws {
        try app.handle(Job.self) { [record] _, task in
            task.logger.debug(record.put("never put together"))
            task.logger.info("charged 3 EUR")
            task.logger.warning("slow")
            task.logger.error("lost")
            task.logger.log(.debug, "no")
        }
        _ = try await run()
        #expect(
            try await app.store.read { try $0.attempts(of: 1).flatMap(\.log) }
                == ["info: charged 3 EUR", "warning: slow", "error: lost"])
        app.logLevel = .debug
        _ = try await run()
        let log = try await app.store.read { try $0.attempts(of: 2).flatMap(\.log) }
        #expect(log.first == "debug: never put together" && log.count == 5)
        #expect(record.all == ["never put together"])
    }
}

/// Waits until cancelled.
private struct SilentWait {
    func end() async throws {
        let (stream, feed) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        feed.finish()
        throw CancellationError()
    }
}
