import SluiceModel
import SluicePlatform
import SluiceSQLiteStore
import SluiceStore

/// Brings into the folder what commits have noted: files of tasks first, then the inventory, then
/// the files of those that left it, so that the SDK never finds an entry without its file (P6).
struct FolderExport {
    let place: FolderPlace
    let options: FolderOptions

    /// The inventory as it stood when we last agreed with it.
    struct Agreed: Equatable {
        var bytes: [UInt8]?
        var status: FileStatus?

        init(_ file: InventoryFile?) { (bytes, status) = (file?.bytes, file?.status) }
    }

    private static let attemptLimit = 50

    /// Does what is due, in this order, and then says that it is done. `writesInventory` writes it
    /// although nothing is due. An inventory that is not the one in `agreed` is taken in first.
    func run(
        _ agreement: FolderAgreement, _ agreed: inout Agreed, writesInventory: Bool = false
    ) throws {
        let store = agreement.store
        var rows = try due(store)
        guard writesInventory || !rows.isEmpty else { return }
        if let kind = place.status(place.tasksPath)?.kind, kind != .folder {
            throw QueueError.foreignPart(place.tasksPath, kind)
        }
        var isChanged = false
        for row in rows where row.isWanted && row.due.contains(.file) {
            isChanged = try writeFile(of: row, store) || isChanged
        }
        if isChanged { try syncFolder(place.tasksPath) }
        if writesInventory || rows.contains(where: { $0.due.contains(.inventory) }) {
            try replaceInventory(agreement, &agreed)
            rows = try due(store)
        }
        for row in rows where !row.isWanted && row.due.contains(.removal) {
            guard let path = place.filePath(of: row.id) else { continue }
            try step(.remove) { () throws(SystemError) in try Files.remove(path) }
        }
        options.beforeFileStep?(.agree)
        try options.fileFaults?.step()
        try store.writeBlocking { try TableLedger(of: $0).agree() }
    }

    private func due(_ store: SQLiteStore) throws -> [FolderRow] {
        try store.readBlocking { try TableLedger(of: $0).dueRows() }
    }

    /// Gives whether a file was written.
    private func writeFile(of row: FolderRow, _ store: SQLiteStore) throws -> Bool {
        guard let path = place.filePath(of: row.id) else { return false }
        let content = try store.readBlocking { store in
            (try store.task(row.task)?.type, try store.payload(of: row.task))
        }
        guard let type = content.0, let payload = content.1 else { return false }
        let file = TaskFile(
            id: row.id, type: type, payload: payload, runs: row.runs,
            rest: try row.parsedFile())
        if place.status(place.tasksPath) == nil {
            try step(.makeFolder) { () throws(SystemError) in
                try Files.makeDirectory(place.tasksPath)
            }
        }
        let (temporary, _) = try prepare(file.bytes, for: path)
        do {
            try step(.place) { () throws(SystemError) in try Files.rename(temporary, to: path) }
        } catch {
            clear(temporary)
            throw error
        }
        return true
    }
}

/// The inventory, which a program that knows no lock may write at the same time.
extension FolderExport {
    /// Writes the new inventory beside the old one, makes sure that the old one is what we know,
    /// and swaps the two in one step; what was swapped out is looked at once more, so that nothing
    /// that came in that moment is lost.
    private func replaceInventory(
        _ agreement: FolderAgreement, _ agreed: inout Agreed
    ) throws {
        for _ in 0..<Self.attemptLimit {
            let entries = try agreement.store.readBlocking {
                try TableLedger(of: $0).wantedEntries()
            }
            let bytes = Inventory.bytes(ofEntries: entries)
            let (temporary, status) = try prepare(bytes, for: place.inventoryPath)
            var isOurs = true
            do {
                let found = try place.inventoryFile()
                if found?.bytes == agreed.bytes, try swap(temporary, replaces: found != nil) {
                    isOurs = found == nil
                    agreed = Agreed(bytes: bytes, status: status)
                    if try isTakenIn(temporary, agreement, knowing: found) {
                        return try syncFolder(place.path)
                    }
                } else {
                    _ = try agreement.take(found?.inventory, isFirst: false)
                    agreed = Agreed(found)
                    clear(temporary)
                }
            } catch {
                // What was swapped out may hold what nobody took in: the next opening looks at it.
                if isOurs { clear(temporary) }
                throw error
            }
        }
        throw QueueError(
            .storeBusy, "\(place.inventoryPath) is written all the time by another program",
            fix: "end the app that works on it, or open the folder with --read-only")
    }

