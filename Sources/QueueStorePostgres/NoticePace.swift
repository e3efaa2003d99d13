/// When whoever watches is told of commits: at once where nothing was told lately, else once of all
/// that came meanwhile.
///
/// The notices of one's own commits come back from the server like all others. They say nothing
/// that must be heard at once, so they wait for longer and never hold up those of somebody else.
struct NoticePace {
    /// Between two tellings of what others committed, in milliseconds.
    static let otherMilliseconds: Int64 = 5
    /// After any telling until one's own commits are told.
    static let ownMilliseconds: Int64 = 20

    private var isOwnNews = false
    private var isOtherNews = false
    private var lastTold: Int64 = .min / 2
    private var lastToldOther: Int64 = .min / 2

    /// A commit was heard of, or whatever else makes a look worth while.
    mutating func hear(isOwn: Bool) {
        if isOwn { isOwnNews = true } else { isOtherNews = true }
    }

    /// When there is something to tell; nil for as long as nothing comes.
    var dueAt: Int64? {
        let own = isOwnNews ? lastTold + Self.ownMilliseconds : .max
        let other = isOtherNews ? lastToldOther + Self.otherMilliseconds : .max
        return isOwnNews || isOtherNews ? min(own, other) : nil
    }

    /// Whether it is told now.
    mutating func tells(at instant: Int64) -> Bool {
        guard let dueAt, dueAt <= instant else { return false }
        if isOtherNews { lastToldOther = instant }
        (isOwnNews, isOtherNews) = (false, false)
        lastTold = instant
        return true
    }
}
