import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// A store of other systems' queues for several threads: one after the other asks it.
final class ForeignDesk: @unchecked Sendable {
    // Touched under the lock alone.
    private let store: ForeignStore
    private let lock = Lock()

    init(_ store: ForeignStore) { self.store = store }

    /// The systems in one word each.
    var kind: String { lock.withLock { store.systems.map(\.name).joined(separator: ", ") } }

    /// Asks the systems; what the server did not do is an error in this program's words.
    func ask<Value>(_ body: (ForeignStore) throws -> Value) throws -> Value {
        try lock.withLock { try store.ask(body) }
    }
}
