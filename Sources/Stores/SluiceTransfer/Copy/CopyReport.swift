package import SluiceModel

/// What became of one queue of a copy.
package struct CopiedQueue: Hashable, Sendable {
    /// How it ended.
    package enum Outcome: Hashable, Sendable {
        /// It is worked at the target, and the source's stays paused.
        case moved
        /// It is whole at the target, where it stays paused; work goes on at the source.
        case copied
        /// It had been moved before.
        case movedBefore
        /// A rehearsal: it would be moved.
        case wouldMove
        /// It was left as it is, and why; work goes on at the source.
        case skipped(QueueError)
    }
    /// The queue.
    package var name: String
    /// How it ended.
    package var outcome = Outcome.moved
    /// How many tasks it has, whatever their state.
    package var tasks = 0
    /// How many run at the moment of a rehearsal.
    package var running = 0
    /// How many have another number at the target.
    package var renumbered = 0
    /// How many came to the source after it had been moved, and were brought.
    package var late = 0
    /// The digest of both, read from both and equal; nil where nothing was verified.
    package var digest: String?
    /// How often both were read until they were equal.
    package var looks = 0

    /// A queue that nothing was done with yet.
    package init(name: String) { self.name = name }
}

/// What a copy did.
package struct CopyReport: Hashable, Sendable {
    /// The queues, in the order in which they were looked at.
    package var queues: [CopiedQueue] = []
    /// Whether somebody stopped it; the same copy goes on with the rest.
    package var isStopped = false
    /// The error that ended it early; the same copy goes on with the rest.
    package var error: QueueError?

    /// Nothing done yet.
    package init() {}

    /// How many queues were left as they are.
    package var skipped: Int {
        queues.count { if case .skipped = $0.outcome { true } else { false } }
    }
}
