import SluiceFolderStore
import SluiceModel
import SluicePlatform
import SluicePostgresStore
import SluiceSQLiteStore
import SluiceStore

extension StorePlace {
    /// Opens the store with the engine for its place. No other code chooses an engine. `now` is the
    /// clock for imports of others' changes.
    func open(
        _ access: StoreAccess, now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        let moment = access.moment
        let now: @Sendable () -> Timestamp = { moment ?? now() }
        switch self {
        case .sqlite(let path): return try openFile(path, access, now)
        case .folder(let path): return try openFolder(path, access, now)
        case .postgres(let address):
            return try PostgresStore.open(
                address: address, readOnly: access.isReadOnly,
                createIfMissing: access.createsIfMissing, durability: access.durability,
                schemaOwner: access.schemaOwner, faults: Self.faults)
        }
    }

    private func openFile(
        _ path: String, _ access: StoreAccess, _ now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        guard access.createsIfMissing || Files.exists(path) else { throw QueueError.noStore(path) }
        do {
            return try SQLiteStore.open(
                path: path, readOnly: access.isReadOnly, createIfMissing: access.createsIfMissing,
                durability: access.durability, faults: Self.faults, clock: now)
        } catch {
            guard error.code == .notAStore else { throw error }
            if access.isReadOnly || access.onlyExamines, ZipArchive.isThere(path) {
                return try openArchive(path, now)
            }
            throw ArchiveFile.refusal(of: path) ?? error
        }
    }

    /// Opens the SDK's queue in a zip archive for reading. Its copy lives as long as the store.
    private func openArchive(
        _ path: String, _ now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        let unpacked: UnpackedFolder
        do {
            unpacked = try UnpackedFolder(path)
        } catch let error as ArchiveError {
            throw ArchiveFile.refusal(of: path, because: error.reason)
                ?? QueueError(.notAStore, error.reason, fix: "pack the folder again")
        }
        var options = FolderOptions()
        options.clock = now
        options.name = path
        options.atClose = { unpacked.remove() }
        do {
            return try FolderStore.open(path: unpacked.queue, readOnly: true, options: options)
        } catch {
            unpacked.remove()
            throw error
        }
    }

    /// Kills this process at the change or commit number `SLUICE_TEST_KILL`, to test a crash.
    private static let faults = ProcessIdentity.environment("SLUICE_TEST_KILL").flatMap { Int($0) }
        .map { step in
            let faults = WriteFaults()
            faults.kill(at: step)
            return faults
        }

    private func openFolder(
        _ path: String, _ access: StoreAccess, _ now: @escaping @Sendable () -> Timestamp
    ) throws -> any QueueStore {
        guard FolderStore.isThere(path) else {
            throw FolderSearch(below: path).error(path)
        }
        var options = FolderOptions()
        options.clock = now
        options.databaseFaults = Self.faults
        options.fileFaults = Self.faults
        let isUntouched = access.onlyExamines && !FolderStore.isChanged(path)
        return try FolderStore.open(
            path: path, readOnly: access.isReadOnly || isUntouched, options: options)
    }
}
