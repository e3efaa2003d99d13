import SluiceModel

/// All that a store in memory holds: plain values and nothing derived.
struct MemoryState: Sendable {
    var store: StoreRecord
    var queues: [String: QueueRecord] = [:]
    var tasks: [TaskID: QueueTask] = [:]
    /// The last position that a task of each queue ever had.
    var lastPositions: [String: Int64] = [:]
    var payloads: [TaskID: [UInt8]] = [:]
    var results: [TaskID: [UInt8]] = [:]
    var origins: [String: TaskID] = [:]
    /// The executions of each task by their numbers; they outlive the task.
    var attempts: [TaskID: [Int: AttemptRecord]] = [:]
    /// What ended, by queue; nil has that of all together.
    var ends: [String?: EndsByMinute] = [:]
    /// Which of them ended where in the journal.
    var ended: [Int64: AttemptPlace] = [:]
    var events: [Int64: JournalEvent] = [:]
    /// No entry of the journal stands before it.
    var firstSequence = Int64.max
    var journalBytes = StoreRecord.journalBytes
    /// The newest steps, by token.
    var steps: [Int64: StepImage] = [:]
    /// The images for checkpoints, by mark.
    var images: [Int64: [CheckpointImage.Subject: CheckpointImage]] = [:]
    var processes: [ProcessID: ProcessRecord] = [:]
    var permits: [Int64: Permit] = [:]
    var offers: [ProcessID: SlotOffer] = [:]
    /// What was left for a recorder.
    var recorded: [RecordedCommit] = []
    var lastRecorded: Int64 = 0
    var lastTaskID: TaskID = 0
    var lastNumber: Int64 = 0
    var lastSequence: Int64 = 0

    init(identity: String) { store = StoreRecord(identity: identity) }

    mutating func put(_ task: QueueTask) {
        tasks[task.id] = task
        lastPositions[task.queue] = max(lastPositions[task.queue] ?? 0, task.position)
    }

    mutating func put(_ attempt: AttemptRecord) {
        set(attempt, at: AttemptPlace(task: attempt.task, number: attempt.number))
    }

    /// Sets an execution, or takes it away, with its place in the journal.
    mutating func set(_ attempt: AttemptRecord?, at place: AttemptPlace) {
        if let old = attempts[place.task]?[place.number] { ended[old.endSequence] = nil }
        attempts[place.task, default: [:]][place.number] = attempt
        if attempts[place.task]?.isEmpty == true { attempts[place.task] = nil }
        guard let attempt, attempt.endSequence > 0 else { return }
        ended[attempt.endSequence] = place
        firstSequence = min(firstSequence, attempt.endSequence)
    }

    /// Sets a line of the journal.
    mutating func put(_ event: JournalEvent) {
        events[event.sequence] = event
        firstSequence = min(firstSequence, event.sequence)
    }

    mutating func forget(_ ids: some Sequence<TaskID>) {
        for id in ids {
            tasks[id] = nil
            payloads[id] = nil
            results[id] = nil
        }
    }
}

/// Which execution of which task.
struct AttemptPlace: Hashable, Sendable {
    var task: TaskID
    var number: Int
}

/// One moment of a store in memory, or a write to it.
protocol MemoryReading: StoreReader, RowSearching {
    var state: MemoryState { get }
}

/// One moment of a store in memory.
struct MemoryReader: MemoryReading {
    let state: MemoryState
}
