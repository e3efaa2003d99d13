/// How a runner works.
package struct RunnerOptions: Hashable, Sendable {
    /// How many tasks it runs at once, at least 1.
    package var slots = 8
    /// The queues it serves; nil for every queue.
    package var queues: [String]?
    /// Whether it ends when nothing is left that could start by itself.
    package var endsWhenEmpty = false
    /// Whether it only takes what a permit names: a console or command that steps by itself (D3).
    package var takesOnlyPermits = false
    /// How long what runs may go on after the runner was asked to stop (A6).
    package var stopGraceMilliseconds: Int64 = 10_000
    /// Whether a fault may kill its process, with whatever else that runs (G2).
    package var allowsCrash = false

    /// How often it forgets what has been kept for its time (Q9).
    package var housekeepingMilliseconds: Int64 = 600_000

    /// Eight slots, every queue, until told to stop, where nothing else is said.
    package init(
        slots: Int = 8, queues: [String]? = nil, endsWhenEmpty: Bool = false,
        takesOnlyPermits: Bool = false, stopGraceMilliseconds: Int64 = 10_000,
        allowsCrash: Bool = false
    ) {
        (self.slots, self.queues) = (slots, queues)
        (self.endsWhenEmpty, self.takesOnlyPermits) = (endsWhenEmpty, takesOnlyPermits)
        self.stopGraceMilliseconds = stopGraceMilliseconds
        self.allowsCrash = allowsCrash
    }
}

/// How long a handler may ignore that it was told to stop: then comes the last means, and half a
/// second later the execution is `abandoned` (A6).
package let stopPatienceMilliseconds: Int64 = 5_000
let killPatienceMilliseconds: Int64 = 500
/// How often progress is written, at most (A7).
let progressMilliseconds: Int64 = 250
