/// Decides when to check for a commit after the write-ahead log grew, in milliseconds of a
/// monotonic clock.
///
/// The log grows before the commit is visible; the disk decides how long before. The first check
/// comes soon, later ones at growing intervals. They continue for about half a second after a
/// visible commit, otherwise for a minute, and then stop until the log grows again.
struct CommitPoll {
    /// The minimum duration of a commit that waits for the disk. An earlier check would delay the
    /// process that the commit wakes.
    static let grace: Int64 = 2
    static let firstWait: Int64 = 5
    static let lastWait: Int64 = 320
    /// The last wait where nothing was seen: a disk that takes so long, or work that was undone.
    static let lastBlindWait: Int64 = 30_000

    private var wait: Int64?
    private var dueAt: Int64 = 0
    private var hasSeen = false
    private var lastCommit: Int64?
    private var toldCommit: Int64?

    /// Whether further growth of the log should wake the poller. Not while the next check is near:
    /// constant growth costs one check every few milliseconds.
    var isListening: Bool { wait.map { $0 > Self.firstWait } ?? true }

    /// The time until the next check; nil until the log grows.
    func sleep(at instant: Int64) -> Int64? { wait.map { _ in max(0, dueAt - instant) } }

    /// Whether it is time to look.
    func isDue(at instant: Int64) -> Bool { wait != nil && dueAt <= instant }

    /// The log grew: look soon.
    mutating func logGrew(at instant: Int64) {
        wait = 0
        dueAt = instant + Self.grace
        hasSeen = false
    }

    /// Records the result of a check. Returns whether to notify.
    mutating func looked(_ sight: InboxProbe.Sight?, at instant: Int64) -> Bool {
        if let sight, sight.commit != lastCommit {
            lastCommit = sight.commit
            hasSeen = true
        }
        let last = wait ?? 0
        let isOver = last >= (hasSeen ? Self.lastWait : Self.lastBlindWait)
        wait = isOver ? nil : max(Self.firstWait, last * 2)
        dueAt = instant + (wait ?? 0)
        guard let sight, sight.isFresh, sight.commit != toldCommit else { return false }
        toldCommit = sight.commit
        return true
    }
}
