/// The start delay of a persistent program. It is zero unless the last copies ended before they
/// completed a task.
struct CopyBackoff: Equatable {
    private static let firstNanoseconds: UInt64 = 100_000_000
    private static let doublings = 6

    private var vain = 0
    private var nextStart: UInt64 = 0

    /// Records that a copy ended unexpectedly, and whether it had completed a task.
    mutating func ended(afterTask hasEndedOne: Bool, at instant: UInt64) {
        guard !hasEndedOne else { return self = CopyBackoff() }
        nextStart = instant + Self.firstNanoseconds << min(vain, Self.doublings)
        vain += 1
    }

    /// The earliest start of the next copy; `nil` if it may start now.
    func waits(at instant: UInt64) -> UInt64? { nextStart > instant ? nextStart : nil }
}
