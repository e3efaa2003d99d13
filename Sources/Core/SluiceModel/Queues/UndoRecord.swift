/// The images from before a verb, and the versions it left (D9).
package struct UndoRecord: Hashable, Sendable {
    /// One task before the verb, with the version that the verb left; nil for one that the verb
    /// made.
    package struct TaskImage: Hashable, Sendable {
        /// The task's number.
        package var id: TaskID
        /// Its former self; nil where the verb made it.
        package var before: QueueTask? {
            get { former.first }
            set { former = newValue.map { [$0] } ?? [] }
        }
        /// An array of at most one element, which takes less memory than an optional value. Undo
        /// records may hold many created tasks.
        private var former: [QueueTask]
        /// Its payload before, where the verb changed it.
        package var payloadBefore: [UInt8]?
        /// The version that the verb left.
        package var versionAfter: Int64

        package init(
            id: TaskID, before: QueueTask?, payloadBefore: [UInt8]? = nil, versionAfter: Int64
        ) {
            self.id = id
            former = before.map { [$0] } ?? []
            self.payloadBefore = payloadBefore
            self.versionAfter = versionAfter
        }
    }
    /// The tasks that the verb changed.
    package var tasks: [TaskImage] = []
    /// A queue before the verb, with the version that the verb left.
    package var queue: QueueRecord?
    /// The version of the queue that the verb left.
    package var queueVersionAfter: Int64?
    /// The number of the run that the verb opened.
    package var run: Int64?
    /// The store's own pause before the verb, where the verb changed it.
    package var storePausesBefore: [Pause]?
    /// The breakpoints that the verb set or removed.
    package var breakpoints: [Former<Breakpoint>] = []
    /// The faults that the verb set or removed.
    package var faults: [Former<Fault>] = []
    /// The clock of the store before the verb and after it; nil for the real time.
    package struct ClockImage: Hashable, Sendable {
        package var before: ClockSetting?
        /// As the verb left it.
        package var after: ClockSetting?

        package init(before: ClockSetting?, after: ClockSetting?) {
            (self.before, self.after) = (before, after)
        }
    }
    /// The verb's change of the clock; `nil` without one.
    package var clock: ClockImage?
    /// The results that the verb set or cleared, by their tasks.
    package var results: [Former<[UInt8]>] = []
    /// One queue before a verb that put several back, with the version that the verb left.
    package struct QueueImage: Hashable, Sendable {
        package var before: QueueRecord
        /// The version that the verb left.
        package var versionAfter: Int64

        package init(before: QueueRecord, versionAfter: Int64) {
            (self.before, self.versionAfter) = (before, versionAfter)
        }
    }
    /// The queues that the verb put back.
    package var queues: [QueueImage] = []
    /// The deleted queues that the verb created again.
    package var madeQueues: [String] = []
    /// The network as it was forced before, where the verb put the store's own values back.
    package var network: NetworkImage?
    /// How a person had forced the network.
    package struct NetworkImage: Hashable, Sendable {
        /// On, off, or nil for measured.
        package var forced: Bool?

        package init(forced: Bool?) { self.forced = forced }
    }
    package var schedules: [Change<Schedule>] = []
    /// One checkpoint before the verb; nil for one that the verb took.
    package struct CheckpointImage: Hashable, Sendable {
        package var number: Int64
        package var name: String
        /// Its former self; nil where the verb took it.
        package var before: Checkpoint?

        /// Creates an image of a removed checkpoint.
        package init(ended: Checkpoint) {
            (number, name, before) = (ended.number, ended.name, ended)
        }

        /// An image of a checkpoint that was not there.
        package init(taken number: Int64, name: String) {
            (self.number, self.name) = (number, name)
        }
    }
    /// The checkpoints that the verb took or ended.
    package var checkpoints: [CheckpointImage] = []
    /// The filters of the store that the verb saved or removed.
    package var filters: [Change<String>] = []
    /// Whether what an undo or a redo took back, at the end of all such, is a restore (G8).
    package var isOfRestore = false

    /// A record with nothing in it yet.
    package init() {}

    /// Whether there is nothing to take back.
    package var isEmpty: Bool {
        tasks.isEmpty && queue == nil && storePausesBefore == nil && breakpoints.isEmpty
            && faults.isEmpty && clock == nil && run == nil && results.isEmpty && queues.isEmpty
            && network == nil && schedules.isEmpty && checkpoints.isEmpty && filters.isEmpty
    }
}

extension UndoRecord {
    /// The value of a numbered object before the verb.
    package struct Former<Value: Hashable & Sendable>: Hashable, Sendable {
        /// Its own number or its task's.
        package var number: Int64
        /// Its former self; nil where the verb made it.
        package var before: Value?

        /// Creates an image of a numbered object.
        package init(number: Int64, before: Value?) {
            (self.number, self.before) = (number, before)
        }
    }

    /// The values of a named object before and after the verb; `nil` if it did not exist.
    package struct Change<Value: Hashable & Sendable>: Hashable, Sendable {
        package var name: String
        package var before: Value?
        /// As the verb left it.
        package var after: Value?

        /// Creates a change of a named object.
        package init(name: String, before: Value?, after: Value?) {
            (self.name, self.before, self.after) = (name, before, after)
        }
    }
}
