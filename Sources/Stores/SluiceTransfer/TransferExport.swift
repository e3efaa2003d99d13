package import SluiceControl
import SluiceModel
import SluiceStore

package struct ExportReport: Hashable, Sendable {
    /// The number of written tasks.
    package var tasks = 0
    package var queues: [String] = []
    /// The values that the format cannot store.
    package var losses: [TransferLoss] = []
    /// Whether the user stopped it; if so, nothing was written.
    package var isStopped = false

    /// Nothing done yet.
    package init() {}
}

/// Writes the tasks of a source into something new: whole, or not at all.
package struct TransferExport {
    private let source: any TransferSource
    private let sink: any TransferSink

    package init(from source: any TransferSource, to sink: any TransferSink) {
        (self.source, self.sink) = (source, sink)
    }

    /// Exports the tasks. Calls `watch` before each 1,000 tasks. Blocks the calling thread.
    package func run(watching watch: @escaping BulkWatch = { _ in .goOn }) throws -> ExportReport {
        var report = ExportReport()
        var tally = LossTally()
        var seen = 0
        do {
            let total = try source.estimate()
            try source.read { item in
                if case .task(let task) = item {
                    if seen.isMultiple(of: Control.slice),
                        watch(BulkProgress(done: seen, total: max(total, seen))) == .stop
                    {
                        report.isStopped = true
                        return .stop
                    }
                    seen += 1
                    tally.add(task, to: sink.format)
                    if sink.format.holds(task) { report.tasks += 1 }
                    let queue = task.task.task.queue
                    if report.queues.last != queue { report.queues.append(queue) }
                }
                try sink.add(item)
                return .goOn
            }
            if !report.isStopped { try sink.finish() }
        } catch {
            sink.cancel()
            throw error
        }
        if report.isStopped { sink.cancel() }
        report.losses = tally.losses
        return report
    }
}
