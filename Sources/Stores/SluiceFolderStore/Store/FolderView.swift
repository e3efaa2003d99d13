import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// Reads a folder without changing it: keeps its tasks in memory and reads them again after each
/// change.
///
/// It is for a folder without `sluice.db`, and for a read-only folder that the SDK continues to
/// change.
final class FolderView: @unchecked Sendable {
    /// A moment of the folder, with the names of its tasks.
    struct Moment: Sendable {
        var store: MemoryStore
        var ledger: MemoryLedger
        /// The time of the first read.
        var since: Timestamp
    }

    /// The values that reveal a change.
    private struct Fingerprint: Equatable {
        var inventory: FileStatus?
        var files: [FileStatus?]
        var sequence: Int64?
    }

    private static let attempts = 3
    private static let pauseMilliseconds = 5

    private let place: FolderPlace
    private let options: FolderOptions
    private let allowsMissing: Bool
    private let lock = Lock()
    /// The contents; `nil` if the folder agrees with its database.
    private var found: Moment?
    /// The files as they were then; nil before the first look.
    private var fingerprint: Fingerprint?
    private var ids: [String] = []

    init(_ place: FolderPlace, _ options: FolderOptions, allowsMissing: Bool) {
        (self.place, self.options, self.allowsMissing) = (place, options, allowsMissing)
    }

    /// The folder as it is now, while there is no database.
    func current() throws -> Moment {
        try lock.withLock {
            if let found, fingerprint == take(nil) { return found }
            return try patiently { try read() }
        }
    }

    /// The last contents shown, if any.
    func shown() -> Moment? {
        lock.withLock { found }
    }

    /// The folder's contents if they differ from its database; `nil` if they agree.
    func disagreement(with store: SQLiteStore, queue: String) throws -> Moment? {
        try lock.withLock {
            let sequence = try store.readBlocking { reader in
                try reader.journal(JournalQuery(limit: 1)).last?.sequence
            }
            if fingerprint != nil, fingerprint == take(sequence) { return found }
            return try patiently { try compare(store, queue: queue, sequence) }
        }
    }

    /// The SDK writes in place: a file that is half there will be whole in a moment.
    private func patiently<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 1..<Self.attempts {
            do {
                return try body()
            } catch {
                _ = try Poll.wait(fds: [], timeoutMilliseconds: Self.pauseMilliseconds)
            }
        }
        return try body()
    }

    private func take(_ sequence: Int64?) -> Fingerprint {
        Fingerprint(
            inventory: place.status(place.inventoryPath),
            files: ids.map { id in place.filePath(of: id).flatMap(place.status) },
            sequence: sequence)
    }

    private func inventory() throws -> Inventory {
        if let found = try place.inventoryFile() { return found.inventory }
        guard allowsMissing else { throw QueueError.noInventory(place.path) }
        return Inventory()
    }

    private func read() throws -> Moment {
        let now = options.clock()
        let before = place.status(place.inventoryPath)
        let inventory = try inventory()
        let moment =
            found
            ?? Moment(
                store: MemoryStore(name: place.path, identity: place.path),
                ledger: MemoryLedger(), since: now)
        try agree(moment, inventory, queue: place.queueName, now: now)
        keep(moment, inventory, before, nil)
        return moment
    }

    private func compare(
        _ store: SQLiteStore, queue: String, _ sequence: Int64?
    ) throws -> Moment? {
        let now = options.clock()
        let before = place.status(place.inventoryPath)
        guard let inventory = try place.inventoryFile()?.inventory else {
            keep(nil, Inventory(), before, sequence)
            return nil
        }
        let (ledger, ended, dialect) = try store.readBlocking { reader in
            let table = try TableLedger(of: reader)
            return (try table.rows(), try table.endedIDs(), try table.dialect())
        }
        if agrees(inventory, ledger) {
            keep(nil, inventory, before, sequence)
            return nil
        }
        let moment = Moment(
            store: try FolderCopy.make(of: store), ledger: MemoryLedger(), since: now)
        for row in ledger { moment.ledger.put(row) }
        moment.ledger.remember(ended)
        if let dialect { moment.ledger.setDialect(dialect) }
        try agree(moment, inventory, queue: queue, now: now)
        keep(moment, inventory, before, sequence)
        return moment
    }

    private func agree(
        _ moment: Moment, _ inventory: Inventory, queue: String, now: Timestamp
    ) throws {
        try moment.store.writeBlocking { [place] writer in
            let agreement = Reconciliation(
                place: place, queue: queue, now: now, writer: writer, ledger: moment.ledger)
            try agreement.ensureQueue(inventory.dialect)
            _ = try agreement.run(inventory, checksFiles: true)
        }
    }

    /// Whether the SDK has changed nothing since we last agreed with the folder.
    private func agrees(_ inventory: Inventory, _ rows: [FolderRow]) -> Bool {
        let known = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let present = Set(inventory.entries.lazy.map(\.id))
        for entry in inventory.entries {
            guard let row = known[entry.id], row.isListed || row.isWanted || !row.due.isEmpty
            else { return false }
            guard !row.due.contains(.file), row.isWanted else { continue }
            let file = try? place.taskFile(of: entry)
            if file?.runs != (row.file == nil ? nil : row.runs) { return false }
        }
        return rows.allSatisfy { !($0.isListed && $0.isWanted) || present.contains($0.id) }
    }

    /// Keeps an answer for as long as the files stay as they were before they were read.
    private func keep(
        _ moment: Moment?, _ inventory: Inventory, _ before: FileStatus?, _ sequence: Int64?
    ) {
        found = moment
        ids = inventory.entries.map(\.id)
        // An entry that disappears while its file exists was overwritten. Track the file, in case
        // it disappears too.
        let present = Set(ids)
        for row in moment?.ledger.rows() ?? [] where row.isListed && !present.contains(row.id) {
            ids.append(row.id)
        }
        fingerprint = take(sequence)
        fingerprint?.inventory = before
    }
}
