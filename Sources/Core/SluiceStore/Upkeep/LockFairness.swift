/// Decides when a continuous writer lets others use the store.
///
/// File locks have no queue. A waiting process polls about twice a millisecond, and would rarely
/// find the lock free between the commits of a continuous writer. After 5 ms of holding, the writer
/// therefore asks whether others wait. After a longer time it also pauses briefly, for processes
/// that cannot announce that they wait. It skips the pause if its own work between commits left the
/// lock free for as long. Times are nanoseconds of the monotonic clock.
package struct LockFairness: Sendable {
    private static let askingNanoseconds: UInt64 = 5_000_000
    private static let breakMilliseconds: UInt64 = 1
    private static let longestBreakMilliseconds: UInt64 = 20
    private let timeoutNanoseconds: UInt64
    private var heldNanoseconds: UInt64 = 0
    private var leftNanoseconds: UInt64 = 0
    private var endedNanoseconds: UInt64 = 0

    /// A writer that has held nothing yet, and rests after so long.
    package init(timeoutMilliseconds: UInt64 = 15) {
        timeoutNanoseconds = timeoutMilliseconds * 1_000_000
    }

    /// Whether waiting processes should go first, because the lock has been held for long.
    package mutating func isDue(before moment: UInt64) -> Bool {
        endBreak(at: moment)
        return heldNanoseconds >= Self.askingNanoseconds
    }

    /// Others were let at the lock.
    package mutating func rested() { (heldNanoseconds, leftNanoseconds) = (0, 0) }

    /// The pause in milliseconds before taking the lock again. Usually 0; otherwise a twentieth of
    /// the time held, unless the lock was free for as long anyway.
    package mutating func rest(before moment: UInt64) -> Int {
        endBreak(at: moment)
        guard heldNanoseconds >= timeoutNanoseconds else { return 0 }
        let (held, left) = (heldNanoseconds, leftNanoseconds + gap(before: moment))
        rested()
        guard left < held / 20 else { return 0 }
        let wanted = held / 20_000_000
        return Int(min(max(wanted, Self.breakMilliseconds), Self.longestBreakMilliseconds))
    }

    /// Records that the lock was held between two times.
    package mutating func held(from begin: UInt64, to end: UInt64) {
        leftNanoseconds += gap(before: begin)
        heldNanoseconds += end > begin ? end - begin : 0
        endedNanoseconds = end
    }

    /// How long it has been left alone; 0 if that is a break, after which all begins anew.
    private func gap(before moment: UInt64) -> UInt64 {
        let gap = moment > endedNanoseconds ? moment - endedNanoseconds : 0
        return gap < Self.breakMilliseconds * 1_000_000 ? gap : 0
    }

    private mutating func endBreak(at moment: UInt64) {
        let isBreak = moment >= endedNanoseconds + Self.breakMilliseconds * 1_000_000
        if isBreak { rested() }
    }
}
