package import SluiceControl
package import SluiceModel
package import SluiceStore

/// The tasks of a store, whole or filtered, as they stood at one moment.
package struct StoreSource: TransferSource {
    package var name: String { store.name }
    /// `sqlite` or `folder`.
    package let format: TransferFormat
    private let store: any QueueStore
    private let queue: String?
    private let filter: TaskFilter?
    private let now: Timestamp

    private static let page = 500

    /// Reads tasks of `store`: of one queue or of all, with a filter or without.
    package init(
        _ store: any QueueStore, format: TransferFormat, queue: String? = nil,
        filter: TaskFilter? = nil, now: Timestamp
    ) {
        (self.store, self.format) = (store, format)
        (self.queue, self.filter, self.now) = (queue, filter, now)
    }

    package func identity() throws -> String? {
        try store.readBlocking { try $0.storeRecord().identity }
    }

    /// Returns itself: tasks in a store already have a limited size.
    package func allowing(payloadBytes: Int) -> any TransferSource { self }

    /// How many tasks its queues hold, whether they match or not.
    package func estimate() throws -> Int {
        let queue = queue
        return try store.readBlocking { reader in
            try Self.queues(queue, reader).reduce(0) { sum, queue in
                try sum + reader.counts(queue: queue.name).states.values.reduce(0, +)
            }
        }
    }

    /// Gives every queue with its tasks, all of one moment of the store.
    package func read(_ take: @escaping (TransferItem) throws -> BulkNext) throws {
        // The body is done with when the read returns.
        nonisolated(unsafe) let take = take
        let (queue, filter, now) = (queue, filter, now)
        let signs = VitalSigns(of: store)
        try store.readBlocking { reader in
            let identity = try reader.storeRecord().identity
            let reading = try Reading(reader, now: now, signs: signs)
            let filter = try reading.ready(filter)
            for record in try Self.queues(queue, reader) {
                var scan = QueueScan(
                    reading: reading, queue: record, filter: filter, identity: identity)
                guard try scan.run(take) == .goOn else { return }
            }
        }
    }

    private static func queues(
        _ name: String?, _ reader: any StoreReader
    ) throws -> [QueueRecord] {
        if let name { return [try reader.requireQueue(name)] }
        return try reader.queues()
    }

    private struct QueueScan {
        let reading: Reading
        let queue: QueueRecord
        let filter: TaskFilter?
        let identity: String
        private let filtered: FilteredQueue
        private var isNamed = false

        init(reading: Reading, queue: QueueRecord, filter: TaskFilter?, identity: String) {
            (self.reading, self.queue) = (reading, queue)
            (self.filter, self.identity) = (filter, identity)
            filtered = FilteredQueue(reading, queue, filter)
        }

        mutating func run(_ take: (TransferItem) throws -> BulkNext) throws -> BulkNext {
            // With a filter, include only queues with matching tasks.
            if filter == nil, try name(take) == .stop { return .stop }
            var last: Int64?
            while true {
                let page = try reading.store.tasks(
                    .arrived(queue: queue.name, after: last), limit: StoreSource.page)
                for task in try filtered.matching(page) {
                    if try name(take) == .stop { return .stop }
                    if try take(.task(try item(task))) == .stop { return .stop }
                }
                guard page.count == StoreSource.page, let end = page.last else { return .goOn }
                last = end.position
            }
        }

        private mutating func name(_ take: (TransferItem) throws -> BulkNext) throws -> BulkNext {
            guard !isNamed else { return .goOn }
            isNamed = true
            return try take(
                .queue(
                    TransferQueue(
                        name: queue.name, settings: queue.settings,
                        pauses: queue.activePauses(at: reading.now, real: reading.real))))
        }

        private func item(_ task: QueueTask) throws -> TransferTask {
            var item = TransferTask(try reading.store.travelling(task, from: identity))
            if let lease = task.running {
                item.isLost = try reading.goneProcesses().contains { $0.id == lease.owner }
            }
            if let naming = reading.store.naming {
                item.hasUnknownKeys = try naming.hasUnknownKeys(task.id)
            }
            return item
        }
    }
}

extension StoreReader {
    /// A task with its past, for a transfer; `identity` is the store's.
    func travelling(_ task: QueueTask, from identity: String) throws -> IncomingTask {
        func known(_ id: TaskID) throws -> String {
            try origin(of: id) ?? TaskOrigin.local(id, in: identity)
        }
        var incoming = IncomingTask(
            task: task, payload: try payload(of: task.id) ?? [], origin: try known(task.id))
        incoming.result = try result(of: task.id)
        if task.executions > 0 {
            incoming.attempts = try attempts(of: task.id).filter { $0.outcome != nil }
        }
        incoming.parentOrigin = try task.parent.map(known)
        return incoming
    }
}
