import SluiceSystem

/// Which servers used up all tries of an attempt and have not answered well since: another attempt
/// does not try again inside.
///
/// An answer below 500 refills the tries, and so does the time that their queue paused for: in the
/// old system they were never refilled (CIO-R37).
final class ServerRecord: Sendable {
    static let shared = ServerRecord()

    private let spent = Protected<[String: UInt64]>([:])

    /// Whether a server's tries are used up at a moment of the monotonic clock.
    func isSpent(_ origin: String, nanoseconds: UInt64) -> Bool {
        spent.withLock { spent in
            guard let since = spent[origin] else { return false }
            let limit = UInt64(CommandExit.pauseMilliseconds) * 1_000_000
            if nanoseconds >= since, nanoseconds - since < limit { return true }
            spent[origin] = nil
            return false
        }
    }

    /// An attempt used up its tries.
    func spend(_ origin: String, nanoseconds: UInt64) {
        spent.withLock { $0[origin] = nanoseconds }
    }

    /// It answered well.
    func refill(_ origin: String) {
        spent.withLock { $0[origin] = nil }
    }
}
