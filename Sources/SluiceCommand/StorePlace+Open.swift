import Platform
import QueueModel
import QueueStore
import QueueStoreFolder
import QueueStoreSQLite

extension StorePlace {
    /// Opens the store with the engine of its place: the only point that knows the engines.
    func open(_ access: StoreAccess) throws -> any QueueStore {
        switch self {
        case .sqlite(let path): return try openFile(path, access)
        case .folder(let path): return try openFolder(path, access)
        case .postgres(let url):
            throw QueueError(
                .notAStore, "\(url): PostgreSQL is not available in this version",
                fix: "use an SQLite file, such as ./app.db")
        }
    }

    private func openFile(_ path: String, _ access: StoreAccess) throws -> any QueueStore {
        guard access.createsIfMissing || Files.exists(path) else { throw QueueError.noStore(path) }
        return try SQLiteStore.open(
            path: path, readOnly: access.isReadOnly, createIfMissing: access.createsIfMissing,
            durability: access.durability)
    }

    private func openFolder(_ path: String, _ access: StoreAccess) throws -> any QueueStore {
        guard FolderStore.isThere(path) else {
            throw QueueError(
                .notAStore, "\(path) is a folder without inventory.json",
                fix: "name an SQLite file, such as \(path)/sluice.db")
        }
        return try FolderStore.open(path: path, readOnly: access.isReadOnly)
    }
}
