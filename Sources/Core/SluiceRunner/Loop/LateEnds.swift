import SluiceStore

/// The ends that a commit at a server settles although they came after its begin.
///
/// A commit waits for the other writers. Its body runs with the lock, and settles all ends until
/// then. A body that runs again settles the same ends again.
///
/// The body has it while the runner's thread waits, never both at the same time.
final class LateEnds: @unchecked Sendable {
    /// The executions whose tasks the commit reads with its begin.
    let expected: Set<ExecutionKey>
    var completions: [Completion] = []
    /// Whether other executions had ended, too.
    var isExceeded = false
    /// When the commit began, had its lock, and was through, in milliseconds.
    let begunAt: Int64
    var lockedAt: Int64?
    var endedAt: Int64?

    /// The time for which others had the lock. Without them it comes about as fast as the end.
    var lockWait: Int64 {
        guard let lockedAt, let endedAt else { return 0 }
        return max(0, (lockedAt - begunAt) - (endedAt - lockedAt))
    }

    init(_ expected: [ExecutionKey], at instant: Int64) {
        (self.expected, begunAt) = (Set(expected), instant)
    }
}

/// How many executions a commit expects to end while it waits for its lock.
///
/// It grows fast and falls slowly. An end that no commit expected waits for the lock once more,
/// after the commits of all other workers; an expected one that does not come costs one read row.
struct LateAllowance {
    private(set) var count = 2

    /// Learns from a commit of a runner with so many slots.
    mutating func record(_ late: LateEnds, slots: Int) {
        let next = late.isExceeded ? count * 2 : late.completions.count * 2
        count = min(max(next, count - (count + 3) / 4, 2), slots)
    }
}

/// How long a worker waits for more ends before a commit at a server.
///
/// Where workers wait for each other's commits, the lock limits all of them, and a commit costs
/// more than the tasks in it. So a worker gathers ends for half the time that its last commit
/// waited for the lock. Fewer commits make this wait shorter, and the gathering with it.
struct EndGathering {
    private var wait: Int64 = 0
    private var waitedAt: Int64 = .min / 2

    private static let limit: Int64 = 25
    /// The time after which the last commit says nothing of the next one.
    private static let memory: Int64 = 250

    /// Whether the last commit waited for others; never at a file.
    var isUsed: Bool { wait > 1 }

    /// Learns from a commit.
    mutating func record(_ late: LateEnds) {
        (wait, waitedAt) = (late.lockWait, late.endedAt ?? waitedAt)
    }

    /// For how long the ends of an instant wait; `nil` if they go immediately.
    func milliseconds(at instant: Int64) -> Int64? {
        guard isUsed, instant - waitedAt < Self.memory else { return nil }
        return min(wait / 2, Self.limit)
    }

    /// Whether inputs may wait: ends of some executions, and nothing that is more urgent.
    static func mayWait(with inputs: [RunnerInput], of executions: Int) -> Bool {
        let ends = inputs.count(where: \.isEnd)
        return ends > 0 && ends < executions
            && inputs.allSatisfy { $0.isEnd || $0.isProgress }
    }
}
