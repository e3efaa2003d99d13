import SluiceControl
import SluiceModel
import SluiceStore

/// An import while it changes the store, slice by slice.
final class ImportRun {
    /// The approximate maximum of payload bytes in a slice.
    static let sliceBytes = 8 << 20
    private static let namedRefusals = 1000

    private let order: TransferImport
    private let count: Int
    private let watch: BulkWatch
    private var slice: ImportSlice
    private var items: [TransferTask] = []
    private var sliceBytes = 0
    private var done = 0
    private var tally = LossTally()
    private var report = ImportReport()
    private var hasCommitted = false

    init(_ order: TransferImport, source: String, count: Int, watch: @escaping BulkWatch) {
        (self.order, self.count, self.watch) = (order, count, watch)
        slice = ImportSlice(source: source)
        slice.again = order.again
    }

    func perform(_ source: any TransferSource) throws -> ImportReport {
        do {
            try source.read { try self.take($0) }
            if !report.isStopped { try flush() }
        } catch {
            guard hasCommitted else { throw error }
            report.error = error as? QueueError ?? QueueError(.denied, "\(error)")
        }
        report.losses = tally.losses
        return report
    }

    private func take(_ item: TransferItem) throws -> BulkNext {
        switch try order.directed(item) {
        case .queue(let queue): slice.queues.append(queue.record(at: order.control.now()))
        case .task(let item):
            items.append(item)
            sliceBytes += item.task.payload.count
            guard items.count == Control.slice || sliceBytes > Self.sliceBytes else { break }
            let total = 2 * max(count, done)
            guard watch(BulkProgress(done: count + done, total: total)) == .goOn else {
                report.isStopped = true
                return .stop
            }
            try flush()
        }
        return .goOn
    }

    private func flush() throws {
        slice.tasks = items.map(\.task)
        // Create a queue without a line with the default settings.
        let described = Set(slice.queues.map(\.name))
        for name in Set(items.map(\.task.task.queue)).subtracting(described).sorted() {
            slice.queues.append(QueueRecord(name: name, createdAt: order.control.now()))
        }
        let outcome = try order.control.importBlocking(slice)
        hasCommitted = true
        slice.bulk = slice.bulk ?? outcome.event
        report.undo = report.undo ?? outcome.event
        report.added += outcome.result.added.count
        report.known += outcome.result.known
        report.created += outcome.created
        report.refusedCount += outcome.result.refused.count
        for (place, item) in items.enumerated() {
            guard let error = outcome.result.refused[place] else {
                tally.add(item, to: .sqlite)
                continue
            }
            guard report.refused.count < Self.namedRefusals else { continue }
            report.refused.append(
                ImportReport.Refusal(line: item.line, origin: item.task.origin, error: error))
        }
        done += items.count
        (items, slice.queues, sliceBytes) = ([], [], 0)
    }
}

extension TransferQueue {
    /// The queue for another store, without the debugger's pauses.
    func record(at now: Timestamp) -> QueueRecord {
        var record = QueueRecord(name: Names.composed(name), settings: settings, createdAt: now)
        record.pauses = pauses.filter { [.person, .handler, .required].contains($0.cause) }
        return record
    }
}
