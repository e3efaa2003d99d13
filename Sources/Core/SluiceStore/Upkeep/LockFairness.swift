/// When a writer that goes on and on lets others at the store.
///
/// The locks of files have no queue: whoever waits for one looks about twice a millisecond, and
/// would hardly ever find it free between the commits of one who takes it again at once. So a
/// writer that held the lock for 5 ms without a break asks whether somebody waits, and one that
/// held it for longer leaves it alone for a moment, for those who cannot say that they wait, unless
/// what it does between its commits leaves it alone for as long; moments are those of the machine's
/// monotonic clock, in nanoseconds.
package struct LockFairness: Sendable {
    private static let askingNanoseconds: UInt64 = 5_000_000
    private static let breakMilliseconds: UInt64 = 1
    private static let longestBreakMilliseconds: UInt64 = 20
    private let timeoutNanoseconds: UInt64
    private var heldNanoseconds: UInt64 = 0
    /// Between those times.
    private var leftNanoseconds: UInt64 = 0
    private var endedNanoseconds: UInt64 = 0

    /// A writer that has held nothing yet, and rests after so long.
    package init(timeoutMilliseconds: UInt64 = 15) {
        timeoutNanoseconds = timeoutMilliseconds * 1_000_000
    }

    /// Whether the lock was held so long that whoever waits for it goes first.
    package mutating func isDue(before moment: UInt64) -> Bool {
        endBreak(at: moment)
        return heldNanoseconds >= Self.askingNanoseconds
    }

    /// Others were let at the lock.
    package mutating func rested() { (heldNanoseconds, leftNanoseconds) = (0, 0) }

    /// How many milliseconds to wait before the lock is taken again: mostly none, else a twentieth
    /// of the time that it was held; none where that was left free anyhow.
    package mutating func rest(before moment: UInt64) -> Int {
        endBreak(at: moment)
        guard heldNanoseconds >= timeoutNanoseconds else { return 0 }
        let (held, left) = (heldNanoseconds, leftNanoseconds + gap(before: moment))
        rested()
        guard left < held / 20 else { return 0 }
        let wanted = held / 20_000_000
        return Int(min(max(wanted, Self.breakMilliseconds), Self.longestBreakMilliseconds))
    }

    /// The lock was held from one moment to another.
    package mutating func held(from begin: UInt64, to end: UInt64) {
        leftNanoseconds += gap(before: begin)
        heldNanoseconds += end > begin ? end - begin : 0
        endedNanoseconds = end
    }

    /// How long it has been left alone; 0 where that is a break, after which all begins anew.
    private func gap(before moment: UInt64) -> UInt64 {
        let gap = moment > endedNanoseconds ? moment - endedNanoseconds : 0
        return gap < Self.breakMilliseconds * 1_000_000 ? gap : 0
    }

    private mutating func endBreak(at moment: UInt64) {
        let isBreak = moment >= endedNanoseconds + Self.breakMilliseconds * 1_000_000
        if isBreak { rested() }
    }
}
