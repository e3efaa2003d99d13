public import SluiceModel

/// What a verb did: to what, what it could not do and why, and how to take it back.
public struct Answer: Hashable, Sendable {
    /// One task that the verb could not act on.
    public struct Failure: Hashable, Sendable {
        /// The task's number.
        public var id: TaskID
        /// Why.
        public var error: QueueError
        /// The version at which it was found; nil where it is gone.
        public var version: Int64?

        /// A failure with its reason.
        package init(id: TaskID, error: QueueError, version: Int64? = nil) {
            self.id = id
            self.error = error
            self.version = version
        }
    }
    /// Where a bulk ended before its last slice: what was done stands (D10).
    package struct Stop: Hashable, Sendable {
        /// The tasks to which nothing was done.
        package var left: [TaskTarget]
        /// The error that ended it; nil where somebody asked it to stop.
        package var error: QueueError?

        /// An end before the end.
        package init(left: [TaskTarget], error: QueueError? = nil) {
            self.left = left
            self.error = error
        }
    }
    /// The verb that an undo or a redo took back.
    package struct TakenBack: Hashable, Sendable {
        /// The journal's number of it; a bulk is known by its first.
        package var event: Int64
        /// Who did it.
        package var by: String
        /// What was done.
        package var text: String
        /// The journal's number of the undo or redo itself.
        package var entry: Int64
        /// Whether it was an undo, which is done again so.
        package var isRedo: Bool
    }
    /// Why nothing was done, where the store notes that it was tried; the answer is this error.
    var refusal: QueueError?
    /// The tasks that changed; for `enqueue` and `duplicate` the new ones.
    public var changed: [TaskID] = []
    /// A task that an enqueue kept because of its unique key, and what it shows.
    package struct Kept: Hashable, Sendable {
        /// The task's number.
        package var id: TaskID
        /// What it shows.
        package var state: Display
    }
    /// The tasks that an enqueue kept, in the order of the requests; they are among `changed`.
    package var kept: [Kept] = []
    /// The tasks that did not, and why.
    public var failed: [Failure] = []
    /// What follows for other tasks, in sentences.
    public var consequences: [String] = []
    /// Where and why a bulk did not come to its end.
    package var stop: Stop?
    /// The journal's number of the verb, for `undo`; nil where nothing changed. A bulk is known by
    /// its first.
    public var undo: Int64?
    /// What an undo or a redo took back.
    package var takenBack: TakenBack?
    /// The queue that an enqueue made.
    public var createdQueue: String?
    /// The pauses that `resume` ended.
    public var endedPauses: [Pause] = []
    /// The pauses that hold now.
    public var pauses: [Pause] = []
    /// The run that `run` opened, took up again or found open; nil where nothing could run.
    package var run: Run?
    /// The breakpoint that was set; after a removal those that are left.
    package var breakpoints: [Breakpoint] = []
    /// The fault that was set; after a removal those that are left.
    package var faults: [Fault] = []
    /// The clock of the store, where it was set.
    public var clock: ClockFacts?
    /// The checkpoint that was taken; after a removal those that are left.
    package var checkpoints: [Checkpoint] = []
    /// What a restore did.
    public var restored: RestoreReport?
    /// The schedule that was changed, as it is now.
    public var schedules: [Schedule] = []
    /// The sentence for the message line.
    public var summary = ""

    /// Nothing done yet.
    package init() {}
}
