package import SluiceModel
import SluicePlatform
import SluiceStore

extension FolderStore {
    /// Opens the folder at `path`, which contains `inventory.json`.
    ///
    /// Opening changes nothing unless the folder has a writable `sluice.db`: then it completes an
    /// interrupted export and imports changes by the SDK. `createIfMissing` treats a folder without
    /// an inventory as an empty queue.
    ///
    /// Throws `noStore`, `notAStore`, `damagedStore` with the location (P3), `denied`,
    /// `newerSchema`, `storeBusy` or `diskFull`.
    package static func open(
        path: String, readOnly: Bool = false, createIfMissing: Bool = false,
        options: FolderOptions = FolderOptions()
    ) throws -> FolderStore {
        let place = try place(of: path)
        for part in [place.inventoryPath, place.tasksPath, place.databasePath] {
            let expected: FileStatus.Kind = part == place.tasksPath ? .folder : .file
            if let kind = place.status(part)?.kind, kind != expected {
                throw QueueError.foreignPart(part, kind)
            }
        }
        let store = FolderStore(
            place, name: options.name ?? path, readOnly: readOnly,
            allowsMissing: createIfMissing && !readOnly, options)
        try store.begin()
        return store
    }

    private static func place(of path: String) throws(QueueError) -> FolderPlace {
        do {
            guard !path.isEmpty, let status = try Files.status(path) else {
                throw QueueError.noFolder(path)
            }
            guard status.kind == .folder else {
                throw QueueError.notAFolder(path, status.kind)
            }
            return FolderPlace(path: try Files.realPath(path))
        } catch let error as QueueError {
            throw error
        } catch {
            throw QueueError(.denied, "\(error)", fix: "look at the folder \(path)")
        }
    }

    /// Whether a process of ours has changed the folder: it holds `sluice.db`.
    package static func isChanged(_ path: String) -> Bool { Files.exists("\(path)/sluice.db") }

    /// Whether the folder is one that this engine opens: it holds an inventory of the SDK's.
    package static func isThere(_ path: String) -> Bool {
        Files.exists("\(path)/inventory.json")
    }
}

/// The names of tasks for who is outside a body; inside one, what the body was given says them
/// (`TaskNaming`).
extension FolderStore {
    /// A task's id in the folder, usually an uppercase UUID. It is the `reference` in JSON, and
    /// screens show its first 8 characters. Returns `nil` for a task of another queue, or one that
    /// the folder has forgotten.
    package func reference(of task: TaskID) throws -> String? {
        try readBlocking { try Self.naming($0).folderID(of: task) }
    }

    /// The task that a person named; throws `unknownTask` or `ambiguousTask`.
    package func task(matching reference: TaskReference) throws -> TaskID {
        try readBlocking { try Self.naming($0).task(matching: reference) }
    }

    private static func naming(_ reader: any StoreReader) throws(QueueError) -> any TaskNaming {
        guard let naming = reader.naming else {
            throw FolderRow.damage("it is of another engine")
        }
        return naming
    }
}