    /// False where the names have changed meanwhile.
    private func swap(_ temporary: String, replaces: Bool) throws -> Bool {
        var isDone = true
        try step(.place) { () throws(SystemError) in
            guard replaces else {
                isDone = try Files.renameIfNew(temporary, to: place.inventoryPath)
                return
            }
            if try !Files.exchange(temporary, place.inventoryPath) {
                // A disk that cannot swap: what comes in this moment is lost from the inventory,
                // and its file is found by `doctor`.
                try Files.rename(temporary, to: place.inventoryPath)
            }
        }
        return isDone
    }

    /// Looks at what was swapped out and removes it. False where a program had changed it after we
    /// looked: that is taken in, and the inventory must be written once more.
    private func isTakenIn(
        _ displaced: String, _ agreement: FolderAgreement, knowing found: InventoryFile?
    ) throws -> Bool {
        guard let found else { return true }
        let last = try place.displacedInventory(at: displaced)
        let isSame = last == nil || last?.bytes == found.bytes
        if !isSame { _ = try agreement.take(last?.inventory, isFirst: false) }
        try step(.clear) { () throws(SystemError) in try Files.remove(displaced) }
        return isSame
    }
}

/// Steps.
extension FolderExport {
    /// Writes a new content beside the file that it will replace, which keeps its permissions.
    private func prepare(
        _ bytes: [UInt8], for path: String
    ) throws -> (path: String, status: FileStatus?) {
        let former = place.status(path)
        let mode = former.map { $0.kind == .file ? $0.mode & 0o666 : 0o600 } ?? 0o600
        let temporary = Files.temporaryName(for: path)
        var file: FileDescriptor?
        do {
            try step(.write) { () throws(SystemError) in
                let new = try Files.create(temporary, mode: mode)
                file = new
                // The app must be able to read what root writes for it.
                new.giveToOwner(of: former == nil ? Files.parent(of: path) : path)
                try new.writeAll(bytes)
            }
            var status: FileStatus?
            try step(.sync) { () throws(SystemError) in
                try file?.sync()
                status = try file?.status()
            }
            return (temporary, status)
        } catch {
            clear(temporary)
            throw error
        }
    }

    private func syncFolder(_ path: String) throws {
        try step(.syncFolder) { () throws(SystemError) in try Files.syncFolder(path) }
    }

    /// Removes a file of ours that is not needed; one that stays is removed at the next opening.
    private func clear(_ temporary: String) {
        try? step(.clear) { () throws(SystemError) in try Files.remove(temporary) }
    }

    private func step(_ step: FolderStep, _ body: () throws(SystemError) -> Void) throws {
        options.beforeFileStep?(step)
        try options.fileFaults?.step()
        do {
            try body()
        } catch {
            throw QueueError.refusedFile(error)
        }
    }

    /// Removes what a write that was interrupted has left: temporary files of the names that we
    /// write.
    func removeLeftovers(_ store: SQLiteStore) throws {
        let ids = try store.readBlocking { try TableLedger(of: $0).rows().map(\.id) }
        let names = Set(ids.compactMap(place.filePath).map(Files.lastName))
        for path in try place.leftInventories() + place.leftFiles(of: names) {
            try step(.clear) { () throws(SystemError) in try Files.remove(path) }
        }
    }
}

extension FolderExport.Agreed {
    init(bytes: [UInt8], status: FileStatus?) {
        self.bytes = bytes
        self.status = status
    }
}

extension TableLedger {
    /// The rows as a body of the store behind a folder sees them.
    convenience init(of reader: any StoreReader) throws(QueueError) {
        guard let session = reader as? any TableAccess else {
            throw FolderRow.damage("it is of another engine")
        }
        self.init(session)
    }
}
