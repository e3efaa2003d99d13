/// When the screen follows the next commit notice. With its work between notices it takes less
/// than a tenth of the time, so that a busy store costs its workers little.
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
