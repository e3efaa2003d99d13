/// Decides when to notify an observer of commits: immediately after a quiet time, otherwise once
/// for all commits since.
///
/// The server also sends the notices of a process's own commits. They contain no urgent news, so
/// they wait longer and never delay others' notices. With hundreds of other commits per second,
/// each call covers several: half the calls leave the server time for the commits.
struct NoticeThrottle {
    /// Between two tellings of what others committed, in milliseconds.
    static let otherMilliseconds: Int64 = 5
    /// The same where others commit all the time.
    static let streamMilliseconds: Int64 = 10
    /// The delay after any call before own commits are reported.
    static let ownMilliseconds: Int64 = 20

    private var isOwnNews = false
    private var isOtherNews = false
    /// The number of other commits since the last call for them.
    private var heard = 0
    /// About how many the last tellings were of, times 16.
    private var stream = 0
    private var lastTold: Int64 = .min / 2
    private var lastToldOther: Int64 = .min / 2

    /// Records a commit, or another reason to poll.
    mutating func handle(isOwn: Bool) {
        if isOwn { return isOwnNews = true }
        isOtherNews = true
        heard += 1
    }

    /// Whether other processes committed: their notice has a fixed time.
    var awaitsTelling: Bool { isOtherNews }

    /// The time of the next notice; nil without news.
    var dueAt: Int64? {
        let own = isOwnNews ? lastTold + Self.ownMilliseconds : .max
        let gap = stream >= 32 ? Self.streamMilliseconds : Self.otherMilliseconds
        let other = isOtherNews ? lastToldOther + gap : .max
        return isOwnNews || isOtherNews ? min(own, other) : nil
    }

    mutating func tells(at instant: Int64) -> Bool {
        guard let dueAt, dueAt <= instant else { return false }
        if isOtherNews {
            stream += min(heard, 100) - stream / 16
            (lastToldOther, heard) = (instant, 0)
        }
        (isOwnNews, isOtherNews) = (false, false)
        lastTold = instant
        return true
    }
}
