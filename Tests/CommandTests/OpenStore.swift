import SluiceStore

/// A store that outlives the command that closes it.
struct OpenStore: QueueStore {
    private let store: MemoryStore

    let upgradedFrom: Int?

    init(_ store: MemoryStore, upgradedFrom: Int? = nil) {
        (self.store, self.upgradedFrom) = (store, upgradedFrom)
    }

    var kind: String { store.kind }
    var name: String { store.name }
    var isReadOnly: Bool { store.isReadOnly }
    var runFolder: String? { store.runFolder }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value { try await store.read(body) }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value { try await store.write(body) }

    func readBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value { try store.readBlocking(body) }

    func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value { try store.writeBlocking(body) }

    func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        try store.observe(at: throttle, notify)
    }

    func close() {}
}
