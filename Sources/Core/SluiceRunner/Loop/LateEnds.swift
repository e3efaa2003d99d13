import SluiceStore

/// The ends that a commit at a server settles although they came after its begin.
///
/// A commit waits for the other writers. Its body runs when the lock is taken, and settles what has
/// ended by then. A body that runs again settles the same ends again.
///
/// The body has it while the runner's thread waits, never both at the same time.
final class LateEnds: @unchecked Sendable {
    /// The executions whose tasks the commit reads with its begin.
    let expected: Set<ExecutionKey>
    var completions: [Completion] = []
    /// Whether other executions had ended, too.
    var isExceeded = false

    init(_ expected: [ExecutionKey]) { self.expected = Set(expected) }
}

/// How many executions a commit expects to end while it waits for its lock.
struct LateAllowance {
    private(set) var count = 2

    /// Learns from a commit of a runner with so many slots.
    mutating func record(_ late: LateEnds, slots: Int) {
        let next = late.isExceeded ? count * 2 : late.completions.count * 2
        count = min(max(next, 2), slots)
    }
}
