import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// Writes recorded changes to the folder: task files first, then the inventory, then deletions of
/// task files. So the SDK never finds an entry without its file (P6).
struct FolderExport {
    let place: FolderPlace
    let options: FolderOptions

    /// The inventory at the last agreement between the folder and the database.
    struct Agreed: Equatable {
        var bytes: [UInt8]?
        var status: FileStatus?

        init(_ file: InventoryFile?) { (bytes, status) = (file?.bytes, file?.status) }
    }

    private static let attemptLimit = 50

    /// Writes all due changes in this order, then clears them. `writesInventory` writes the
    /// inventory even without due changes. An inventory that differs from `agreed` is imported
    /// first.
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

    /// Returns whether a file was written.
    private func writeFile(of row: FolderRow, _ store: SQLiteStore) throws -> Bool {
        guard let path = place.filePath(of: row.id) else { return false }
        let content = try store.readBlocking { store in
            (try store.task(row.task)?.type, try store.payload(of: row.task))
        }
        guard let type = content.0, let payload = content.1 else { return false }
        let file = TaskFile(
            id: row.id, type: type, payload: payload, runs: row.runs,
            rest: try row.parsedFile(), try row.parsedEntry().dialect)
        guard let bytes = file.bytes else { throw FolderRow.damage("the payload of \(row.id)") }
        if place.status(place.tasksPath) == nil {
            try step(.makeFolder) { () throws(SystemError) in
                try Files.makeDirectory(place.tasksPath)
            }
        }
        let (temporary, _) = try prepare(bytes, for: path)
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
    /// Writes the new inventory to a temporary file, checks that the old one is the known one, and
    /// exchanges the two atomically. Then it reads the displaced file again, so that a concurrent
    /// change is not lost.
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
                // The displaced file may contain changes that are not imported yet; the next
                // opening reads it.
                if isOurs { clear(temporary) }
                throw error
            }
        }
        throw QueueError(
            .storeBusy, "\(place.inventoryPath) is written all the time by another program",
            fix: "end the app that works on it, or open the folder with --read-only")
    }

    /// Returns false if the names have changed in between.
    private func swap(_ temporary: String, replaces: Bool) throws -> Bool {
        var isDone = true
        try step(.place) { () throws(SystemError) in
            guard replaces else {
                isDone = try Files.renameIfNew(temporary, to: place.inventoryPath)
                return
            }
            if try !Files.exchange(temporary, place.inventoryPath) {
                // This file system cannot exchange files. A concurrent change to the inventory is
                // lost, but `doctor` finds its task file.
                try Files.rename(temporary, to: place.inventoryPath)
            }
        }
        return isDone
    }

    /// Reads the displaced file and removes it. Returns false if another program changed it after
    /// the last read; the caller must then write the inventory again.
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

extension FolderExport {
    /// Writes new content to a temporary file next to the target. It gets the target's permissions.
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
    /// Reads the rows through a transaction of the folder's database.
    convenience init(of reader: any StoreReader) throws(QueueError) {
        guard let session = reader as? any TableAccess else {
            throw FolderRow.damage("it is of another engine")
        }
        self.init(session)
    }
}
