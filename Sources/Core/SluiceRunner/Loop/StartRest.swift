/// How a runner rests after a task could not begin in it for lack of descriptors, memory, processes
/// or disk: it takes nothing for a while, and after that no more than it was able to have in hand.
struct StartRest: Hashable, Sendable {
    static let shortest: Int64 = 1000
    static let longest: Int64 = 30_000
    /// Until when nothing is taken; nil where it takes work.
    private(set) var until: Int64?
    /// How many executions it takes at once; nil for as many as its options say.
    private(set) var slots: Int?
    private var next = StartRest.shortest
    /// How many executions ended since the number of slots changed.
    private var ends = 0

    /// A task could not begin while so many others were in hand.
    mutating func note(inHand: Int, at instant: Int64) {
        (slots, ends) = (max(1, inHand), 0)
        // Several that failed together are one rest.
        guard until == nil else { return }
        until = instant + next
        next = min(next * 2, Self.longest)
    }

    /// An execution came to an end of its own. When as many did as there are slots, one more is
    /// tried, up to `all`.
    mutating func ended(of all: Int) {
        guard let known = slots else { return }
        ends += 1
        guard ends >= known else { return }
        (next, ends) = (Self.shortest, 0)
        slots = known + 1 < all ? known + 1 : nil
    }

    /// Whether the rest is over now; then work is to be taken.
    mutating func isOver(at instant: Int64) -> Bool {
        guard let until, until <= instant else { return false }
        self.until = nil
        return true
    }
}
