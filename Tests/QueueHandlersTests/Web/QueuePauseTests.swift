import Platform
import QueueModel
import QueueRunner
import QueueStore
import Testing
import WebHarness

@testable import QueueHandlers

@Suite("A queue whose server says no", .timeLimit(.minutes(1)))
struct QueuePauseTests {
    /// A store in memory, a runner with one handler, and a clock that only the test moves.
    private final class Worked: Sendable {
        let store = MemoryStore()
        let clock = Protected(Timestamp(milliseconds: 1_800_000_000_000))
        let events: AsyncStream<RunnerEvent>
        let runner: Runner

        init(_ handler: HTTPHandler) throws {
            let (events, feed) = AsyncStream<RunnerEvent>.makeStream()
            self.events = events
            let clock = clock
            runner = try Runner(
                store: store, types: nil, handlers: { _ in handler },
                now: { clock.withLock { $0 } }, onEvent: { feed.yield($0) })
            try runner.start()
        }

        deinit { runner.stop(isUrgent: true) }

        func enqueue(_ queue: String, _ types: [String]) throws {
            let now = clock.withLock { $0 }
            try store.writeBlocking { store in
                let mutation = Mutation(store, now: now)
                _ = try mutation.enqueue(types.map { EnqueueRequest(type: $0) }, to: queue)
                try mutation.finish()
            }
        }

        /// The types of the next tasks that are settled.
        func settled(_ count: Int) async -> [String] {
            var types: [String] = []
            for await event in events {
                if case .settled(let task) = event { types.append(task.type) }
                if types.count == count { break }
            }
            return types
        }
    }

    @Test("CIO-79 CIO-80 CIO-81 after a 401 nothing is asked for five minutes, and then again")
    func pause() async throws {
        let server = try ScriptedServer { talk in
            try talk.answer(talk.number == 1 ? 401 : 200, [], "")
        }
        let worked = try Worked(.asking(server, "/{type}"))
        try worked.enqueue("q", ["a", "b"])
        #expect(await worked.settled(1) == ["a"])
        let start = worked.clock.withLock { $0 }
        let pauses = try worked.store.readBlocking { try $0.queue(named: "q")?.pauses ?? [] }
        #expect(pauses.map(\.cause) == [.handler])
        #expect(pauses.first?.until == start + 300_000)
        #expect(pauses.first?.reason == "HTTP 401 Unauthorized")
        worked.clock.withLock { $0 = start + 299_999 }
        try worked.enqueue("other", ["x"])
        #expect(await worked.settled(1) == ["x"])
        #expect(server.requests.map(\.path) == ["/a", "/x"])
        // The one that met the 401 waits a second longer, so that it does not starve the others.
        worked.clock.withLock { $0 = start + 300_000 }
        try worked.enqueue("other", ["y"])
        #expect(await Set(worked.settled(2)) == ["b", "y"])
        worked.clock.withLock { $0 = start + 302_000 }
        try worked.enqueue("other", ["z"])
        #expect(await Set(worked.settled(2)) == ["a", "z"])
        #expect(server.requests.count == 6)
    }
}
