import SluiceSystem

/// Counts what happens on other threads, and lets a test wait for it.
package final class Waiter: @unchecked Sendable {
    private let lock = Lock()
    private let changed: Condition
    private var number = 0

    /// Nothing has happened yet.
    package init() { changed = Condition(lock) }

    package func add() {
        lock.withLock {
            number += 1
            changed.broadcast()
        }
    }

    package var count: Int { lock.withLock { number } }

    /// Whether the count comes past `number` within ten seconds.
    package func passes(_ wanted: Int) -> Bool {
        lock.withLock {
            while number <= wanted {
                guard changed.wait(timeoutMilliseconds: 10_000) else { return number > wanted }
            }
            return true
        }
    }
}
