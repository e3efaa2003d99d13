import SluiceConsole
import SluiceModel
import SluicePlatform

/// What the screen shows and changes, and how it comes to what took its place (K8).
struct ScreenStore: Sendable {
    /// What is shown of it.
    let scenes: any SceneSource
    /// How it is changed.
    let commands: StoreCommands
    /// The name of its place, as it may be shown.
    let name: String
    /// What is said when a console begins with it.
    var hint: Hint?
    /// Opens the store at another place.
    let elsewhere: @Sendable (String) throws -> ScreenStore
    /// Opens what lies at its place now.
    private let reopen: @Sendable () throws -> ScreenStore
    private let identity: String?
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

    /// What lies at the place now, after a read of the store has failed: a store, or the error to
    /// show. Only a store that is gone for whoever has it open is let go of, and that before the
    /// next one is opened: the two may share files beside them, and a process that closes a file
    /// loses its locks on it, whatever it was opened for.
    func successor(after error: QueueError) -> Result<ScreenStore, QueueError> {
        guard [.noStore, .notAStore].contains(error.code) else { return .failure(error) }
        leave(error)
        do {
            return .success(try reopen())
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

    /// Lets go of the store, once; may wait for what still uses it. Gives what is to be said of
    /// what ended with it.
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
