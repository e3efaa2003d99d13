/// Decides when what a runner executes is no longer its own: who is not heard of for some time
/// counts as dead on other machines, and by then all of it must have come to its end (A2). Moments
/// are those of the monotonic clock in milliseconds.
struct RunnerLease: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Everything in hand is told to stop.
        case stop
        /// What has not stopped is ended by the last means.
        case kill
        /// The store has been heard of again.
        case goOn
    }

    /// While it is lost the store is looked at this often for having come back.
    static let lookMilliseconds: Int64 = 200

    private(set) var isLost = false
    private var killAt: Int64?

    /// What is due; `heldUntil` is the moment from which on it must not count on its lease.
    mutating func look(heldUntil: Int64, instant: Int64) -> Step? {
        guard isLost else {
            guard heldUntil <= instant else { return nil }
            (isLost, killAt) = (true, instant + stopPatienceMilliseconds)
            return .stop
        }
        if let killAt, killAt <= instant {
            self.killAt = nil
            return .kill
        }
        guard heldUntil > instant else { return nil }
        isLost = false
        return .goOn
    }

    /// How long nothing is due, unless the lease is renewed.
    func sleepMilliseconds(heldUntil: Int64, instant: Int64) -> Int64 {
        if !isLost { return max(0, heldUntil - instant) }
        return max(0, min(Self.lookMilliseconds, (killAt ?? .max) - instant))
    }
}
