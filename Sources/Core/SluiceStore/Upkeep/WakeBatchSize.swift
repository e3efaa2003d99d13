import SluicePlatform

/// How many members of groups follow their starts in one commit, so that such a commit holds up
/// others for a few milliseconds and no longer, whatever the machine and the work (T2).
package struct WakeBatchSize: Sendable {
    private static let wantedNanoseconds: UInt64 = 4_000_000
    private static let bounds = Mutation.membersOfMany...2000

    /// How many the next commit takes.
    package private(set) var members = Mutation.membersOfMany

    /// A pace that nothing is known of.
    package init() {}

    /// A commit's work took so long, that of `members`; the next one takes twice as many at most.
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
