import SluiceModel
import SluicePlatform
import SluiceStore

/// The clock that verbs read: that of the store which was opened last, so that a store at a server
/// has one clock for all machines; the machine's, where a store lies on it (G3).
final class HostClock: Sendable {
    private let stopped: Timestamp?
    private let store = Protected<StoreClock?>(nil)

    /// `stopped` is a moment at which it stands still, for pictures.
    init(stopped: Timestamp? = nil) { self.stopped = stopped }

    /// What it shows.
    func now() -> Timestamp {
        stopped ?? store.withLock { $0 }?.now
            ?? Timestamp(milliseconds: SystemClock.nowMilliseconds())
    }

    /// Follows the clock of a store from now on, and gives the store back.
    func following(_ store: any QueueStore) -> any QueueStore {
        let clock = store.clock
        self.store.withLock { $0 = clock }
        return store
    }
}
