package import SluiceModel
import SluicePlatform
import SluiceStore

extension FolderStore {
    /// Opens the folder at `path`, the one that holds `inventory.json`.
    ///
    /// Nothing is changed by that, but where the folder has a `sluice.db` that may be written: then
    /// an export that was interrupted is completed, and what the SDK did since comes in.
    /// `createIfMissing` takes a folder without an inventory for an empty queue. Throws `noStore`,
    /// `notAStore`, `damagedStore` with the place of the damage (P3), `denied`, `newerSchema`,
    /// `storeBusy`, `diskFull`.
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
            place, name: path, readOnly: readOnly, allowsMissing: createIfMissing && !readOnly,
            options)
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
    /// The id of a task in the folder, normally a UUID in capitals: its `reference` in JSON, of
    /// which screens show the first 8 characters. Nil where it has none: it is of another queue, or
    /// the folder forgot it.
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
