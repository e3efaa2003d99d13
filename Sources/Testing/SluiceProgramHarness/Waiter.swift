import SluicePlatform

/// Counts what happens on other threads, and lets a test wait for it.
public final class Waiter: @unchecked Sendable {
    private let lock = Lock()
    private let changed: Condition
    private var number = 0

    /// Nothing has happened yet.
    public init() { changed = Condition(lock) }

    /// One more.
    public func add() {
        lock.withLock {
            number += 1
            changed.broadcast()
        }
    }

    /// How much has happened.
    public var count: Int { lock.withLock { number } }

    /// Whether the count comes past `number` within ten seconds.
    public func passes(_ wanted: Int) -> Bool {
        lock.withLock {
            while number <= wanted {
                guard changed.wait(timeoutMilliseconds: 10_000) else { return number > wanted }
            }
            return true
        }
    }
}
