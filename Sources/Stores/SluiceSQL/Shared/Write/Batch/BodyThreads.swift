import SluiceModel
import SluiceSystem

/// The threads that run a body of one store. A body that asks its store for another body would wait
/// for itself.
///
/// There are few threads: a list is as fast as a set, and costs nothing at the start of a program.
package final class BodyThreads: Sendable {
    package init() {}

    private let threads = Protected<[UInt]>([])

    /// Throws when the caller is inside a body.
    func check(_ name: String) throws(QueueError) {
        let thread = Thread.currentNumber
        if threads.withLock({ $0.contains(thread) }) { throw Self.reentered(name) }
    }

    /// Notes that a body begins here; throws inside another.
    func enter(_ name: String) throws(QueueError) {
        let thread = Thread.currentNumber
        let isInside = threads.withLock { threads in
            defer { threads.append(thread) }
            return threads.contains(thread)
        }
        guard !isInside else {
            leave()
            throw Self.reentered(name)
        }
    }

    /// Notes that bodies begin here, where `check` has passed.
    func enter() {
        let thread = Thread.currentNumber
        threads.withLock { $0.append(thread) }
    }

    func leave() {
        let thread = Thread.currentNumber
        threads.withLock { threads in
            if let place = threads.lastIndex(of: thread) { threads.remove(at: place) }
        }
    }

    private static func reentered(_ name: String) -> QueueError {
        .notLegal(
            "\(name) cannot begin another transaction inside a body",
            fix: "use what the body was given")
    }
}
