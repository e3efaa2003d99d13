/// When a runner looks at its store: at once, but 2 ms after the last time where others commit all
/// the time.
///
/// Every commit of a busy runner claims for all its free slots, so that a look finds nothing more.
/// A runner whose slots are all taken can begin nothing, whatever a look finds. Requests to stop a
/// task, which only a look finds, wait 50 ms at most in both cases.
///
/// What comes in a stream to a runner whose last looks led to nothing, or to little while another
/// runner takes the same, waits 10 ms: that one is quicker, and few large commits leave the store
/// more time than many small ones. It is as quick again as soon as there is more than the other
/// takes.
///
/// A claim can do without the way to a server that a look is, where no other runner comes before it
/// and the last claim gave something.
struct PollBackoff {
    /// Whether the store may hold what no look has seen.
    var isWanted = false
    /// Whether no other runner comes before it that takes the same.
    var isFirst = true
    private var last: Int64 = 0
    /// So many looks there were since a claim gave something, or much where it is not the first.
    private var vain = 0
    /// Whether the last claim gave something; those that ends bring along count where they do.
    private var isFruitful = false

    private static let soon: Int64 = 2
    private static let behind: Int64 = 10
    private static let late: Int64 = 50
    private static let vainLimit = 8

    /// When to look next; nil where nobody wants that. `isBusy` says whether there is more to do,
    /// or no room for more.
    func dueAt(isBusy: Bool) -> Int64? {
        guard isWanted else { return nil }
        if isBusy { return last + Self.late }
        return last + (vain > Self.vainLimit ? Self.behind : Self.soon)
    }

    /// It looks at an instant in milliseconds.
    mutating func look(at instant: Int64) {
        (isWanted, last) = (false, instant)
        vain = min(vain + 1, Self.vainLimit + 1)
    }

    /// Whether a runner that rests and is told of a change may claim without a look at it first.
    func mayClaim(at instant: Int64) -> Bool {
        isFirst && isFruitful && dueAt(isBusy: false).map { $0 <= instant } ?? false
    }

    /// A claim gave so many of the slots that there are.
    mutating func found(_ count: Int, of slots: Int) {
        isFruitful = count > 0
        if count > 0, isFirst || count * 16 > slots { vain = 0 }
    }
}
