import Platform
import QueueModel
import QueueStore

/// How the screen comes to its store, and to another one that took its place (K8).
struct ScreenStore: Sendable {
    /// The store that is shown.
    let store: any QueueStore
    /// How it is changed.
    let deeds: ScreenDeeds
    /// Opens what lies at its place now.
    let open: @Sendable () throws -> any QueueStore
    /// How a store of the place is changed.
    let bind: @Sendable (any QueueStore) -> ScreenDeeds

    /// A store at its place; `open` opens it again.
    init(
        _ store: any QueueStore, open: @escaping @Sendable () throws -> any QueueStore,
        bind: @escaping @Sendable (any QueueStore) -> ScreenDeeds
    ) {
        (self.store, self.open, self.bind) = (store, open, bind)
        deeds = bind(store)
    }

    /// What lies at the place now, after a read of the store has failed: another store, or the
    /// error to show. Only a store that is gone for whoever has it open is replaced.
    func successor(after error: QueueError) -> Result<ScreenStore, QueueError> {
        guard [.noStore, .notAStore].contains(error.code) else { return .failure(error) }
        do {
            return .success(ScreenStore(try open(), open: open, bind: bind))
        } catch let problem {
            let found = QueueError(describing: problem)
            // What came to the place says more than that the former one is gone.
            return .failure(found.code == .noStore ? error : found)
        }
    }

    /// Lets go of a store that was replaced; may wait for what still uses it.
    func leave() {
        deeds.leave()
        store.close()
    }
}
