package import SluiceModel

/// The result for one queue of a copy.
package struct CopiedQueue: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The target works on it, and the source's queue stays paused.
        case moved
        /// The target has a complete copy, which stays paused. Work continues at the source.
        case copied
        case movedBefore
        /// A dry run: it would be moved.
        case wouldMove
        /// It was skipped for this reason. Work continues at the source.
        case skipped(QueueError)
    }
    package var name: String
    package var outcome = Outcome.moved
    /// The number of tasks in all states.
    package var tasks = 0
    /// How many run at the moment of a rehearsal.
    package var running = 0
    /// How many have another number at the target.
    package var renumbered = 0
    /// How many came to the source after it had been moved, and were brought.
    package var late = 0
    /// The equal digest of both sides; nil without a verification.
    package var digest: String?
    /// The number of comparisons until both were equal.
    package var looks = 0

    /// A queue that nothing was done with yet.
    package init(name: String) { self.name = name }
}

package struct CopyReport: Hashable, Sendable {
    /// The queues in order of processing.
    package var queues: [CopiedQueue] = []
    /// Whether the user stopped it. The same copy continues with the rest.
    package var isStopped = false
    /// The error that ended it early. The same copy continues with the rest.
    package var error: QueueError?

    /// Nothing done yet.
    package init() {}

    /// The number of skipped queues.
    package var skipped: Int {
        queues.count { if case .skipped = $0.outcome { true } else { false } }
    }
}
