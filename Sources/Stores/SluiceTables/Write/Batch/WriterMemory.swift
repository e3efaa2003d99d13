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
    var offers: [SlotOffer]?
    var permits: [Permit]?
    var isInboxEmpty = false
    /// Which tables of rows beside those of tasks hold any; nil where nobody looked.
    var apart: RowsApart?

    /// Whether any task has a payload, a result or an origin in a row of its own.
    struct RowsApart {
        var payloads: Bool
        var results: Bool
        var origins: Bool
    }

    /// So many tasks are remembered in one commit, and so many from one to the next.
    private static let seenLimit = 4096
    private static let keptLimit = 512

    mutating func note(_ task: QueueTask) {
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        seen[task.id] = task
    }

    mutating func forget(_ id: TaskID) { (seen[id], payloads[id]) = (nil, nil) }

    mutating func note(_ payload: [UInt8], of id: TaskID) {
        if payloads.count >= Self.seenLimit { payloads.removeAll(keepingCapacity: true) }
        payloads[id] = payload
    }

    mutating func rest() {
        payloads.removeAll()
        if seen.count > Self.keptLimit { seen.removeAll() }
    }
}
