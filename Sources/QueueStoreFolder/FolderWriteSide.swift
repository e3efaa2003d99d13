import Platform
import QueueModel
import QueueStore
import QueueStoreSQLite

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
    private let database: FolderDatabase
    private let view: FolderView
    private let export: FolderExport
    private let lastFailure = Protected<QueueError?>(nil)
    /// The inventory as it was when we last agreed with it; nil before that.
    private var agreed: FileStatus??

    init(
        _ place: FolderPlace, _ options: FolderOptions, allowsMissing: Bool,
        _ database: FolderDatabase, _ view: FolderView
    ) {
        (self.place, self.options, self.allowsMissing) = (place, options, allowsMissing)
        (self.database, self.view) = (database, view)
        export = FolderExport(place: place, faults: options.fileFaults)
    }

    /// Why the files do not follow what was committed, while they do not.
    var exportFailure: QueueError? { lastFailure.withLock { $0 } }

    /// Completes what was interrupted and takes in what the SDK did (P6).
    func agree() throws {
        let lock = try FolderLock(place.path)
        defer { withExtendedLifetime(lock) {} }
        _ = try agreed(store: nil)
    }

    /// Runs bodies one after the other, then lets the files follow; each is told after that.
    func perform(_ tickets: [FolderTicket]) {
        do {
            let lock = try FolderLock(place.path)
            defer { withExtendedLifetime(lock) {} }
            let store = try agreed(store: nil)
            let projection = try self.projection()
            for ticket in tickets { ticket.run(store, projection) }
            // What was committed stands: a failure here is told by the next write, which first
            // completes what is due.
            do { try follow(store) } catch { note(error) }
        } catch {
            for ticket in tickets { ticket.finish(error) }
            return
        }
        for ticket in tickets { ticket.finish(nil) }
    }

    private func projection() throws -> Projection {
        let queue = try database.imported()?.queue ?? place.queueName
        return Projection(
            place: place, queue: queue, now: options.clock(), makeID: options.makeID)
    }

    private func follow(_ store: SQLiteStore) throws {
        try export.run(store)
        agreed = .some(place.status(place.inventoryPath))
        lastFailure.withLock { $0 = nil }
    }

    private func note(_ error: any Error) {
        let failure = error as? QueueError ?? QueueError(.denied, "\(error)")
        lastFailure.withLock { $0 = failure }
    }

    /// The database, in agreement with the folder.
    private func agreed(store known: SQLiteStore?) throws -> SQLiteStore {
        let imported = try database.imported()
        let status = place.status(place.inventoryPath)
        if let store = imported?.store, agreed == .some(status), exportFailure == nil {
            return store
        }
        if let kind = status?.kind, kind != .file {
            throw QueueError.foreignPart(place.inventoryPath, kind)
        }
        let inventory = try place.inventory()
        guard let imported else { return try bringIn(inventory, status) }
        try takeOver(inventory, imported.store, queue: imported.queue, isFirst: agreed == nil)
        if agreed == nil { try export.removeTemporaryFiles(imported.store) }
        try follow(imported.store)
        return imported.store
    }

    /// The first change: makes the database, and the tasks come in under the numbers by which they
    /// were shown.
    private func bringIn(_ inventory: Inventory?, _ status: FileStatus?) throws -> SQLiteStore {
        guard inventory != nil || allowsMissing else {
            throw QueueError.noInventory(place.path)
        }
        let store = try database.opened()
        let queue = place.queueName
        let shown = view.shown()
        let now = shown?.since ?? options.clock()
        var numbers: [String: TaskID] = [:]
        for row in shown?.ledger.rows() ?? [] { numbers[row.id] = row.task }
        try store.writeBlocking { [place, numbers] writer in
            let ledger = try TableLedger(of: writer)
            try ledger.create(queue: queue)
            var agreement = Reconciliation(
                place: place, queue: queue, now: now, writer: writer, ledger: ledger)
            agreement.shownAs = numbers
            try agreement.ensureQueue()
            try agreement.run(inventory ?? Inventory(), checksFiles: false)
        }
        database.noteQueue(queue)
        agreed = .some(status)
        return store
    }

    private func takeOver(
        _ inventory: Inventory?, _ store: SQLiteStore, queue: String, isFirst: Bool
    ) throws {
        let rows = try store.readBlocking { try TableLedger(of: $0).rows() }
        guard let inventory else {
            let listed = rows.count { $0.isListed && $0.isWanted }
            guard listed == 0 else {
                throw QueueError.lostInventory(place.inventoryPath, tasks: listed)
            }
            return
        }
        let projection = Projection(
            place: place, queue: queue, now: options.clock(), makeID: options.makeID)
        try store.writeBlocking { writer in
            let ledger = try TableLedger(of: writer)
            try Reconciliation(
                place: projection.place, queue: queue, now: projection.now, writer: writer,
                ledger: ledger
            ).run(inventory, checksFiles: isFirst)
            guard isFirst else { return }
            // Somebody may have opened sluice.db by itself and changed what the folder shows.
            var all = Set(try ledger.rows().map(\.task))
            for state in [TaskState.Name.waiting, .running] {
                let query = TaskQuery(queue: queue, state: state, limit: .max)
                all.formUnion(try writer.tasks(matching: query).map(\.id))
            }
            try projection.record(all, in: writer, ledger)
        }
    }
}
