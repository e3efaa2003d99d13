import SluiceSystem

/// Counts what happens on other threads, and lets a test wait for it.
final class Tally: @unchecked Sendable {
    private let lock = Lock()
    private let changed: Condition
    private var number = 0

    init() { changed = Condition(lock) }

    var count: Int { lock.withLock { number } }

    func add() {
        lock.withLock {
            number += 1
            changed.broadcast()
        }
    }

    /// Whether the count reaches `number` within ten seconds.
    func reaches(_ wanted: Int) -> Bool {
        lock.withLock {
            while number < wanted {
                guard changed.wait(timeoutMilliseconds: 10_000) else { return number >= wanted }
            }
            return true
        }
    }
}
