import SluiceModel
import SluiceSystem

/// A store in memory: the reference for every other engine, and a store for queues that need not
/// outlive their program.
///
/// It finds tasks by an index (`MemoryIndex`) and filters them by the rule. A write changes a copy
/// of the values, which costs only its changes (`Paged`). The copy replaces the values after the
/// body returns. Bodies run on the caller's thread.
package final class MemoryStore: QueueStore {
    /// `memory`.
    package let kind = "memory"
    package let name: String
    /// Whether it refuses every change (D11).
    package let isReadOnly: Bool
    /// None: no other process can see it.
    package let runFolder: String? = nil

    /// The number of tasks scanned by queries so far: their cost, for tests.
    package var looked: Int { contents.looks.withLock { $0 } }

    private let contents: Contents
    private let isClosed = Protected(false)

    /// The data that a store shares with its read-only views.
    private final class Contents: Sendable {
        let state: Protected<MemoryState>
        let looks = Protected(0)
        let writers = Lock()
        let observers = Protected(Observers())
        let faults: WriteFaults?
        let liveness: Liveness?

        init(_ state: MemoryState, faults: WriteFaults?, liveness: Liveness?) {
            self.state = Protected(state)
            self.faults = faults
            self.liveness = liveness
        }
    }

    /// An empty store. `identity` is the part of idempotency keys that names it; `faults` let
    /// chosen writes fail; `liveness` says who lives, so that work is handed over (A1).
    package init(
        name: String = "memory", identity: String = "memory", faults: WriteFaults? = nil,
        liveness: Liveness? = nil
    ) {
        self.name = name
        isReadOnly = false
        contents = Contents(
            MemoryState(identity: identity), faults: faults, liveness: liveness)
    }

    /// A store of these values, for reading only.
    init(name: String, showing state: MemoryState) {
        self.name = name
        isReadOnly = true
        contents = Contents(state, faults: nil, liveness: nil)
    }

    /// A store that begins with these values.
    init(name: String, beginningWith state: MemoryState) {
        self.name = name
        isReadOnly = false
        contents = Contents(state, faults: nil, liveness: nil)
    }

    private init(name: String, reading contents: Contents) {
        self.name = name
        isReadOnly = true
        self.contents = contents
    }

    /// The same store, for reading only.
    package func readOnly() -> MemoryStore { MemoryStore(name: name, reading: contents) }

    /// `readBlocking`; it never waits long.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value { try readBlocking(body) }

    /// `writeBlocking`; it waits for other writers alone.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value { try writeBlocking(body) }

    /// Runs `body` on the values as they are now.
    package func readBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value {
        try checkOpen()
        return try body(
            MemoryReader(state: contents.state.withLock { $0 }, looks: contents.looks))
    }

    /// Runs `body` on a copy, which becomes the state when `body` returns. Notifies observers on
    /// this thread.
    package func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value {
        try checkOpen()
        guard !isReadOnly else { throw QueueError.readOnlyStore(name) }
        let (value, isChanged) = try contents.writers.withLock {
            let writer = MemoryWriter(
                state: contents.state.withLock { $0 }, faults: contents.faults,
                liveness: contents.liveness, looks: contents.looks)
            let value = try body(writer)
            writer.finish()
            if writer.isChanged {
                try contents.faults?.step()
                let state = writer.state
                contents.state.withLock { $0 = state }
            }
            return (value, writer.isChanged)
        }
        if isChanged { contents.observers.withLock { Array($0.all.values) }.forEach { $0() } }
        return value
    }

    /// Calls `notify` after each commit until the returned value is released; at no pace, for it is
    /// of one process.
    package func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        try checkOpen()
        let number = contents.observers.withLock { observers in
            observers.last += 1
            observers.all[observers.last] = notify
            return observers.last
        }
        return Observation { [contents] in
            contents.observers.withLock { $0.all[number] = nil }
        }
    }

    /// Later calls throw.
    package func close() { isClosed.withLock { $0 = true } }

    private func checkOpen() throws(QueueError) {
        guard isClosed.withLock({ $0 }) else { return }
        throw QueueError(.noStore, "\(name) was closed", fix: "open it again")
    }
}

private struct Observers: Sendable {
    var last = 0
    var all: [Int: @Sendable () -> Void] = [:]
}

private final class Observation: StoreObservation {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
