import Platform
import QueueModel

/// The threads on which a body of one store runs: a body that asks its store for another one would
/// wait for itself.
package final class BodyThreads: Sendable {
    package init() {}

    private let threads = Protected<Set<UInt>>([])

    /// Throws when the caller is inside a body.
    func check(_ name: String) throws(QueueError) {
        let thread = Thread.currentNumber
        if threads.withLock({ $0.contains(thread) }) { throw Self.reentered(name) }
    }

    /// Notes that a body begins here; throws inside another.
    func enter(_ name: String) throws(QueueError) {
        let thread = Thread.currentNumber
        if !threads.withLock({ $0.insert(thread).inserted }) { throw Self.reentered(name) }
    }

    /// Notes that bodies begin here, where `check` has passed.
    func enter() {
        let thread = Thread.currentNumber
        threads.withLock { _ = $0.insert(thread) }
    }

    func leave() {
        let thread = Thread.currentNumber
        threads.withLock { _ = $0.remove(thread) }
    }

    private static func reentered(_ name: String) -> QueueError {
        .notLegal(
            "\(name) was asked for another transaction inside a body",
            fix: "use what the body was given")
    }
}
