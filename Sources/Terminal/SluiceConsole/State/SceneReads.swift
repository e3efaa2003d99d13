import SluiceModel

/// The reads of the store: one at a time, and the next one when what is wanted changed meanwhile.
struct SceneReads: Equatable, Sendable {
    /// That reads fail.
    struct Trouble: Equatable, Sendable {
        /// What the last one met.
        var error: QueueError
        /// When the first of them failed.
        var since: Timestamp
    }

    /// Whether what was read is not what is wanted.
    var isStale = true
    private var isUnderWay = false
    /// The number of the newest read.
    private(set) var generation: Int
    /// Nil where the last read came (K8).
    private(set) var trouble: Trouble?

    /// Nothing was read; numbers go on behind `generation`.
    init(after generation: Int = 0) { self.generation = generation }

    /// The number of the read that begins now; nil where none is wanted, or one is under way.
    mutating func begin() -> Int? {
        guard isStale, !isUnderWay else { return nil }
        (isStale, isUnderWay) = (false, true)
        generation += 1
        return generation
    }

    /// A read came; says whether it is the newest, and what was wanted was not another meanwhile.
    mutating func end(_ generation: Int) -> Bool {
        (isUnderWay, trouble) = (false, nil)
        guard generation == self.generation else {
            isStale = true
            return false
        }
        return true
    }

    /// A read failed; `error` is nil where that is no trouble.
    mutating func fail(_ error: QueueError?, at now: Timestamp) {
        isUnderWay = false
        trouble = error.map { Trouble(error: $0, since: trouble?.since ?? now) }
    }

    /// The store was opened again: whatever was under way does not come.
    mutating func beginAgain() { (isStale, isUnderWay) = (true, false) }
}
