package import SluiceControl
import SluiceModel
import SluiceStore

/// Moves the queues of one store to another while both are in use, one queue at a time (D13).
///
/// Only the moving queue is paused. After a kill at any moment, the same copy continues: it knows
/// each task by its origin, and compares each part of a queue before it writes. The target opens a
/// queue only after a complete comparison found no difference.
package struct StoreCopy: Sendable {
    /// The person at the store that the queues are in.
    package var source: Control
    /// The person at the store that they come into.
    package var target: Control
    /// The queues; nil for all.
    package var queues: [String]?
    /// How long to wait for the end of a queue's running tasks.
    package var waitMilliseconds: Int64 = 60_000
    /// Whether work continues at the source, with paused queues at the target.
    package var staysInSource = false
    /// Whether to copy waiting tasks again that were removed from the target.
    package var again = false

    package init(from source: Control, to target: Control) {
        (self.source, self.target) = (source, target)
    }

    /// Copies the queues. Calls `watch` before each part and `tell` after each queue. Throws only
    /// if nothing was changed. Blocks the calling thread.
    package func run(
        watching watch: @escaping BulkWatch = { _ in .goOn },
        telling tell: (CopiedQueue) throws -> Void = { _ in }
    ) throws -> CopyReport {
        let identities = try checkedIdentities()
        let records = try Self.records(of: source, named: queues)
        let progress = CopyProgress(
            total: try Self.count(of: records, at: source) * 2, watch: watch)
        var report = CopyReport()
        for record in records {
            let move = QueueMove(self, record.name, identities, progress)
            do {
                report.queues.append(try move.perform())
            } catch is CopyStop {
                report.isStopped = true
                return report
            } catch {
                report.error = QueueError(ofCopy: error)
                return report
            }
            if let done = report.queues.last { try tell(done) }
        }
        return report
    }

    /// Reports the effect of `run` without changes; `target` is `nil` for a store that does not
    /// exist yet.
    package static func rehearse(
        from source: Control, to target: Control?, queues: [String]? = nil
    ) throws -> CopyReport {
        var report = CopyReport()
        var identities: CopyIdentities?
        if let target { identities = try StoreCopy(from: source, to: target).checkedIdentities() }
        for record in try records(of: source, named: queues) {
            let counts = try source.store.readBlocking { try $0.counts(queue: record.name) }
            var queue = CopiedQueue(name: record.name)
            queue.outcome = .wouldMove
            queue.tasks = counts.states.values.reduce(0, +)
            queue.running = counts[.running]
            if let target, let identities {
                let move = QueueMove(
                    StoreCopy(from: source, to: target), record.name, identities,
                    CopyProgress(total: 0, watch: { _ in .goOn }))
                do {
                    if try move.standing() == .movedBefore { queue.outcome = .movedBefore }
                } catch let error as QueueError {
                    queue.outcome = .skipped(error)
                }
            }
            report.queues.append(queue)
        }
        return report
    }

    private func checkedIdentities() throws -> CopyIdentities {
        for control in [source, target] where control.store.isReadOnly {
            throw QueueError.readOnlyStore(control.store.name)
        }
        let identities = CopyIdentities(
            source: try source.store.readBlocking { try $0.storeRecord().identity },
            target: try target.store.readBlocking { try $0.storeRecord().identity })
        guard identities.source != identities.target else {
            throw QueueError.notLegal(
                "\(source.store.name) and \(target.store.name) are the same store",
                fix: "name another one; a copy of its file is the same store too")
        }
        return identities
    }

    private static func records(
        of control: Control, named names: [String]?
    ) throws -> [QueueRecord] {
        try control.store.readBlocking { reader in
            guard let names else { return try reader.queues() }
            return try names.map { try reader.requireQueue($0) }
        }
    }

    private static func count(of records: [QueueRecord], at control: Control) throws -> Int {
        try control.store.readBlocking { reader in
            try records.reduce(0) { sum, record in
                try sum + reader.counts(queue: record.name).states.values.reduce(0, +)
            }
        }
    }
}

struct CopyIdentities: Sendable {
    var source: String
    var target: String
}

/// The user stopped the copy.
struct CopyStop: Error {}

/// How far a copy is, over all of its queues.
final class CopyProgress {
    private let total: Int
    private let watch: BulkWatch
    private var done = 0

    init(total: Int, watch: @escaping BulkWatch) { (self.total, self.watch) = (total, watch) }

    /// Throws `CopyStop` if the user stops the copy.
    func ask() throws {
        let progress = BulkProgress(done: done, total: max(total, done))
        if watch(progress) == .stop { throw CopyStop() }
    }

    func add(_ tasks: Int) { done += tasks }
}

extension QueueError {
    init(ofCopy error: any Error) {
        self = error as? QueueError ?? QueueError(.denied, "\(error)")
    }
}
