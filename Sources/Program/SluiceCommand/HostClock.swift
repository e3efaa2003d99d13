import SluiceModel
import SluiceStore
import SluiceSystem

/// The clock for verbs. It follows the store opened last, so that a server's store has one clock
/// for all machines. For a local store it is the machine's clock (G3).
final class HostClock: Sendable {
    private let stopped: Timestamp?
    private let store = Protected<StoreClock?>(nil)

    /// `stopped` is a fixed time for screenshots.
    init(stopped: Timestamp? = nil) { self.stopped = stopped }

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
