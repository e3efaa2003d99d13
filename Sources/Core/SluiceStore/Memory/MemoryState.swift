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
    var events: [Int64: JournalEvent] = [:]
    var journalBytes = StoreRecord.journalBytes
    /// The images for checkpoints, by mark.
    var images: [Int64: [CheckpointImage.Subject: CheckpointImage]] = [:]
    var processes: [ProcessID: ProcessRecord] = [:]
    var permits: [Int64: Permit] = [:]
    var offers: [ProcessID: SlotOffer] = [:]
    var lastTaskID: TaskID = 0
    var lastNumber: Int64 = 0
    var lastSequence: Int64 = 0

    init(identity: String) { store = StoreRecord(identity: identity) }

    mutating func put(_ task: QueueTask) {
        tasks[task.id] = task
        lastPositions[task.queue] = max(lastPositions[task.queue] ?? 0, task.position)
    }

    mutating func forget(_ ids: some Sequence<TaskID>) {
        for id in ids {
            tasks[id] = nil
            payloads[id] = nil
            results[id] = nil
        }
    }
}

/// One moment of a store in memory, or a write to it.
protocol MemoryReading: StoreReader, RowSearching {
    var state: MemoryState { get }
}

/// One moment of a store in memory.
struct MemoryReader: MemoryReading {
    let state: MemoryState
}
