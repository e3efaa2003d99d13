/// How a runner rests after a task could not begin in it for lack of descriptors, memory, processes
/// or disk: it takes nothing for a while, and after that no more than it was able to have in hand.
struct StartRest: Hashable, Sendable {
    static let shortest: Int64 = 1000
    static let longest: Int64 = 30_000
    /// The end of a pause in claiming, or `nil` while the runner claims.
    private(set) var until: Int64?
    /// The reduced number of slots, or `nil` for the number in its options.
    private(set) var slots: Int?
    private var next = StartRest.shortest
    /// How many executions ended since the number of slots changed.
    private var ends = 0

    /// Records that a task could not start with `inFlight` attempts running.
    mutating func record(inFlight: Int, at instant: Int64) {
        (slots, ends) = (max(1, inFlight), 0)
        // Several that failed together are one rest.
        guard until == nil else { return }
        until = instant + next
        next = min(next * 2, Self.longest)
    }

    /// Records a normal end of an attempt. After one end for each slot it tries one more slot, up
    /// to `all`.
    mutating func ended(of all: Int) {
        guard let known = slots else { return }
        ends += 1
        guard ends >= known else { return }
        (next, ends) = (Self.shortest, 0)
        slots = known + 1 < all ? known + 1 : nil
    }

    /// Whether the pause has ended now; then the runner claims again.
    mutating func isOver(at instant: Int64) -> Bool {
        guard let until, until <= instant else { return false }
        self.until = nil
        return true
    }
}
