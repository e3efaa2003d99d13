public import SluiceModel

/// The result of a verb: the changed tasks, the failures with reasons, and the undo.
public struct Answer: Hashable, Sendable {
    /// One task that the verb could not act on.
    public struct Failure: Hashable, Sendable {
        /// The task's number.
        public var id: TaskID
        /// Why.
        public var error: QueueError
        /// The task's version at the failure; `nil` if the task no longer exists.
        public var version: Int64?

        package init(id: TaskID, error: QueueError, version: Int64? = nil) {
            self.id = id
            self.error = error
            self.version = version
        }
    }
    /// The point where a bulk ended early. Finished slices keep their effect (D10).
    package struct Stop: Hashable, Sendable {
        package var left: [TaskTarget]
        /// The error that ended it; `nil` if the user stopped it.
        package var error: QueueError?

        /// An end before the end.
        package init(left: [TaskTarget], error: QueueError? = nil) {
            self.left = left
            self.error = error
        }
    }
    /// The verb that an undo or a redo took back.
    package struct TakenBack: Hashable, Sendable {
        /// Its journal number; a bulk uses its first slice's.
        package var event: Int64
        package var by: String
        /// The sentence about the reverted verb.
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
    /// A task that an enqueue kept because of its unique key, and its displayed state.
    package struct Kept: Hashable, Sendable {
        /// The task's number.
        package var id: TaskID
        package var state: Display
    }
    /// The tasks that an enqueue kept, in the order of the requests; they are among `changed`.
    package var kept: [Kept] = []
    /// The tasks that did not, and why.
    public var failed: [Failure] = []
    /// The consequences for other tasks, in sentences.
    public var consequences: [String] = []
    /// Why and where a bulk ended early, if it did.
    package var stop: Stop?
    /// The journal's number of the verb, for `undo`; nil where nothing changed. A bulk is known by
    /// its first.
    public var undo: Int64?
    /// The verb that an undo or redo reverted.
    package var takenBack: TakenBack?
    /// The queue that an enqueue made.
    public var createdQueue: String?
    /// The pauses that `resume` ended.
    public var endedPauses: [Pause] = []
    /// The pauses that hold now.
    public var pauses: [Pause] = []
    /// The run that `run` opened, took up again or found open; nil if nothing could run.
    package var run: Run?
    /// The new breakpoint, or the remaining ones after a removal.
    package var breakpoints: [Breakpoint] = []
    /// The new fault, or the remaining ones after a removal.
    package var faults: [Fault] = []
    /// The store's clock, if the verb changed it.
    public var clock: ClockFacts?
    /// The new checkpoint, or the remaining ones after a removal.
    package var checkpoints: [Checkpoint] = []
    /// The result of a restore.
    public var restored: RestoreReport?
    /// The changed schedule with its present values.
    public var schedules: [Schedule] = []
    /// The sentence for the message line.
    public var summary = ""

    /// Nothing done yet.
    package init() {}
}
