/// When to look whether a commit can be seen that the growth of the write-ahead log announced, in
/// milliseconds of a clock that never goes back.
///
/// The log is written before the commit can be seen: how long before is up to the disk. So one
/// looks almost at once, then a little later each time; where something was seen for about half a
/// second, else for a minute; then not at all until the log grows again.
struct CommitPoll {
    /// So long a commit takes at the least where it waits for the disk, and a look would be in the
    /// way of whoever the commit wakes.
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

    /// Whether more growth is worth waking for: not while the next look is near anyhow, so that a
    /// log which grows all the time costs a look every few milliseconds and no more.
    var isListening: Bool { wait.map { $0 > Self.firstWait } ?? true }

    /// How long one may sleep; nil for until the log grows.
    func sleep(at instant: Int64) -> Int64? { wait.map { _ in max(0, dueAt - instant) } }

    /// Whether it is time to look.
    func isDue(at instant: Int64) -> Bool { wait != nil && dueAt <= instant }

    /// The log grew: look soon.
    mutating func logGrew(at instant: Int64) {
        wait = 0
        dueAt = instant + Self.grace
        hasSeen = false
    }

    /// What the look gave; whether it is worth telling.
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
