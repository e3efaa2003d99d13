public import QueueModel
import Platform

/// Lets a chosen write of a store fail, for tests that prove that nothing of it remains.
///
/// An engine that was given one calls `step` at the begin of every primitive of `StoreWriter`, and
/// once more before a commit that has something to keep.
public final class WriteFaults: Sendable {
    private struct Counter {
        var steps = 0
        var failing: Int?
    }

    private let counter = Protected(Counter())

    /// Faults that let everything pass.
    public init() {}

    /// Counts from 0 again; the `step`-th write from now on fails, once. Nil lets everything pass.
    public func fail(at step: Int?) {
        counter.withLock { $0 = Counter(failing: step) }
    }

    /// How many writes there were since `fail(at:)`.
    public var steps: Int { counter.withLock { $0.steps } }

    /// One write: counts it, and throws `diskFull` when it is the chosen one.
    public func step() throws(QueueError) {
        let isChosen = counter.withLock { counter in
            counter.steps += 1
            return counter.steps == counter.failing
        }
        guard isChosen else { return }
        throw QueueError(
            .diskFull, "the disk is full (a fault that was asked for)", fix: "free some space")
    }
}
