import Sluice
import SluiceCSQLite
import SluiceSystem
import Testing

/// An application with its own table of actions, like users of YapTaskQueue. A stored action is
/// enqueued, a removed one does not run, and its date sets its order.
final class ActionStore {
    private let database: OpaquePointer

    init(_ bench: SessionBench) throws {
        var handle: OpaquePointer?
        #expect(sqlite3_open("\(bench.folder)/shared.db", &handle) == SQLITE_OK)
        database = try #require(handle)
        sqlite3_busy_timeout(database, 5000)
        try run(
            """
            CREATE TABLE IF NOT EXISTS action (key TEXT PRIMARY KEY, queue TEXT, date INTEGER);
            CREATE TRIGGER IF NOT EXISTS stored AFTER INSERT ON action BEGIN
                INSERT INTO sluice_inbox (queue, type, unique_key, sort_key)
                VALUES (new.queue, 'action', new.key, new.date);
            END;
            CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON action BEGIN
                INSERT INTO sluice_removed (queue, type, unique_key)
                VALUES (old.queue, 'action', old.key);
            END
            """)
    }

    deinit { sqlite3_close(database) }

    /// Stores an action in a separate transaction.
    func store(_ key: String, in queue: String, date: Int = 0) throws {
        try run("INSERT INTO action VALUES ('\(key)', '\(queue)', \(date))")
    }

    func remove(_ key: String) throws { try run("DELETE FROM action WHERE key = '\(key)'") }

    private func run(_ sql: String) throws {
        try #require(
            sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(database)))")
    }
}

@Suite("scenarios of brokers")
struct YapScenarioTests {
    private let bench: SessionBench
    private let handled = Protected<[String]>([])

    init() throws { bench = try SessionBench() }

    /// The handled tasks in order, of one queue or of all.
    private func handled(in queue: String? = nil) -> [String] {
        handled.withLock { all in
            all.filter { line in queue.map { line.hasPrefix("\($0)/") } ?? true }
        }
    }

    /// A handler that records its calls and ends with the given outcome.
    private func handler(
        _ outcome: @escaping @Sendable (Execution, any ExecutionReport) -> HandlerOutcome = {
            _, _ in .success(result: nil)
        }
    ) -> AsyncHandler {
        AsyncHandler { [handled] execution, report in
            let task = execution.task
            handled.withLock { $0.append("\(task.queue)/\(task.uniqueKey ?? task.type)") }
            return outcome(execution, report)
        }
    }

    private func app(_ queues: String...) async throws -> QueueClient {
        let app = try bench.life()
        for queue in queues {
            try await app.control.perform(.setQueue(queue, [.preset("yap"), .order(.key)]))
        }
        return app
    }

    @Test("YTQ-01 one handler for all queues is called once with an action that is stored")
    func oneAction() async throws {
        let app = try await app("q")
        try app.handle(type: "*", handler())
        let actions = try ActionStore(bench)
        try actions.store("0", in: "q")
        try await app.drain()
        #expect(handled() == ["q/0"])
        #expect(try await app.store.read { try $0.counts(queue: "q").states[.waiting] ?? 0 } == 0)
    }

    @Test("YTQ-02 actions stored one by one are handled by their dates")
    func oneQueue() async throws {
        let app = try await app("q")
        try app.handle(type: "*", handler())
        let actions = try ActionStore(bench)
        // They do not even arrive in the order of their dates.
        for key in [3, 1, 4, 0, 5, 9, 2, 6, 8, 7] {
            try actions.store("\(key)", in: "q", date: 1000 + key)
        }
        try await app.drain()
        #expect(handled() == (0..<10).map { "q/\($0)" })
    }

    @Test("YTQ-03 five brokers each get the actions of their own queues, in order")
    func manyQueues() async throws {
        let app = try await app("a-1", "b-1", "c-1", "d-1", "e-1")
        let actions = try ActionStore(bench)
        let counts = ["a": 5, "b": 10, "c": 15, "d": 20, "e": 25]
        for prefix in counts.keys {
            try app.handle(
                type: "*", queuePrefix: "\(prefix)-",
                AsyncHandler { [handled] execution, _ in
                    let task = execution.task
                    let line = "\(prefix): \(task.queue)/\(task.uniqueKey ?? task.type)"
                    handled.withLock { $0.append(line) }
                    return .success(result: nil)
                })
        }
        for number in 0..<25 {
            for (prefix, count) in counts where number < count {
                try actions.store("\(prefix)\(number)", in: "\(prefix)-1", date: number)
            }
        }
        try await app.drain()
        for (prefix, count) in counts {
            let own = handled().filter { $0.hasPrefix("\(prefix): ") }
            #expect(own == (0..<count).map { "\(prefix): \(prefix)-1/\(prefix)\($0)" })
        }
    }

