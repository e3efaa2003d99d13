import SluiceModel
import SluiceStore

/// The connection of a writer, for databases that do not combine rows themselves. It buffers new
/// tasks and the changes of claims and ends until another read or change. A few statements then
/// write the rows of all bodies in a commit, and a body with only such changes needs no savepoint.
final class WriteBuffer {
    let base: any TableConnection
    private var tasks = RowList<BufferedTask>()
    private var leases = RowList<BufferedLease>()
    private var gone = RowList<BufferedRemoval>()
    private var attempts = RowList<BufferedAttempt>()
    private var highestGone = TaskID.min
    private var isSavepointDue = false
    /// The error that lost a change of an earlier body: the whole commit must fail.
    private var loss: QueueError?

    private static let limit = 1024

    init(_ base: any TableConnection) { self.base = base }

    /// Takes tasks in that carry nothing rare and are alike.
    func keep(
        _ new: ArraySlice<NewTask>, in queue: TableReader.QueueEntry
    ) throws(QueueError) {
        try makeRoom()
        // One that goes may come again; every other one has a number above all that were.
        if new.contains(where: { $0.task.id <= highestGone }) { try write() }
        for new in new { tasks.append(BufferedTask(new: new, queue: queue)) }
    }

    /// Buffers a task that only got a lease.
    func keep(_ lease: BufferedLease) throws(QueueError) {
        try makeRoom()
        leases.append(lease)
    }

    /// Takes the number of a task in that goes.
    func keep(gone id: TaskID) throws(QueueError) {
        try makeRoom()
        gone.append(BufferedRemoval(id: id))
        highestGone = max(highestGone, id)
    }

    /// Buffers an attempt that has only an end.
    func keep(_ attempt: BufferedAttempt) throws(QueueError) {
        try makeRoom()
        attempts.append(attempt)
    }

    private var count: Int { tasks.count + leases.count + gone.count + attempts.count }

    private func makeRoom() throws(QueueError) {
        if count >= Self.limit { try write() }
    }

    /// Writes the buffered rows. The savepoint of the running body starts before its own rows.
    func write() throws(QueueError) {
        if let loss { throw loss }
        if isSavepointDue {
            do {
                try write(earlier: true)
                try base.control(.savepoint)
            } catch {
                loss = error
                throw error
            }
            isSavepointDue = false
        }
        if count == 0 { return }
        defer { forget(from: .begin) }
        try write(earlier: false)
    }

    /// Inserts come first and removals last, because a task may have both.
    private func write(earlier: Bool) throws(QueueError) {
        try tasks.write(earlier: earlier, base)
        try leases.write(earlier: earlier, base)
        try gone.write(earlier: earlier, base)
        try attempts.write(earlier: earlier, base)
    }

    /// The transaction is over.
    func drop() {
        forget(from: .begin)
        (isSavepointDue, loss) = (false, nil)
    }

    private func forget(from place: RowListPlace) {
        tasks.forget(from: place)
        leases.forget(from: place)
        gone.forget(from: place)
        attempts.forget(from: place)
        if gone.count == 0 { highestGone = .min }
    }
}

extension WriteBuffer: TableConnection {
    func prepare(_ query: Query) throws(QueueError) -> any BoundStatement {
        if isSavepointDue || count > 0 { try write() }
        return try base.prepare(query)
    }

    func look(_ scan: RowScan) throws(QueueError) -> RowFinding? {
        if isSavepointDue || count > 0 { try write() }
        return try base.look(scan)
    }

    func many(_ query: Query, columns: [[Int64]]) throws(QueueError) -> (any BoundStatement)? {
        if isSavepointDue || count > 0 { try write() }
        return try base.many(query, columns: columns)
    }

    func together(_ questions: [Question]) throws(QueueError) -> [any BoundStatement]? {
        if isSavepointDue || count > 0 { try write() }
        return try base.together(questions)
    }

    func control(_ step: TransactionStep) throws(QueueError) {
        if let loss, step != .rollback { throw loss }
        switch step {
        case .savepoint:
            isSavepointDue = true
            tasks.mark()
            leases.mark()
            gone.mark()
            attempts.mark()
        case .release:
            if isSavepointDue { return isSavepointDue = false }
            try write()
            try base.control(.release)
        case .rollbackToSavepoint:
            forget(from: .mark)
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
    var totalChanges: Int64 { base.totalChanges + Int64(count) }
    var isInTransaction: Bool { base.isInTransaction }
    var hasInbox: Bool { base.hasInbox }
    var tablePrefix: String { base.tablePrefix }
    var hasOffers: Bool { base.hasOffers }
    var isRemote: Bool { base.isRemote }
    var endedTransaction: QueueError { base.endedTransaction }
    func beginReading() throws(QueueError) { try base.beginReading() }
    func settle() throws(QueueError) { try base.settle() }
    func set(_ durability: StoreRecord.Durability) throws(QueueError) { try base.set(durability) }
    func clearChangeFailure() { base.clearChangeFailure() }
    func configuration() throws(QueueError) -> Int64? { try base.configuration() }
    func nextConfiguration() throws(QueueError) -> Int64? { try base.nextConfiguration() }
    var isOwnFailure: Bool { base.isOwnFailure }
    func integrityProblems(isQuick: Bool) throws(QueueError) -> [String] {
        try base.integrityProblems(isQuick: isQuick)
    }

    func problems(in tables: [String]) throws(QueueError) -> [String] {
        try base.problems(in: tables)
    }
}
