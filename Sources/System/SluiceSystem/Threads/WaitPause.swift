/// The sleep intervals of a process that polls for others without notices.
///
/// Each sleep is a share of the time waited so far. A short wait thus ends soon, and a hundred long
/// waits cost the awaited process nothing. Random variation keeps the sleeps apart.
package struct WaitPause: Sendable {
    private static let share: UInt64 = 8
    private let shortest: UInt64
    private let longest: UInt64

    /// Sleeps between these bounds.
    package init(shortestMicroseconds: UInt32, longestMicroseconds: UInt32) {
        shortest = UInt64(shortestMicroseconds)
        longest = UInt64(longestMicroseconds)
    }

    /// How long the next sleep is after so long a wait.
    package func microseconds(
        waitedNanoseconds: UInt64, using random: inout some RandomNumberGenerator
    ) -> UInt32 {
        let wanted = min(longest, max(shortest, waitedNanoseconds / 1000 / Self.share))
        return UInt32(UInt64.random(in: wanted / 2...wanted * 3 / 2, using: &random))
    }
}
