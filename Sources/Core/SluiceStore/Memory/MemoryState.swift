import SluiceModel
import SluiceSystem

/// All that a store in memory holds: plain values, and the index of its tasks.
struct MemoryState: Sendable {
    var store: StoreRecord
    private(set) var queues: [String: QueueRecord] = [:]
    private(set) var tasks = OrderedMap<TaskID, QueueTask>()
    /// The index and the counts of the tasks.
    private(set) var index = MemoryIndex()
    /// The last position that a task of each queue ever had.
    var lastPositions: [String: Int64] = [:]
    /// The states in a copy of another system's queues.
    var systemStates: [TaskID: SystemState]?
    /// Whether the state is a moment of a tape.
    var isPast = false
    var payloads = OrderedMap<TaskID, [UInt8]>()
    var results = OrderedMap<TaskID, [UInt8]>()
    private(set) var origins = Paged<String, TaskID>()
    private(set) var names = OrderedMap<TaskID, Set<String>>()
    /// The executions, which outlive their tasks.
    var attempts = OrderedMap<AttemptPlace, AttemptRecord>()
    /// The ends per minute, by queue; `nil` has the total of all.
    var ends: [String?: EndsByMinute] = [:]
    /// How long tasks had been due when they began, by queue.
    var waits: [String: EndsByMinute] = [:]
    /// How many tasks of each queue waited when a minute began in which that changed.
    var waitingStarts: [String: [Int64: Int]] = [:]
    /// The minute of the running body.
    var minute: Int64?
    /// Which of them ended where in the journal.
    var ended = OrderedMap<Int64, AttemptPlace>()
    var events = OrderedMap<Int64, JournalEvent>()
    /// The first journal number that may exist.
    var firstSequence = Int64.max
    /// The newest steps, by token.
    var steps: [Int64: StepImage] = [:]
    /// The images for checkpoints, by mark.
    var images: [Int64: [CheckpointImage.Subject: CheckpointImage]] = [:]
    var processes: [ProcessID: ProcessRecord] = [:]
    var permits: [Int64: Permit] = [:]
    var offers: [ProcessID: SlotOffer] = [:]
    var recorded: [RecordedCommit] = []
    var lastRecorded: Int64 = 0
    var lastTaskID: TaskID = 0
    var lastNumber: Int64 = 0
    var lastSequence: Int64 = 0

    init(identity: String) { store = StoreRecord(identity: identity) }

    mutating func put(_ task: QueueTask) {
        set(task, at: task.id)
        lastPositions[task.queue] = max(lastPositions[task.queue] ?? 0, task.position)
    }

    /// Sets a task, or takes it away.
    mutating func set(_ task: QueueTask?, at id: TaskID) {
        let old = tasks[id]
        for task in [old, task] where task?.waiting != nil { keepStart(of: task?.queue) }
        tasks[id] = task
        index.replace(
            old.map { ($0, settings(of: $0.queue)) }, by: task.map { ($0, settings(of: $0.queue)) })
    }

    /// Keeps how many tasks wait in a queue before the first change of a minute.
    private mutating func keepStart(of queue: String?) {
        guard let minute, let queue, waitingStarts[queue]?[minute] == nil else { return }
        waitingStarts[queue, default: [:]][minute] = index.counts[queue]?[.waiting] ?? 0
    }

    /// Sets a queue, or takes it away.
    mutating func set(_ queue: QueueRecord?, named name: String) {
        let (old, new) = (settings(of: name), queue?.settings ?? QueueSettings())
        queues[name] = queue
        if !new.isIndexed(as: old) {
            for task in tasks(.arrival(name)) { index.replace((task, old), by: (task, new)) }
        }
        if queue == nil, tasks(.arrival(name)).isEmpty { index.forget(queue: name) }
    }

    /// Sets whose origin a name is, or takes it away.
    mutating func set(_ id: TaskID?, ofOrigin origin: String) {
        if let old = origins[origin] {
            names[old]?.remove(origin)
            if names[old]?.isEmpty == true { names[old] = nil }
        }
        origins[origin] = id
        if let id { names[id] = (names[id] ?? []).union([origin]) }
    }

    mutating func put(_ attempt: AttemptRecord) {
        set(attempt, at: AttemptPlace(task: attempt.task, number: attempt.number))
    }

    /// Sets an execution, or takes it away, with its place in the journal.
    mutating func set(_ attempt: AttemptRecord?, at place: AttemptPlace) {
        if let old = attempts[place] { ended[old.endSequence] = nil }
        attempts[place] = attempt
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
            set(nil, at: id)
            payloads[id] = nil
            results[id] = nil
        }
    }
}

/// An attempt of a task. The attempts of one task are adjacent in this order.
struct AttemptPlace: Comparable, Sendable {
    var task: TaskID
    var number: Int

    static func < (left: AttemptPlace, right: AttemptPlace) -> Bool {
        (left.task, left.number) < (right.task, right.number)
    }
}

/// One moment of a store in memory, or a write to it.
protocol MemoryReading: StoreReader, RowSearching {
    var state: MemoryState { get }
    /// The number of tasks scanned by queries so far.
    var looks: Protected<Int> { get }
}

/// One moment of a store in memory.
struct MemoryReader: MemoryReading {
    let state: MemoryState
    let looks: Protected<Int>
}
