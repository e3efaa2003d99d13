package struct RunnerOptions: Hashable, Sendable {
    /// The maximum number of tasks that run at the same time, at least 1 (default 8).
    package var slots = 8
    /// The queues it serves; nil for every queue.
    package var queues: [String]?
    /// Whether it ends when no task is left that could start automatically.
    package var endsWhenEmpty = false
    /// Whether it takes only tasks of permits, as the runner of a stepping console or command does
    /// (D3).
    package var takesOnlyPermits = false
    /// The time that attempts have after a stop request (A6), in milliseconds.
    package var stopGraceMilliseconds: Int64 = 10_000
    /// Whether a fault may kill its process, including all other work there (G2).
    package var allowsCrash = false

    /// The interval of housekeeping (Q9), in milliseconds.
    package var housekeepingMilliseconds: Int64 = 600_000

    /// Defaults: eight slots, every queue, until stopped.
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
/// The minimum interval between writes of progress (A7), in milliseconds.
let progressMilliseconds: Int64 = 250
