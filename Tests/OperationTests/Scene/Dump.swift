import SluiceModel
import SluiceStore

/// The whole content of a store, as comparable values.
struct Dump: Hashable, Sendable {
    var store: StoreRecord
    var queues: [QueueRecord]
    var tasks: [QueueTask] = []
    var counts: [QueueCounts] = []
    var payloads: [[UInt8]?] = []
    var results: [[UInt8]?] = []
    var attempts: [[AttemptRecord]] = []
    var journal: [JournalEntry]
    var processes: [ProcessRecord]
    var permits: [Permit]

    init(_ reader: any StoreReader) throws {
        store = try reader.storeRecord()
        queues = try reader.queues()
        journal = try reader.journal(JournalQuery(limit: 100_000, withDetail: true))
        processes = try reader.processes()
        permits = try reader.permits()
        for queue in queues {
            var counts = try reader.counts(queue: queue.name)
            counts.waitingByFlags = counts.waitingByFlags.filter { $0.value != 0 }
            counts.states = counts.states.filter { $0.value != 0 }
            self.counts.append(counts)
            for state in TaskState.Name.allCases {
                tasks += try reader.tasks(
                    matching: TaskQuery(queue: queue.name, state: state, limit: 100_000))
            }
        }
        for task in tasks {
            payloads.append(try reader.payload(of: task.id))
            results.append(try reader.result(of: task.id))
            attempts.append(try reader.attempts(of: task.id))
        }
    }
}

extension Dump {
    /// The first difference of each part between two dumps.
    func differences(from other: Dump) -> [String] {
        func first<Value: Equatable>(_ name: String, _ mine: [Value], _ others: [Value]) -> String?
        {
            let pair = zip(mine, others).first { $0 != $1 }
            if let pair { return "\(name): \(pair.0) and \(pair.1)" }
            return mine.count == others.count ? nil : "\(name): \(mine.count), \(others.count)"
        }
        return [
            first("store", [store], [other.store]), first("queues", queues, other.queues),
            first("tasks", tasks, other.tasks), first("counts", counts, other.counts),
            first("payloads", payloads, other.payloads), first("results", results, other.results),
            first("attempts", attempts, other.attempts), first("journal", journal, other.journal),
            first("processes", processes, other.processes),
            first("permits", permits, other.permits),
        ].compactMap { $0 }
    }
}

extension Bench {
    func dump() throws -> Dump { try read { try Dump($0) } }

    /// One commit, as a runner makes it: settles one execution and claims for the free slot.
    func settleAndClaim(
        _ claimed: Claimed, _ outcome: HandlerOutcome, _ runner: ProcessID
    ) throws -> [Claimed] {
        let completion = claimed.completion(.handler(outcome))
        return try act { mutation in
            _ = try mutation.settle([completion])
            return try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
    }
}
