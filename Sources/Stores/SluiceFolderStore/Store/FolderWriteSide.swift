import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// A write body and its completion.
struct FolderTicket: Sendable {
    /// Runs the body in its own transaction.
    var run: @Sendable (SQLiteStore, Projection) -> Void
    /// Reports the end, or the error that prevented the run.
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
    private let damage = Protected<QueueError?>(nil)
    /// The inventory at the last agreement; `nil` before the first one.
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

    /// The error that keeps the files older than the commits, if any.
    var exportFailure: QueueError? { lastFailure.withLock { $0 } }

    /// The damage that an observer found in the inventory, if it still has it.
    var inventoryDamage: QueueError? { damage.withLock { $0 } }

    /// Completes an interrupted export and imports changes by the SDK (P6).
    func agree() throws {
        do {
            try locked { _ = try agreement() }
            damage.withLock { $0 = nil }
        } catch let error as QueueError where error.code == .damagedStore {
            damage.withLock { $0 = error }
            throw error
        }
    }

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

    /// The same for an observer, if a database exists: for a changed inventory, and for task files
    /// that the app changed, removed or damaged.
    func agreeIfNeeded(_ files: Set<String>) throws {
        guard let agreed else { return }
        if agreed.status != place.status(place.inventoryPath) {
            try agree()
        } else {
            damage.withLock { $0 = nil }
        }
        guard !files.isEmpty, let imported = try database.imported() else { return }
        let attempts = FolderAttempts(place: place, queue: imported.queue, store: imported.store)
        let ids = try attempts.changed(in: files)
        guard !ids.isEmpty else { return }
        try locked { try attempts.take(ids, now: options.clock()) }
    }

    /// Runs bodies in order, then updates the files, then completes the tickets.
    func perform(_ tickets: [FolderTicket]) {
        do {
            try locked {
                let agreement = try agreement()
                let projection = agreement.projection
                for ticket in tickets { ticket.run(agreement.store, projection) }
                // The commits remain. The next write reports an export failure, after it has
                // retried the due writes.
                do { try follow(agreement) } catch { record(error) }
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

    private func record(_ error: any Error) {
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
            record(error)
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

    /// The first change: creates the database and imports the tasks with the numbers already shown.
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
            try agreement.ensureQueue(inventory.dialect)
            _ = try agreement.run(inventory, checksFiles: false)
        }
        database.recordQueue(queue)
        agreed = FolderExport.Agreed(found)
        return FolderAgreement(place: place, options: options, store: store, queue: queue)
    }
}
