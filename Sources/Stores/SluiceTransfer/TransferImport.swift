package import SluiceControl
package import SluiceModel
import SluiceStore

/// What an import did.
package struct ImportReport: Hashable, Sendable {
    /// A task that could not come in, and why.
    package struct Refusal: Hashable, Sendable {
        /// The number of its line, where it stands in one.
        package var line: Int?
        /// By what it is known (`TaskOrigin`).
        package var origin: String
        /// Why.
        package var error: QueueError
    }
    /// How many tasks came in.
    package var added = 0
    /// How many were here already, from an earlier import or because they are this store's own.
    package var known = 0
    /// Those that could not come in; at most 1,000 are named.
    package var refused: [Refusal] = []
    /// How many could not come in.
    package var refusedCount = 0
    /// The queues that were made.
    package var created: [String] = []
    /// What was left behind on the way.
    package var losses: [TransferLoss] = []
    /// The event that `undo` takes all of it back by; nil where nothing came in.
    package var undo: Int64?
    /// Whether somebody stopped it: what came in stays, and the same import goes on with the rest.
    package var isStopped = false
    /// The error that ended it after something had come in; the same import goes on with the rest.
    package var error: QueueError?

    /// Nothing done yet.
    package init() {}
}

/// Brings the tasks of a source into a store.
///
/// It looks at all of them first, so that a bad one is told before anything is changed; then they
/// come in by slices, a commit each. An import that was cut off is simply done again: what came in
/// is known by its origin and passed over.
package struct TransferImport: Sendable {
    /// The person at the store that the tasks come into.
    package var control: Control
    /// The queue that all of them come into; nil for each task's own.
    package var queue: String?
    /// Whether what came in before and is gone from the store comes in once more.
    package var again = false

    /// An import by a person.
    package init(_ control: Control, queue: String? = nil) {
        self.control = control
        self.queue = queue
    }

    /// Does it; `watch` is asked before each slice. Throws where nothing was changed, with the line
    /// or number of the first task that is wrong. Blocks its thread.
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

    /// The item as it comes in: into the one queue where one is named.
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
