import Platform
import QueueModel
import QueueStore
import QueueStoreSQLite

/// Brings into the folder what commits have noted: files of tasks first, then the inventory, then
/// the files of those that left it, so that the SDK never finds an entry without its file (P6).
struct FolderExport {
    let place: FolderPlace
    /// Lets chosen steps fail, as a crash would; for tests.
    let faults: WriteFaults?

    /// Does what is due, in this order, and then says that it is done.
    func run(_ store: SQLiteStore) throws {
        let rows = try store.readBlocking { try TableLedger(of: $0).dueRows() }
        guard !rows.isEmpty else { return }
        if let kind = place.status(place.tasksPath)?.kind, kind != .folder {
            throw QueueError.foreignPart(place.tasksPath, kind)
        }
        for row in rows where row.isWanted && row.due.contains(.file) {
            try writeFile(of: row, store)
        }
        if rows.contains(where: { $0.due.contains(.inventory) }) {
            let entries = try store.readBlocking { try TableLedger(of: $0).wantedEntries() }
            try write(Inventory.bytes(ofEntries: entries), to: place.inventoryPath)
        }
        for row in rows where !row.isWanted && row.due.contains(.removal) {
            try removeFile(of: row)
        }
        try faults?.step()
        try store.writeBlocking { try TableLedger(of: $0).agree() }
    }

    private func writeFile(of row: FolderRow, _ store: SQLiteStore) throws {
        guard let path = place.filePath(of: row.id) else { return }
        let content = try store.readBlocking { store in
            (try store.task(row.task)?.type, try store.payload(of: row.task))
        }
        guard let type = content.0, let payload = content.1 else { return }
        let file = TaskFile(
            id: row.id, type: type, payload: payload, runs: row.runs,
            rest: try row.parsedFile())
        if place.status(place.tasksPath) == nil {
            try change { () throws(SystemError) in try Files.makeDirectory(place.tasksPath) }
        }
        try write(file.bytes, to: path)
    }

    private func removeFile(of row: FolderRow) throws {
        guard let path = place.filePath(of: row.id) else { return }
        try change { () throws(SystemError) in try Files.remove(path) }
    }

    /// Replaces a file whole or not at all; one that was there keeps its permissions.
    private func write(_ bytes: [UInt8], to path: String) throws {
        let former = place.status(path)
        let mode = former.map { $0.kind == .file ? $0.mode & 0o666 : 0o600 } ?? 0o600
        try change { () throws(SystemError) in
            try Files.writeAtomically(bytes, to: path, mode: mode)
        }
    }

    private func change(_ body: () throws(SystemError) -> Void) throws {
        try faults?.step()
        do {
            try body()
        } catch {
            throw QueueError.refusedFile(error)
        }
    }

    /// Removes what a write that was interrupted has left: temporary files of the names that we
    /// write.
    func removeTemporaryFiles(_ store: SQLiteStore) throws {
        let ids = try store.readBlocking { try TableLedger(of: $0).rows().map(\.id) }
        var names = Set(ids.compactMap(place.filePath).map(Files.lastName))
        names.insert(Files.lastName(of: place.inventoryPath))
        for folder in [place.path, place.tasksPath] where place.status(folder)?.kind == .folder {
            for name in try Files.list(folder) where Self.isTemporary(name, of: names) {
                try change { () throws(SystemError) in try Files.remove("\(folder)/\(name)") }
            }
        }
    }

    private static func isTemporary(_ name: String, of names: Set<String>) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts.last == "tmp",
            parts[parts.count - 2].allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLowercase) })
        else { return false }
        return names.contains(parts.dropLast(2).joined(separator: "."))
    }
}

extension TableLedger {
    /// The rows as a body of the store behind a folder sees them.
    convenience init(of reader: any StoreReader) throws(QueueError) {
        guard let session = reader as? any TableSession else {
            throw FolderRow.damage("it is of another engine")
        }
        self.init(session)
    }
}
