/// How somebody sleeps who waits for others and is not told by the system when they are done.
///
/// He sleeps for a share of the time that he has waited, so that a short wait is noticed soon and
/// a hundred who wait long cost the one they wait for nothing; chance keeps them apart.
package struct WaitPause: Sendable {
    private static let share: UInt64 = 8
    private let shortest: UInt64
    private let longest: UInt64

    /// Sleeps of about so many microseconds.
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
