import SluiceSystem

/// The commits of one store that kept something, and the round trips of its connections.
final class CommitCount: Sendable {
    private let counts = Protected((commits: 0, roundTrips: 0, readsAhead: 0, reading: 0))

    /// Records a commit, with the connection's total round trips and reads sent ahead so far.
    func record(roundTrips: Int, readsAhead: Int) {
        counts.withLock {
            ($0.commits, $0.roundTrips, $0.readsAhead) =
                ($0.commits + 1, roundTrips, readsAhead)
        }
    }

    /// Counts the round trips of a transaction that only read.
    func record(reading roundTrips: Int) { counts.withLock { $0.reading += roundTrips } }

    var commits: Int { counts.withLock { $0.commits } }
    var readsAhead: Int { counts.withLock { $0.readsAhead } }
    var roundTrips: Int { counts.withLock { $0.roundTrips } }
    var readingRoundTrips: Int { counts.withLock { $0.reading } }
}
