/// When the screen follows the next commit notice. Its work from one notice to the next takes at
/// most a sixteenth of the time, so that a slow read or a busy machine costs the workers little.
struct NoticePace: Hashable, Sendable {
    private static let share: UInt64 = 16
    private static let least: UInt64 = 30_000_000
    /// Slow enough for any work, and fast enough to see a change come.
    private static let most: UInt64 = 250_000_000

    private var last: UInt64 = 0
    private var workedBefore: UInt64 = 0

    /// The earliest moment for the next notice, in nanoseconds of the monotonic clock. `worked` is
    /// the processor time of this process so far.
    func next(worked: UInt64) -> UInt64 {
        let work = worked > workedBefore ? worked - workedBefore : 0
        return last + min(Self.most, max(Self.least, min(work, Self.most) * Self.share))
    }

    /// The screen follows a notice.
    mutating func begin(at moment: UInt64, worked: UInt64) {
        (last, workedBefore) = (moment, worked)
    }
}
