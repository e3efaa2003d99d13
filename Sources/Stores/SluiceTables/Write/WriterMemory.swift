import SluiceModel
import SluiceStore

/// What a writer knows of the tables beside counters: true for as long as nobody else changes them.
struct WriterMemory {
    /// Tasks as they stand in the tables.
    var seen: [TaskID: QueueTask] = [:]
    /// Payloads that came with tasks that were read.
    var payloads: [TaskID: [UInt8]] = [:]
    /// Every queue by name, where they were asked for and none came or went since.
    var queueNames: [String]?
    /// Tasks that were fetched ahead, by their queue.
    var fetched: [Int64: WriteSession.Fetched] = [:]
    /// What was asked for with the beginning of the transaction, for as long as it is true.
    var foreseen: WriteSession.Habit?
    /// The tasks that the running commit gave to a runner, or wrote while one has them.
    var leased: Set<TaskID> = []
    var offers: [Offer]?
    var permits: [Permit]?
    var isInboxEmpty = false
    /// Whether any task has a payload, a result or an origin in a row of its own; nil where nobody
    /// looked.
    var hasPayloads: Bool?
    var hasResults: Bool?
    var hasOrigins: Bool?
    /// The first moments of all queues, and what is due.
    var ahead: WriteSession.Ahead?
    var due: WriteSession.Due?

    /// So many tasks are remembered in one commit, and so many from one to the next.
    private static let seenLimit = 4096
    private static let keptLimit = 512

    mutating func note(_ task: QueueTask) {
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        seen[task.id] = task
    }

    mutating func gone(_ task: QueueTask, from queue: Int64) {
        seen[task.id] = nil
        if task.waiting != nil { changeWaiting(in: queue) }
        payloads[task.id] = nil
    }

    /// Other tasks wait in a queue, or the same ones differently.
    mutating func changeWaiting(in queue: Int64) {
        fetched[queue] = nil
        if foreseen?.queue == queue { foreseen = nil }
    }

    /// The same of any queue.
    mutating func changeWaiting() {
        fetched.removeAll()
        foreseen = nil
    }

    mutating func note(_ payload: [UInt8], of id: TaskID) {
        if payloads.count >= Self.seenLimit { payloads.removeAll(keepingCapacity: true) }
        payloads[id] = payload
    }

    mutating func rest() {
        payloads.removeAll()
        leased.removeAll(keepingCapacity: true)
        changeWaiting()
        if seen.count > Self.keptLimit { seen.removeAll() }
    }
}
