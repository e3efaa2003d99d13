import SluiceForeignQueues
import SluiceModel
import SluiceSystem

/// A store of other systems' queues for several threads: one after the other asks it. Whose server
/// went is opened again by the next question.
final class ForeignSession: @unchecked Sendable {
    /// The systems in one word each.
    let kind: String
    private let open: @Sendable () throws -> ForeignStore
    // Touched under the lock alone.
    private var store: ForeignStore?
    private let lock = Lock()

    /// Opens the store; throws what `open` throws.
    init(open: @escaping @Sendable () throws -> ForeignStore) throws {
        self.open = open
        let store = try open()
        kind = try store.ask { store in
            try store.systems.map { system in
                system.name + (try system.newerEdition().map { " (\($0))" } ?? "")
            }.joined(separator: ", ")
        }
        self.store = store
    }

    /// Asks the systems; what the server did not do is an error in this program's words.
    func ask<Value>(_ body: (ForeignStore) throws -> Value) throws -> Value {
        try lock.withLock {
            let current = try store ?? open()
            store = current
            do {
                return try current.ask(body)
            } catch let error as QueueError where error.code == .serverGone {
                store = nil
                throw error
            }
        }
    }
}
