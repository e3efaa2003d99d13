import QueueModel
import QueueStore

/// The connection of a writer, where the database does not join rows by itself: new tasks are kept
/// back until something else is asked or changed, so that those of many bodies that share a commit
/// come in by a few statements, and a body that does nothing but bring some needs no savepoint.
final class KeptRows {
    let base: any TableConnection
    private var tasks: [NewTask] = []
    private var queues: [ReadSession.QueueEntry] = []
    /// How many of them the bodies before the running one brought.
    private var earlier = 0
    private var isSavepointDue = false
    /// Why something of the bodies before is not there, so that nothing of the commit may stay.
    private var loss: QueueError?

    private static let limit = 1024
    /// So many at once are not worth a copy of each.
    private static let many = 16

    init(_ base: any TableConnection) { self.base = base }

    /// Takes tasks in that carry nothing rare and are alike.
    func keep(
        _ new: UnsafePointer<NewTask>, _ count: Int, in queue: ReadSession.QueueEntry
    ) throws(QueueError) {
        if count >= Self.many {
            try write()
            return try insert(new, count, in: queue)
        }
        if tasks.count >= Self.limit { try write() }
        tasks.append(contentsOf: UnsafeBufferPointer(start: new, count: count))
        queues.append(contentsOf: repeatElement(queue, count: count))
    }

    /// Writes what was kept; the savepoint of the running body begins before its own part of that.
    func write() throws(QueueError) {
        if let loss { throw loss }
        var written = 0
        if isSavepointDue {
            do {
                try insert(0..<earlier)
                try base.control(.savepoint)
            } catch {
                loss = error
                throw error
            }
            (written, earlier, isSavepointDue) = (earlier, 0, false)
        }
        if tasks.isEmpty { return }
        defer { forget(from: 0) }
        try insert(written..<tasks.count)
    }

    /// The transaction is over.
    func drop() {
        forget(from: 0)
        (earlier, isSavepointDue, loss) = (0, false, nil)
    }

    private func forget(from index: Int) {
        tasks.removeSubrange(index...)
        queues.removeSubrange(index...)
    }

    private func insert(_ range: Range<Int>) throws(QueueError) {
        if range.isEmpty { return }
        try tasks.withUnsafeBufferPointer { tasks throws(QueueError) in
            guard let first = tasks.baseAddress else { return }
            var start = range.lowerBound
            while start < range.upperBound {
                var end = start + 1
                while end < range.upperBound, TaskRow.areAlike(first + start, first + end) {
                    end += 1
                }
                try insert(first + start, end - start, in: queues[start])
                start = end
            }
        }
    }

    /// By as many in one statement as there is one for.
    private func insert(
        _ alike: UnsafePointer<NewTask>, _ count: Int, in queue: ReadSession.QueueEntry
    ) throws(QueueError) {
        var start = 0
        for (rows, query) in TaskColumns.insertsPlain {
            while count - start >= rows {
                let row = try base.prepare(query)
                TaskRow.bindAlike((alike + start).pointee.task, in: queue, to: row)
                for index in start..<start + rows {
                    TaskRow.bindOwn(alike + index, order: queue.record.settings.order, to: row)
                }
                try row.run()
                start += rows
            }
        }
    }
}

extension KeptRows: TableConnection {
    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement {
        if isSavepointDue || !tasks.isEmpty { try write() }
        return try base.prepare(query)
    }

    func many(_ query: Query, columns: [[Int64]]) throws(QueueError) -> (any BoundStatement)? {
        if isSavepointDue || !tasks.isEmpty { try write() }
        return try base.many(query, columns: columns)
    }

    func control(_ step: TransactionStep) throws(QueueError) {
        if let loss, step != .rollback { throw loss }
        switch step {
        case .savepoint:
            (isSavepointDue, earlier) = (true, tasks.count)
        case .release:
            if isSavepointDue { return isSavepointDue = false }
            try write()
            try base.control(.release)
        case .rollbackToSavepoint:
            forget(from: earlier)
            if isSavepointDue { return }
            try base.control(.rollbackToSavepoint)
        case .rollback:
            drop()
            try base.control(.rollback)
        }
    }

    func commit(keeping hasChanges: Bool) throws(QueueError) {
        try write()
        try base.commit(keeping: hasChanges)
    }

    var changeFailure: QueueError? { loss ?? base.changeFailure }
    var totalChanges: Int64 { base.totalChanges + Int64(tasks.count) }
    var isInTransaction: Bool { base.isInTransaction }
    var hasInbox: Bool { base.hasInbox }
    var hasOffers: Bool { base.hasOffers }
    var joinsRows: Bool { base.joinsRows }
    var endedTransaction: QueueError { base.endedTransaction }
    func beginReading() throws(QueueError) { try base.beginReading() }
    func settle() throws(QueueError) { try base.settle() }
    func set(_ durability: StoreRecord.Durability) throws(QueueError) { try base.set(durability) }
    func clearChangeFailure() { base.clearChangeFailure() }
    func scenery() throws(QueueError) -> Int64? { try base.scenery() }
    func nextScenery() throws(QueueError) -> Int64? { try base.nextScenery() }
    var isOwnFailure: Bool { base.isOwnFailure }
    func integrityProblems() throws(QueueError) -> [String] { try base.integrityProblems() }
}
