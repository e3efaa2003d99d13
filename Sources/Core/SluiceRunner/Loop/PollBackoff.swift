/// Decides when a runner polls its store: immediately, but at least 2 ms after the last poll if
/// others commit all the time.
///
/// Every commit of a busy runner claims for all its free slots, so that a poll adds nothing. A
/// runner without free slots can start nothing. In both cases polls wait up to 50 ms: a busy runner
/// has to see requests to stop a task. Commits at a server read these requests too, and a poll
/// waits up to 250 ms where such commits follow each other.
///
/// A runner whose last polls gave nothing, or little while another runner takes the same tasks,
/// waits 10 ms. The other one is faster, and few large commits load the store less than many small
/// ones. The wait shortens again when there is more work than the other takes.
///
/// A claim may skip the poll, a round trip to a server, if no other runner comes first and the last
/// claim gave tasks, or if applications fed the store of late.
struct PollBackoff {
    /// Whether the store may hold what no look has seen.
    var isWanted = false
    /// Whether no other runner comes before it that takes the same.
    var isFirst = true
    private var last: Int64 = 0
    /// When a commit read the requests to stop its tasks.
    private var heard: Int64 = 0
    /// The number of polls since a useful claim. If the runner is not first, only claims of many
    /// tasks count as useful.
    private var vain = 0
    /// Whether the last claim gave tasks. A claim that comes with a settle counts only if it did.
    private var isFruitful = false
    /// How many more claims may give nothing before applications count as silent.
    private var fed = 0

    private static let soon: Int64 = 2
    private static let behind: Int64 = 10
    private static let late: Int64 = 50
    private static let latest: Int64 = 250
    private static let vainLimit = 8
    /// Its own commit after a task, and one of another process.
    private static let fedLimit = 2

    /// The time of the next poll, or `nil` if none is wanted. `isBusy` states that there is more to
    /// do, or no free slot.
    func dueAt(isBusy: Bool) -> Int64? {
        guard isWanted else { return nil }
        if isBusy { return min(max(last, heard) + Self.late, last + Self.latest) }
        return last + (vain > Self.vainLimit ? Self.behind : Self.soon)
    }

    /// It looks at an instant in milliseconds.
    mutating func look(at instant: Int64) {
        (isWanted, last) = (false, instant)
        vain = min(vain + 1, Self.vainLimit + 1)
    }

    /// Records a commit that read the requests to stop its tasks.
    mutating func hears(at instant: Int64) { heard = instant }

    /// Whether an idle runner may claim after a notice without a poll first.
    func mayClaim(at instant: Int64) -> Bool {
        isFirst && (isFruitful || isFed) && dueAt(isBusy: false).map { $0 <= instant } ?? false
    }

    /// Records that a poll found rows that an application inserted.
    mutating func foundInbox() { fed = Self.fedLimit }

    /// Whether the next notice probably announces rows that an application inserted.
    var isFed: Bool { fed > 0 }

    /// Records that a claim gave `count` tasks, with `slots` slots in total.
    mutating func found(_ count: Int, of slots: Int) {
        isFruitful = count > 0
        if isFed { fed = isFruitful ? Self.fedLimit : fed - 1 }
        if count > 0, isFirst || count * 16 > slots { vain = 0 }
    }
}
