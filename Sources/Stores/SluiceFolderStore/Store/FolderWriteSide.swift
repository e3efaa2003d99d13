import SluiceModel
import SluicePlatform
import SluiceSQLiteStore
import SluiceStore

/// A body that writes, and whoever waits for it.
struct FolderTicket: Sendable {
    /// Runs the body in a transaction of its own.
    var run: @Sendable (SQLiteStore, Projection) -> Void
    /// Tells of its end, or of the failure because of which it did not run.
    var finish: @Sendable ((any Error)?) -> Void
}

/// How a folder is changed: one of our processes at a time, the database first, then the files.
///
/// Used on the writer's thread, and at opening before there is one.
final class FolderWriteSide: @unchecked Sendable {
    private let place: FolderPlace
    private let options: FolderOptions
    private let allowsMissing: Bool
    private let opened: OpenedFolder
    private let database: FolderDatabase
    private let view: FolderView
    private let export: FolderExport
    private let lastFailure = Protected<QueueError?>(nil)
    /// The inventory as it was when we last agreed with it; nil before that.
    private var agreed: FolderExport.Agreed?
    private var fairness = LockFairness()

    init(
        _ place: FolderPlace, _ opened: OpenedFolder, _ options: FolderOptions, allowsMissing: Bool,
        _ database: FolderDatabase, _ view: FolderView
    ) {
        (self.place, self.options, self.allowsMissing) = (place, options, allowsMissing)
        self.opened = opened
        (self.database, self.view) = (database, view)
        export = FolderExport(place: place, options: options)
    }

    /// Why the files do not follow what was committed, while they do not.
    var exportFailure: QueueError? { lastFailure.withLock { $0 } }

    /// Completes what was interrupted and takes in what the SDK did (P6).
    func agree() throws { try locked { _ = try agreement() } }

    /// Runs a body with the folder's lock, which others get first where we have held it for long.
    private func locked(_ body: () throws -> Void) throws {
        let rest = fairness.rest(before: SystemClock.monotonicNanoseconds())
        // A rest that fails is a short one.
        if rest > 0 { _ = try? Poll.wait(fds: [], timeoutMilliseconds: rest) }
        let lock = try FolderLock(place.path, opened)
        let begin = SystemClock.monotonicNanoseconds()
        defer {
            withExtendedLifetime(lock) {}
            fairness.held(from: begin, to: SystemClock.monotonicNanoseconds())
        }
        try body()
    }

    /// The same for who watches, where there is a database: of an inventory that is another, and of
    /// files of tasks in which the SDK counted an attempt.
    func agreeIfNeeded(_ files: Set<String>) throws {
        guard let agreed else { return }
        if agreed.status != place.status(place.inventoryPath) { try agree() }
        guard !files.isEmpty, let imported = try database.imported() else { return }
        let attempts = FolderAttempts(place: place, queue: imported.queue, store: imported.store)
        let ids = try attempts.counted(in: files)
        guard !ids.isEmpty else { return }
        try locked { try attempts.take(ids, now: options.clock()) }
    }

    /// Runs bodies one after the other, then lets the files follow; each is told after that.
    func perform(_ tickets: [FolderTicket]) {
        do {
            try locked {
                let agreement = try agreement()
                let projection = agreement.projection
                for ticket in tickets { ticket.run(agreement.store, projection) }
                // What was committed stands: a failure here is told by the next write, which first
                // completes what is due.
                do { try follow(agreement) } catch { note(error) }
            }
        } catch {
            for ticket in tickets { ticket.finish(error) }
            return
        }
        for ticket in tickets { ticket.finish(nil) }
    }

    private func follow(_ agreement: FolderAgreement, writesInventory: Bool = false) throws {
        var agreed = agreed ?? FolderExport.Agreed(nil)
        defer { self.agreed = agreed }
        try export.run(agreement, &agreed, writesInventory: writesInventory)
        lastFailure.withLock { $0 = nil }
    }

    private func note(_ error: any Error) {
        let failure = error as? QueueError ?? QueueError(.denied, "\(error)")
        lastFailure.withLock { $0 = failure }
    }

    /// The database, in agreement with the folder.
    private func agreement() throws -> FolderAgreement {
        let status = place.status(place.inventoryPath)
        let hasFailed = exportFailure != nil
        guard let imported = try database.imported() else { return try bringIn(status) }
        let agreement = FolderAgreement(
            place: place, options: options, store: imported.store, queue: imported.queue)
        if let agreed, agreed.status == status, !hasFailed { return agreement }
        let found = try inventoryFile(status)
        let isFirst = agreed == nil
        let mustWrite = try agreement.take(found?.inventory, isFirst: isFirst || hasFailed)
        agreed = FolderExport.Agreed(found)
        if isFirst || hasFailed { try export.removeLeftovers(imported.store) }
        do {
            try follow(agreement, writesInventory: mustWrite)
        } catch {
            note(error)
            throw error
        }
        return agreement
    }

    private func inventoryFile(_ status: FileStatus?) throws -> InventoryFile? {
        if let kind = status?.kind, kind != .file {
            throw QueueError.foreignPart(place.inventoryPath, kind)
        }
        return try place.inventoryFile()
    }

    /// The first change: makes the database, and the tasks come in under the numbers by which they
    /// were shown.
    private func bringIn(_ status: FileStatus?) throws -> FolderAgreement {
        let found = try inventoryFile(status)
        guard found != nil || allowsMissing else { throw QueueError.noInventory(place.path) }
        let store = try database.opened()
        let queue = place.queueName
        let shown = view.shown()
        let now = shown?.since ?? options.clock()
        var numbers: [String: TaskID] = [:]
        for row in shown?.ledger.rows() ?? [] { numbers[row.id] = row.task }
        let inventory = found?.inventory ?? Inventory()
        try store.writeBlocking { [place, numbers] writer in
            let ledger = try TableLedger(of: writer)
            try ledger.create(queue: queue)
            var agreement = Reconciliation(
                place: place, queue: queue, now: now, writer: writer, ledger: ledger)
            agreement.shownAs = numbers
            try agreement.ensureQueue()
            _ = try agreement.run(inventory, checksFiles: false)
        }
        database.noteQueue(queue)
        agreed = FolderExport.Agreed(found)
        return FolderAgreement(place: place, options: options, store: store, queue: queue)
    }
}
