import Sluice
import SluiceSystem
import Testing

/// Handlers that block.
@Suite("library: threads of handlers")
struct OwnThreadTests {
    struct Blocking: TaskPayload {
        static let taskType = "blocking"
    }
    struct Quick: TaskPayload {
        static let taskType = "quick"
    }

    /// A gate that blocks threads until opened.
    private final class Gate: Sendable {
        private let lock = Lock()
        private let change: Condition
        private let state = Protected((inside: 0, isOpen: false))

        init() { change = Condition(lock) }

        /// Blocks its thread. Returns whether the gate opened in time.
        func pass() -> Bool {
            lock.withLock {
                state.withLock { $0.inside += 1 }
                change.broadcast()
                while !state.withLock({ $0.isOpen }) {
                    guard change.wait(timeoutMilliseconds: 60_000) else { return false }
                }
                return true
            }
        }

        func open() {
            lock.withLock { state.withLock { $0.isOpen = true } }
            change.broadcast()
        }

        /// Waits until `count` threads are blocked.
        func waitFor(_ count: Int) -> Bool {
            lock.withLock {
                while state.withLock({ $0.inside }) < count {
                    guard change.wait(timeoutMilliseconds: 60_000) else { return false }
                }
                return true
            }
        }
    }

    @Test("A4 handlers that block on threads of their own starve nobody, however many there are")
    func blocking() async throws {
        let (app, gate, count) = (QueueClient(store: MemoryStore()), Gate(), 24)
        let threads = Protected<Set<UInt>>([])
        try app.handle(Blocking.self, on: .ownThread) { _, task in
            let before = Thread.currentNumber
            #expect(gate.pass())
            // It comes back to its thread.
            await Task.yield()
            #expect(Thread.currentNumber == before)
            threads.withLock { _ = $0.insert(before) }
            task.log("passed")
        }
        let (quick, feed) = AsyncStream<Void>.makeStream()
        try app.handle(Quick.self) { _, _ in feed.yield() }
        try await app.control.perform(.setQueue("q", [.concurrency(count)]))
        for _ in 0..<count { try await app.enqueue(Blocking(), to: "q") }
        let worker = try app.start(slots: count + 1, network: nil)
        #expect(try await offPool { gate.waitFor(count) })
        try await app.enqueue(Quick(), to: "other")
        for await _ in quick { break }
        gate.open()
        try await app.drain(network: nil)
        try await worker.stop()
        #expect(threads.withLock { $0.count } == count)
        #expect(try await app.store.read { try $0.counts(queue: "q")[.waiting] } == 0)
    }

    @Test("A4 A6 one that throws is a retry, and one that is told to stop is cancelled")
    func ends() async throws {
        let app = QueueClient(store: MemoryStore())
        let (begun, feed) = AsyncStream<Void>.makeStream()
        try app.handle(Blocking.self, on: .ownThread) { _, task in
            if task.execution.number == 1 { throw HandlerError(.park(error: "later")) }
            feed.yield()
            try await goOnUntilCancelled()
        }
        let id = try await app.enqueue(Blocking(), to: "q")
        try await app.drain(network: nil)
        let parked = try await app.store.read { try $0.task(id)?.waiting?.parking != nil }
        #expect(parked)
        try await app.control.perform(.retry([TaskTarget(id)]))
        let worker = try app.start(network: nil)
        for await _ in begun { break }
        // Subscribe before the end is possible, because earlier events are not repeated.
        let events = worker.events
        try await app.control.perform(.cancel([TaskTarget(id)]))
        for await event in events {
            if case .settled = event { break }
        }
        try await worker.stop()
        #expect(try await app.store.read { try $0.task(id)?.running } == nil)
    }
}
