import SluiceConsole
import SluiceModel
import SluiceSystem

/// The store on the screen: its scenes, its commands, and how to reopen its place (K8).
struct ScreenStore: Sendable {
    private(set) var scenes: any SceneSource
    let commands: StoreCommands
    /// The shown name of its place.
    let name: String
    /// The hint at the console's start.
    var hint: Hint?
    /// Opens the store at another place.
    let elsewhere: @Sendable (String) throws -> ScreenStore
    /// Opens the current store at its place.
    private let reopen: @Sendable () throws -> ScreenStore
    private let identity: String?
    /// Takes the store back when another one is shown; nil closes it then.
    var putBack: (@Sendable (ScreenStore) -> Void)?
    /// Adds to the scenes of the place, here and of each store that is opened again.
    private var surround: (@Sendable (any SceneSource) -> any SceneSource)?
    /// Why the store was let go of.
    private let loss = Protected<QueueError?>(nil)

    /// A store at its place; `reopen` opens it again.
    init(
        _ scenes: any SceneSource, commands: StoreCommands, name: String,
        reopen: @escaping @Sendable () throws -> ScreenStore,
        elsewhere: @escaping @Sendable (String) throws -> ScreenStore
    ) {
        (self.scenes, self.commands, self.name) = (scenes, commands, name)
        (self.reopen, self.elsewhere) = (reopen, elsewhere)
        identity = scenes.identity
    }

    /// The current store at the place after a failed read, or the error to show.
    ///
    /// Closes the former store only if it no longer exists, and before it opens the next one. The
    /// two may share companion files, and closing a file releases the process's locks on it.
    func successor(after error: QueueError) -> Result<ScreenStore, QueueError> {
        guard [.noStore, .notAStore].contains(error.code) else { return .failure(error) }
        leave(error)
        do {
            var next = try reopen()
            next.putBack = putBack
            if let surround { next.surround(surround) }
            return .success(next)
        } catch let problem {
            let found = QueueError(describing: problem)
            // An error of the new store is more useful than the loss of the former one.
            return .failure(found.code == .noStore ? explained(error) : found)
        }
    }

    /// Adds to the scenes, until the same is taken away.
    mutating func surround(_ surround: @escaping @Sendable (any SceneSource) -> any SceneSource) {
        scenes = surround(scenes)
        self.surround = surround
    }

    /// The same with the scenes of the place alone.
    func alone(_ scenes: any SceneSource) -> ScreenStore {
        var store = self
        (store.scenes, store.surround) = (scenes, nil)
        return store
    }

    /// Whether it is the same store, which went and came back.
    func isSame(as other: ScreenStore) -> Bool { identity != nil && identity == other.identity }

    /// The error for a request to a store that was closed.
    func explained(_ error: QueueError) -> QueueError {
        error.code == .noStore ? loss.withLock { $0 } ?? error : error
    }

    /// Closes the store, once; may wait for current users. Returns the final messages.
    @discardableResult func leave(_ error: QueueError) -> [String] {
        let isFirst = loss.withLock { loss in
            defer { loss = loss ?? error }
            return loss == nil
        }
        guard isFirst else { return [] }
        defer { scenes.close() }
        return commands.leave()
    }
}
