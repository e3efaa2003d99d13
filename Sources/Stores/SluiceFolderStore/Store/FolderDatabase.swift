import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// The `sluice.db` of a folder: nothing, until the first change makes it and brings the tasks in.
final class FolderDatabase: Sendable {
    private struct State {
        var store: SQLiteStore?
        var queue: String?
    }

    private let place: FolderPlace
    private let isReadOnly: Bool
    private let faults: WriteFaults?
    private let state = Protected(State())

    init(_ place: FolderPlace, isReadOnly: Bool, faults: WriteFaults?) {
        (self.place, self.isReadOnly, self.faults) = (place, isReadOnly, faults)
    }

    /// The database and its queue after any process has imported the tasks; `nil` before.
    func imported() throws -> (store: SQLiteStore, queue: String)? {
        try state.withLock { state in
            if let store = state.store, let queue = state.queue { return (store, queue) }
            guard try isThere() else { return nil }
            let store: SQLiteStore
            do {
                store = try open(createIfMissing: false)
            } catch let error as QueueError where error.code == .notAStore {
                // Another process is still creating the database, or has crashed while doing so.
                guard try beginsAsDatabase() else { throw error }
                return nil
            }
            guard let queue = try store.readBlocking({ try TableLedger(of: $0).queueName() })
            else { return nil }
            state = State(store: store, queue: queue)
            return (store, queue)
        }
    }

    /// The database, created if missing.
    func opened() throws -> SQLiteStore {
        try state.withLock { state in
            if let store = state.store { return store }
            _ = try isThere()
            let store = try open(createIfMissing: true)
            state.store = store
            return store
        }
    }

    /// Says that the tasks have come in.
    func recordQueue(_ name: String) { state.withLock { $0.queue = name } }

    func close() { state.withLock { $0.store }?.close() }

    /// A folder's way in is its files, so the inbox is left alone (T4).
    private func open(createIfMissing: Bool) throws(QueueError) -> SQLiteStore {
        try SQLiteStore.open(
            path: place.databasePath, readOnly: isReadOnly, createIfMissing: createIfMissing,
            ofOwnerOf: place.path, faults: faults, clock: nil)
    }

    /// Whether a possible database file exists. Throws for links and devices, including its
    /// companion files.
    private func isThere() throws(QueueError) -> Bool {
        for beside in ["-wal", "-shm", "-journal", "-run"] {
            let path = place.databasePath + beside
            let expected: FileStatus.Kind = beside == "-run" ? .folder : .file
            if let kind = place.status(path)?.kind, kind != expected {
                throw .foreignPart(path, kind)
            }
        }
        guard let status = place.status(place.databasePath) else { return false }
        guard status.kind == .file else { throw .foreignPart(place.databasePath, status.kind) }
        return status.sizeBytes > 0
    }

    private func beginsAsDatabase() throws -> Bool {
        let file = try FileDescriptor(opening: place.databasePath, flags: 0)
        guard case .bytes(let bytes) = try file.read(atMost: 16) else { return true }
        return bytes.starts(with: "SQLite format 3\0".utf8)
    }
}
