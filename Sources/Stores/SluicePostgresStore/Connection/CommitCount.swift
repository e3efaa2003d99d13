import SluicePlatform

/// The commits of one store that kept something, and the round trips of their connection so far.
final class CommitCount: Sendable {
    private let counts = Protected((commits: 0, roundTrips: 0))

    /// A connection has committed, after so many round trips since it was made.
    func note(roundTrips: Int) {
        counts.withLock { $0 = ($0.commits + 1, roundTrips) }
    }

    var commits: Int { counts.withLock { $0.commits } }
    var roundTrips: Int { counts.withLock { $0.roundTrips } }
}
