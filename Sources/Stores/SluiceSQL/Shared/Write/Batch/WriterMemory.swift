import SluiceModel
import SluiceStore

/// A writer's cache of the tables, apart from counters. It is valid while no other process writes.
struct WriterMemory {
    /// Tasks as stored in the tables.
    var seen: [TaskID: QueueTask] = [:]
    /// Payloads read together with tasks.
    var payloads: [TaskID: [UInt8]] = [:]
    /// The names of all queues, if loaded and unchanged since.
    var queueNames: [String]?
    var offers: [SlotOffer]?
    var permits: [Permit]?
    var isInboxEmpty = false
    /// Which side tables contain rows; `nil` if unknown.
    var apart: RowsApart?

    /// Whether any task has a payload, a result or an origin in a separate row.
    struct RowsApart {
        var payloads: Bool
        var results: Bool
        var origins: Bool

        /// Whether any task has a payload, a result or an origin in a separate row.
        static let columns = ["payload", "result", "origin"].map { table in
            "CASE WHEN EXISTS (SELECT task FROM sluice_\(table) WHERE task > 0) THEN 1 ELSE 0 END"
        }.joined(separator: ", ")

        /// Reads `columns` from a row where they begin at a place.
        init(_ row: any BoundStatement, from place: Int32) {
            payloads = row.int(place) != 0
            results = row.int(place + 1) != 0
            origins = row.int(place + 2) != 0
        }
    }

    /// The maximum number of cached tasks within a commit, and between commits.
    private static let seenLimit = 4096
    private static let keptLimit = 512

    mutating func cache(_ task: QueueTask) {
        if seen.count >= Self.seenLimit { seen.removeAll(keepingCapacity: true) }
        seen[task.id] = task
    }

    mutating func forget(_ id: TaskID) { (seen[id], payloads[id]) = (nil, nil) }

    mutating func cache(_ payload: [UInt8], of id: TaskID) {
        if payloads.count >= Self.seenLimit { payloads.removeAll(keepingCapacity: true) }
        payloads[id] = payload
    }

    mutating func rest() {
        payloads.removeAll()
        if seen.count > Self.keptLimit { seen.removeAll() }
    }
}
