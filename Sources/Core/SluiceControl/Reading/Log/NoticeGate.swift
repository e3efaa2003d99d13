import SluiceSystem

/// Lets one thread sleep until a commit, and remembers a commit from before the sleep.
package final class NoticeGate: Sendable {
    private let lock = Lock()
    private let condition: Condition
    private let isOpen = Protected(false)

    package init() { condition = Condition(lock) }

    /// Lets the sleeper go, or the next one.
    package func open() {
        lock.withLock {
            isOpen.withLock { $0 = true }
            condition.signal()
        }
    }

    /// Returns after a notice, or at the deadline of the monotonic clock.
    package func wait(until deadline: UInt64?) {
        lock.withLock {
            while !isOpen.withLock({ $0 }) {
                guard let deadline else {
                    condition.wait()
                    continue
                }
                let now = SystemClock.monotonicNanoseconds()
                guard now < deadline else { return }
                let left = Int((deadline - now) / 1_000_000) + 1
                _ = condition.wait(timeoutMilliseconds: left)
            }
            isOpen.withLock { $0 = false }
        }
    }
}
