import SluiceModel
import SluiceRunner
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("A queue whose server says no", .timeLimit(.minutes(10)))
struct QueuePauseTests {
    /// A store, a runner with one handler, and a clock that only the test moves.
    private final class Worked: Sendable {
        let store: any QueueStore
        let clock: Protected<Timestamp>
        let events: AsyncStream<RunnerEvent>
        let runner: Runner

        init(_ handler: HTTPHandler, _ path: String, _ clock: Protected<Timestamp>) throws {
            let (events, feed) = AsyncStream<RunnerEvent>.makeStream()
            self.events = events
            self.clock = clock
            store = try SQLiteStore.open(path: path, createIfMissing: true, durability: .normal)
            runner = try Runner(
                store: store, types: nil, handlers: { _ in handler },
                now: { clock.withLock { $0 } }, onEvent: { feed.yield($0) })
            try runner.start()
        }

        deinit { runner.stop(isUrgent: true) }

        func end() {
            runner.stop(isUrgent: true)
            runner.wait()
            store.close()
        }

        func enqueue(_ queue: String, _ types: [String]) throws {
            let now = clock.withLock { $0 }
            try store.transactBlocking(at: now) { mutation in
                _ = try mutation.enqueue(types.map { EnqueueRequest(type: $0) }, to: queue)
            }
        }

        /// The types of the next settled tasks.
        func settled(_ count: Int) async -> [String] {
            var types: [String] = []
            for await event in events {
                if case .settled(let task) = event { types.append(task.type) }
                if types.count == count { break }
            }
            return types
        }
    }

    @Test(
        "A3 CIO-79 CIO-80 CIO-81 CIO-85 after a 401 or seven 503 nothing is asked for 5 minutes",
        arguments: [401, 503])
    func pause(_ status: Int) async throws {
        let refusals = status == 401 ? 1 : 7
        let server = try ScriptedServer { talk in
            try talk.answer(talk.number <= refusals ? status : 200, [], "")
        }
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-pause-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/app.db"
        let start = Timestamp(milliseconds: 1_800_000_000_000)
        let clock = Protected(start)
        let first = try Worked(.asking(server, "/{type}"), path, clock)
        try first.enqueue("q", ["a", "b"])
        #expect(await first.settled(1) == ["a"])
        first.end()
        // The next program's life knows of it.
        let worked = try Worked(.asking(server, "/{type}"), path, clock)
        let queue = try worked.store.readBlocking { try $0.requireQueue("q") }
        #expect(queue.pauses.map(\.cause) == [.handler])
        #expect(queue.pauses.first?.until == start + 300_000)
        #expect(queue.pauses.first?.reason?.hasPrefix("HTTP \(status) ") == true)
        let counted = try worked.store.readBlocking { try $0.requireTask(1).attempts }
        #expect(counted == (status == 401 ? 0 : 1))
        clock.withLock { $0 = start + 299_999 }
        try worked.enqueue("other", ["x"])
        #expect(await worked.settled(1) == ["x"])
        #expect(server.requests.map(\.path) == Array(repeating: "/a", count: refusals) + ["/x"])
        // The one that was refused waits a second longer, so that it does not starve the others.
        clock.withLock { $0 = start + 300_000 }
        try worked.enqueue("other", ["y"])
        #expect(await Set(worked.settled(2)) == ["b", "y"])
        clock.withLock { $0 = start + 302_000 }
        try worked.enqueue("other", ["z"])
        #expect(await Set(worked.settled(2)) == ["a", "z"])
        #expect(server.requests.count == refusals + 5)
        worked.end()
    }
}