    @Test("YTQ-04 a broker on a fresh file is known to it by its prefix")
    func setup() async throws {
        let app = try bench.life()
        try app.handle(type: "*", queuePrefix: "queue1", handler())
        let names = Protected<[String]?>(nil)
        let store = app.store
        try await app.control.perform(.enqueue(queue: "queue1", [EnqueueRequest(type: "t")]))
        try app.handle(
            type: "look", queuePrefix: "other",
            handler { _, _ in
                let processes = try? store.readBlocking { try $0.processes() }
                names.withLock { $0 = processes?.first?.handledNames }
                return .success(result: nil)
            })
        try await app.control.perform(.enqueue(queue: "other", [EnqueueRequest(type: "look")]))
        try await app.drain()
        #expect(names.withLock { $0 } == ["other*/look", "queue1*/*"])
        #expect(handled(in: "queue1") == ["queue1/t"])
    }

    @Test("YTQ-05 a handler moves work to the queue of another, in the commit of its own success")
    func moves() async throws {
        let app = try await app("handler1-queue", "handler2-queue")
        try app.handle(
            type: "*", queuePrefix: "handler1",
            handler { execution, report in
                report.followUp(
                    FollowUp(
                        queue: "handler2-queue", type: execution.task.type, uniqueKey: "copy"))
                return .success(result: nil)
            })
        try app.handle(type: "*", queuePrefix: "handler2", handler())
        try ActionStore(bench).store("0", in: "handler1-queue")
        try await app.drain()
        #expect(handled() == ["handler1-queue/0", "handler2-queue/copy"])
    }

    @Test("YTQ-08 YTQ-09 an action that is removed and stored again runs, before its old wait ends")
    func again() async throws {
        let app = try await app("q")
        let isFirst = Protected(true)
        try app.handle(
            type: "*",
            handler { _, _ in
                let wasFirst = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                return wasFirst ? .park(error: nil) : .success(result: nil)
            })
        let actions = try ActionStore(bench)
        try actions.store("0", in: "q", date: 0)
        try actions.store("1", in: "q", date: 1)
        try await app.drain()
        #expect(handled() == ["q/0"])
        try actions.remove("0")
        try await app.drain()
        #expect(handled() == ["q/0", "q/1"])
        try actions.store("0", in: "q", date: 0)
        try await app.drain()
        #expect(handled() == ["q/0", "q/1", "q/0"])
    }

    @Test("YTQ-15 an end that is told twice counts once; one that never comes is timed out")
    func completions() async throws {
        let app = try await app("q")
        try await app.control.perform(.setQueue("q", [.attempts(1)]))
        let twice = handler { execution, report in
            report.finish(.success(result: nil))
            report.finish(.giveUp(error: "again"))
            return .retry(afterMilliseconds: nil, error: "once more")
        }
        try app.handle(type: "*", twice)
        try app.handle(
            type: "never",
            AsyncHandler(timeoutMilliseconds: 1) { _, _ in
                try await goOnUntilCancelled()
                return .success(result: nil)
            })
        let request = EnqueueRequest(type: "never")
        let never = try await app.control.perform(.enqueue(queue: "q", [request])).changed[0]
        let actions = try ActionStore(bench)
        for key in ["0", "1"] { try actions.store(key, in: "q") }
        try await app.drain()
        #expect(handled() == ["q/0", "q/1"])
        let states = try await app.store.read { try $0.counts(queue: "q").states }
        #expect(states.filter { $0.value > 0 } == [.failed: 1])
        let log = try await app.store.read { try $0.attempts(of: never) }
        #expect(log.map(\.outcome) == [.timedOut])
    }

    @Test("YTQ-12 actions that were stored before the program began again are handled at once")
    func restart() async throws {
        let first = try await app("q")
        let actions = try ActionStore(bench)
        try actions.store("0", in: "q", date: 0)
        try actions.store("1", in: "q", date: 1)
        first.store.close()
        let second = try bench.life()
        try second.handle(type: "*", queuePrefix: "q", handler())
        try await second.drain()
        #expect(handled() == ["q/0", "q/1"])
    }

    @Test("YTQ-13 a wait of an hour outlives the program")
    func pause() async throws {
        let first = try await app("q", "marker")
        try first.handle(
            type: "*", handler { _, _ in .retry(afterMilliseconds: 3_600_000, error: "later") })
        let actions = try ActionStore(bench)
        try actions.store("0", in: "q")
        try actions.store("1", in: "q", date: 1)
        let worker = try first.start()
        while handled().isEmpty { await Task.yield() }
        try await worker.stop()
        first.store.close()

        func nextLife(_ key: String, isFinal: Bool) async throws -> QueueClient {
            let app = try bench.life()
            let (ran, feed) = AsyncStream<Void>.makeStream()
            try app.handle(
                type: "*",
                handler { _, _ in
                    feed.yield()
                    return .success(result: nil)
                })
            try actions.store(key, in: "marker")
            guard !isFinal else {
                try await app.drain()
                return app
            }
            let worker = try app.start()
            for await _ in ran { break }
            try await worker.stop()
            return app
        }
        bench.pass(3_599_000)
        try await nextLife("soon", isFinal: false).store.close()
        #expect(handled() == ["q/0", "marker/soon"])
        bench.pass(1000)
        _ = try await nextLife("now", isFinal: true)
        #expect(handled(in: "q") == ["q/0", "q/0", "q/1"])
    }
}
