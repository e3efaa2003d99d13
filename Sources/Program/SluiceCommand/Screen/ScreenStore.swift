import SluiceModel
import SluicePlatform
import SluiceStore

/// How the screen comes to its store, and to another one that took its place (K8).
struct ScreenStore: Sendable {
    /// The store that is shown.
    let store: any QueueStore
    /// How it is changed.
    let deeds: StoreCommands
    /// The name of its place, as it may be shown.
    let name: String
    /// Opens the store at another place.
    let elsewhere: @Sendable (String) throws -> ScreenStore
    /// The store's own name, which it keeps wherever it lies; nil where it has none but its path,
    /// as a folder has that was only looked at.
    private let identity: String?
    /// Opens what lies at its place now.
    private let open: @Sendable () throws -> any QueueStore
    /// How a store of the place is changed.
    private let bind: @Sendable (any QueueStore) -> StoreCommands
    /// Why the store was let go of.
    private let loss = Protected<QueueError?>(nil)

    /// A store at its place; `open` opens it again.
    init(
        _ store: any QueueStore, name: String,
        open: @escaping @Sendable () throws -> any QueueStore,
        elsewhere: @escaping @Sendable (String) throws -> ScreenStore,
        bind: @escaping @Sendable (any QueueStore) -> StoreCommands
    ) {
        (self.name, self.elsewhere) = (name, elsewhere)
        (self.store, self.open, self.bind) = (store, open, bind)
        deeds = bind(store)
        let found = try? store.readBlocking { try $0.storeRecord().identity }
        identity = found == store.name || found?.contains("/") == true ? nil : found
    }

    /// What lies at the place now, after a read of the store has failed: a store, or the error to
    /// show. Only a store that is gone for whoever has it open is let go of, and that before the
    /// next one is opened: the two may share files beside them, and a process that closes a file
    /// loses its locks on it, whatever it was opened for.
    func successor(after error: QueueError) -> Result<ScreenStore, QueueError> {
        guard [.noStore, .notAStore].contains(error.code) else { return .failure(error) }
        leave(error)
        do {
            return .success(
                ScreenStore(
                    try open(), name: name, open: open, elsewhere: elsewhere, bind: bind))
        } catch let problem {
            let found = QueueError(describing: problem)
            // What came to the place says more than that the former one is gone.
            return .failure(found.code == .noStore ? explained(error) : found)
        }
    }

    /// Whether it is the same store, which went and came back.
    func isSame(as other: ScreenStore) -> Bool { identity != nil && identity == other.identity }

    /// What is said to whoever asks something of a store that was let go of.
    func explained(_ error: QueueError) -> QueueError {
        error.code == .noStore ? loss.withLock { $0 } ?? error : error
    }

    /// Lets go of the store, once; may wait for what still uses it.
    func leave(_ error: QueueError) {
        let isFirst = loss.withLock { loss in
            defer { loss = loss ?? error }
            return loss == nil
        }
        guard isFirst else { return }
        deeds.leave()
        store.close()
    }
}
