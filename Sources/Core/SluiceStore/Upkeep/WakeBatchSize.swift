import SluiceSystem

/// The number of group members that follow their starts in one commit. It adapts so that a commit
/// blocks others for only a few milliseconds on any machine (T2).
package struct WakeBatchSize: Sendable {
    private static let wantedNanoseconds: UInt64 = 4_000_000
    private static let bounds = Mutation.membersOfMany...2000

    /// How many the next commit takes.
    package private(set) var members = Mutation.membersOfMany

    package init() {}

    /// Records the duration of a commit with `members` members. The next size at most doubles.
    package mutating func took(nanoseconds: UInt64) {
        let fitting = UInt64(members) * Self.wantedNanoseconds / max(1, nanoseconds)
        members = min(
            max(Int(clamping: fitting), Self.bounds.lowerBound), 2 * members,
            Self.bounds.upperBound)
    }

    /// Runs the work of one commit and measures it.
    package static func measure(_ work: () throws -> Void) rethrows -> UInt64 {
        let begin = SystemClock.monotonicNanoseconds()
        try work()
        return SystemClock.monotonicNanoseconds() - begin
    }
}
