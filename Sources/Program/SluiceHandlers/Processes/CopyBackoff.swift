/// When a program that stays is started again: at once, unless its last copies ended before they
/// had ended a task.
struct CopyBackoff: Equatable {
    private static let firstNanoseconds: UInt64 = 100_000_000
    private static let doublings = 6

    private var vain = 0
    private var nextStart: UInt64 = 0

    /// A copy has ended by itself; whether it had ended a task before.
    mutating func ended(afterTask hasEndedOne: Bool, at instant: UInt64) {
        guard !hasEndedOne else { return self = CopyBackoff() }
        nextStart = instant + Self.firstNanoseconds << min(vain, Self.doublings)
        vain += 1
    }

    /// The moment from which on one may be started; nil where that is now.
    func waits(at instant: UInt64) -> UInt64? { nextStart > instant ? nextStart : nil }
}
