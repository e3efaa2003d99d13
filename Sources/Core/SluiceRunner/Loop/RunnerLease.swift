/// Decides when a runner loses its lease. Other machines treat a silent process as dead after a
/// time; all its attempts must have ended by then (A2). Times are the monotonic clock in
/// milliseconds.
struct RunnerLease: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        /// Ask all running attempts to stop.
        case stop
        /// Kill the attempts that have not stopped.
        case kill
        /// The store has been heard of again.
        case goOn
    }

    /// The interval of checks for a new lease after a loss.
    static let lookMilliseconds: Int64 = 200

    private(set) var isLost = false
    private var killAt: Int64?

    /// The step that is due, if any; `heldUntil` is the end of the lease.
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

    /// The time until the next step, unless the lease is renewed.
    func sleepMilliseconds(heldUntil: Int64, instant: Int64) -> Int64 {
        if !isLost { return max(0, heldUntil - instant) }
        return max(0, min(Self.lookMilliseconds, (killAt ?? .max) - instant))
    }
}
