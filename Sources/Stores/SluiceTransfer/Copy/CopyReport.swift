public import SluiceModel

/// What became of one queue of a copy.
public struct CopiedQueue: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
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
    public var name: String
    /// How it ended.
    public var outcome = Outcome.moved
    /// How many tasks it has, whatever their state.
    public var tasks = 0
    /// How many run at the moment of a rehearsal.
    public var running = 0
    /// How many have another number at the target.
    public var renumbered = 0
    /// How many came to the source after it had been moved, and were brought.
    public var late = 0
    /// The digest of both, read from both and equal; nil where nothing was verified.
    public var digest: String?
    /// How often both were read until they were equal.
    public var looks = 0

    /// A queue that nothing was done with yet.
    public init(name: String) { self.name = name }
}

/// What a copy did.
public struct CopyReport: Hashable, Sendable {
    /// The queues, in the order in which they were looked at.
    public var queues: [CopiedQueue] = []
    /// Whether somebody stopped it; the same copy goes on with the rest.
    public var isStopped = false
    /// The error that ended it early; the same copy goes on with the rest.
    public var error: QueueError?

    /// Nothing done yet.
    public init() {}

    /// How many queues were left as they are.
    public var skipped: Int {
        queues.count { if case .skipped = $0.outcome { true } else { false } }
    }
}
