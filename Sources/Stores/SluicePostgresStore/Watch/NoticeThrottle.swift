/// When whoever watches is told of commits: at once where nothing was told lately, else once of all
/// that came meanwhile.
///
/// The notices of one's own commits come back from the server like all others. They say nothing
/// that must be heard at once, so they wait for longer and never hold up those of somebody else.
/// Where others commit hundreds of times a second, each telling is of several commits: half as many
/// tellings leave the server time for the commits themselves.
struct NoticeThrottle {
    /// Between two tellings of what others committed, in milliseconds.
    static let otherMilliseconds: Int64 = 5
    /// The same where others commit all the time.
    static let streamMilliseconds: Int64 = 10
    /// After any telling until one's own commits are told.
    static let ownMilliseconds: Int64 = 20

    private var isOwnNews = false
    private var isOtherNews = false
    /// So many commits of others were heard of since the last telling of them.
    private var heard = 0
    /// About how many the last tellings were of, times 16.
    private var stream = 0
    private var lastTold: Int64 = .min / 2
    private var lastToldOther: Int64 = .min / 2

    /// A commit was heard of, or whatever else makes a look worth while.
    mutating func handle(isOwn: Bool) {
        if isOwn { return isOwnNews = true }
        isOtherNews = true
        heard += 1
    }

    /// Whether others committed, which will be told at a moment that nothing brings nearer.
    var awaitsTelling: Bool { isOtherNews }

    /// When there is something to tell; nil for as long as nothing comes.
    var dueAt: Int64? {
        let own = isOwnNews ? lastTold + Self.ownMilliseconds : .max
        let gap = stream >= 32 ? Self.streamMilliseconds : Self.otherMilliseconds
        let other = isOtherNews ? lastToldOther + gap : .max
        return isOwnNews || isOtherNews ? min(own, other) : nil
    }

    /// Whether it is told now.
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
