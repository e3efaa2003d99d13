/// When a runner looks at its store: at once, but 2 ms after the last time where others commit all
/// the time.
///
/// Every commit of a busy runner claims for all its free slots, so that a look finds nothing more:
/// what only a look finds waits 20 ms at most. What comes to a runner whose last looks led to no
/// claim that gave anything waits 10 ms: others work the same off, one of them is quicker, and
/// there is nothing to be done before that one has its slots full.
struct LookPace {
    /// Whether the store may hold what no look has seen.
    var isWanted = false
    private var last: Int64 = 0
    /// So many looks there were since a claim gave something.
    private var vain = 0

    private static let soon: Int64 = 2
    private static let late: Int64 = 20
    private static let behind: Int64 = 10
    private static let vainLimit = 8

    /// When to look next; nil where nobody wants that. `hasMore` says whether there is more to do.
    func dueAt(hasMore: Bool) -> Int64? {
        guard isWanted else { return nil }
        if hasMore { return last + Self.late }
        return last + (vain > Self.vainLimit ? Self.behind : Self.soon)
    }

    /// It looks at an instant in milliseconds.
    mutating func look(at instant: Int64) {
        (isWanted, last) = (false, instant)
        vain = min(vain + 1, Self.vainLimit + 1)
    }

    /// A claim gave something.
    mutating func found() { vain = 0 }
}
