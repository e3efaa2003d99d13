package import SluiceControl
package import SluiceModel
import SluiceStore

package struct ImportReport: Hashable, Sendable {
    /// A task that could not come in, and why.
    package struct Refusal: Hashable, Sendable {
        /// The line number, for an item of a file.
        package var line: Int?
        /// The task's origin (`TaskOrigin`).
        package var origin: String
        package var error: QueueError
    }
    /// How many tasks came in.
    package var added = 0
    /// How many were here already, from an earlier import or because they are this store's own.
    package var known = 0
    /// The refused tasks; at most 1,000 are named.
    package var refused: [Refusal] = []
    /// How many could not come in.
    package var refusedCount = 0
    package var created: [String] = []
    /// The omitted values.
    package var losses: [TransferLoss] = []
    /// The event that `undo` takes all of it back by; nil if nothing came in.
    package var undo: Int64?
    /// Whether the user stopped it. Imported tasks remain, and the same import continues with the
    /// rest.
    package var isStopped = false
    /// The error that ended it after the first commit. The same import continues with the rest.
    package var error: QueueError?

    /// Nothing done yet.
    package init() {}
}

/// Imports the tasks of a source into a store.
///
/// It checks all tasks first, so that an invalid one is reported before any change. Then it imports
/// slices, one commit each. After an interruption, run the import again: it skips imported tasks by
/// their origin.
package struct TransferImport: Sendable {
    /// The person at the store that the tasks come into.
    package var control: Control
    /// The queue that all of them come into; nil for each task's own.
    package var queue: String?
    /// Whether to import tasks again that were removed from the store.
    package var again = false

    package init(_ control: Control, queue: String? = nil) {
        self.control = control
        self.queue = queue
    }

    /// Imports the tasks. Calls `watch` before each slice. Throws only if nothing was changed, with
    /// the line or number of the first invalid task. Blocks the calling thread.
    package func run(
        _ source: any TransferSource, watching watch: @escaping BulkWatch = { _ in .goOn }
    ) throws -> ImportReport {
        let identity = try control.store.readBlocking { try $0.storeRecord().identity }
        guard try source.identity() != identity else {
            throw QueueError.notLegal(
                "\(source.name) is the store that the tasks would come into",
                fix: "name another one with --store")
        }
        let queues = try knownQueues()
        let source = source.allowing(
            payloadBytes: queues.values.map(\.maximumPayloadBytes).max() ?? 0)
        var check = ImportCheck(
            self, total: try source.estimate(), queues: queues, watch: watch)
        try source.read { try check.take($0) }
        if check.isStopped {
            var report = ImportReport()
            report.isStopped = true
            return report
        }
        let run = ImportRun(self, source: source.name, count: check.count, watch: watch)
        return try run.perform(source)
    }

    private func knownQueues() throws -> [String: QueueSettings] {
        try control.store.readBlocking { reader in
            let queues = try reader.queues().map { ($0.name, $0.settings) }
            return Dictionary(queues, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The item to import, moved into the named queue, if any.
    func directed(_ item: TransferItem) throws(QueueError) -> TransferItem {
        switch item {
        case .queue(var named):
            if let queue { named.name = queue }
            return .queue(named)
        case .task(var item):
            if let queue { item.task.task.queue = queue }
            guard item.task.task.queue.isEmpty else { return .task(item) }
            throw QueueError(
                .badValue, "\(item.place): it names no queue",
                fix: "name one for all with --queue, or add \"queue\":\"NAME\"")
        }
    }
}

/// The first look at all tasks, which changes nothing.
private struct ImportCheck {
    private let order: TransferImport
    private let total: Int
    private let watch: BulkWatch
    private var queues: [String: QueueSettings]
    private(set) var count = 0
    private(set) var isStopped = false

    init(
        _ order: TransferImport, total: Int, queues: [String: QueueSettings],
        watch: @escaping BulkWatch
    ) {
        (self.order, self.total, self.queues, self.watch) = (order, total, queues, watch)
    }

    mutating func take(_ item: TransferItem) throws -> BulkNext {
        switch try order.directed(item) {
        case .queue(let queue):
            try Names.check(queue.name, of: "queue")
            if queues[queue.name] == nil { queues[queue.name] = queue.settings }
        case .task(let item):
            if count.isMultiple(of: Control.slice), watch(progress) == .stop {
                isStopped = true
                return .stop
            }
            count += 1
            let task = item.task.task
            do throws(QueueError) {
                try Names.check(task.queue, of: "queue")
                try item.task.check(queues[task.queue] ?? QueueSettings())
            } catch {
                throw QueueError(
                    error.code, "\(item.place): \(error.message)",
                    fix: error.fix.isEmpty ? "nothing was imported" : error.fix)
            }
        }
        return .goOn
    }

    /// Looking is half of the work.
    private var progress: BulkProgress {
        BulkProgress(done: count, total: 2 * max(total, count))
    }
}
