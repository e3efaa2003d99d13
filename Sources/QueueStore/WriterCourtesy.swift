/// When a writer that goes on and on lets others at the store.
///
/// The locks of files have no queue: whoever waits for one looks about twice a millisecond, and
/// would hardly ever find it free between the commits of one who takes it again at once. So a
/// writer that held the lock for 15 ms without a break leaves it alone for a moment; moments are
/// those of the machine's monotonic clock, in nanoseconds.
public struct WriterCourtesy: Sendable {
    private static let patienceNanoseconds: UInt64 = 15_000_000
    private static let breakMilliseconds: UInt64 = 1
    private static let longestBreakMilliseconds: UInt64 = 20
    private var heldNanoseconds: UInt64 = 0
    private var endedNanoseconds: UInt64 = 0

    /// A writer that has held nothing yet.
    public init() {}

    /// How many milliseconds to wait before the lock is taken again: mostly none, else a twentieth
    /// of the time that it was held.
    public mutating func rest(before moment: UInt64) -> Int {
        let isBreak = moment >= endedNanoseconds + Self.breakMilliseconds * 1_000_000
        if isBreak { heldNanoseconds = 0 }
        guard heldNanoseconds >= Self.patienceNanoseconds else { return 0 }
        let wanted = heldNanoseconds / 20_000_000
        heldNanoseconds = 0
        return Int(min(max(wanted, Self.breakMilliseconds), Self.longestBreakMilliseconds))
    }

    /// The lock was held from one moment to another.
    public mutating func held(from begin: UInt64, to end: UInt64) {
        heldNanoseconds += end > begin ? end - begin : 0
        endedNanoseconds = end
    }
}
