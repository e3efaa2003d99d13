import SluiceModel

/// Reads of the store: one at a time, and another if the request changed during the read.
struct SceneReads: Equatable, Sendable {
    /// A series of failed reads.
    struct Trouble: Equatable, Sendable {
        /// The error of the last read.
        var error: QueueError
        /// When the first of them failed.
        var since: Timestamp
    }

    /// Whether the loaded data is outdated.
    var isStale = true
    /// The number of the read that has begun and not ended.
    private var underWay: Int?
    /// The number of the newest read.
    private(set) var generation: Int
    /// Nil where the last read came (K8).
    private(set) var trouble: Trouble?

    /// Numbers follow `generation`.
    init(after generation: Int = 0) { self.generation = generation }

    /// The number of the read that begins now; nil if none is wanted, or one is under way.
    mutating func begin() -> Int? {
        guard isStale, underWay == nil else { return nil }
        isStale = false
        generation += 1
        underWay = generation
        return generation
    }

    /// Ends the read that is under way. False for an abandoned read, which changes nothing: two
    /// reads would otherwise replace each other without end.
    mutating func end(_ generation: Int) -> Bool {
        guard generation == underWay else { return false }
        (underWay, trouble) = (nil, nil)
        return true
    }

    /// Notes a failure; `generation` is nil for work that is not a read of the scene, and `error`
    /// is nil if the failure is no trouble.
    mutating func fail(_ error: QueueError?, of generation: Int?, at now: Timestamp) {
        if let generation {
            guard generation == underWay else { return }
            underWay = nil
        }
        trouble = error.map { Trouble(error: $0, since: trouble?.since ?? now) }
    }

    /// Abandons the current read, because the store was reopened.
    mutating func beginAgain() { (isStale, underWay) = (true, nil) }
}
