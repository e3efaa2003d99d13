package import SluiceModel
import SluiceSQL
package import SluiceStore
import SluiceSystem

/// A folder of Customer.io's background queue, in exactly the SDK's format (P6).
///
/// Until the first change it is only read, and no byte of it is touched. The first change makes
/// `sluice.db` in it and the tasks come in; from then on each commit also notes what the files have
/// to say, and they follow before the write returns. The SDK knows no lock: while an app runs on
/// the folder, open it for reading only.
package final class FolderStore: QueueStore {
    /// `customer.io folder`.
    package let kind = "customer.io folder"
    /// The path as given.
    package let name: String
    /// Whether it refuses every change (D11).
    package let isReadOnly: Bool
    /// Yes: by the ids of the SDK (P6).
    package let namesTasks = true
    /// The folder for the locks of its processes; made with `sluice.db`.
    package let runFolder: String?

    let place: FolderPlace
    let database: FolderDatabase
    let view: FolderView
    private let writeSide: FolderWriteSide
    private let writer = FolderThread(name: "sluice-folder-w")
    private let reader = FolderThread(name: "sluice-folder-r")
    private let tickets = Protected<[FolderTicket]>([])
    private let isClosed = Protected(false)
    private let opened: OpenedFolder
    private let atClose: @Sendable () -> Void

    init(
        _ place: FolderPlace, name: String, readOnly: Bool, allowsMissing: Bool,
        _ options: FolderOptions
    ) {
        self.place = place
        self.name = name
        opened = OpenedFolder(options.name == nil ? name : place.path)
        atClose = options.atClose
        isReadOnly = readOnly
        runFolder = "\(place.databasePath)-run"
        database = FolderDatabase(place, isReadOnly: readOnly, faults: options.databaseFaults)
        view = FolderView(place, options, allowsMissing: allowsMissing)
        writeSide = FolderWriteSide(
            place, opened, options, allowsMissing: allowsMissing, database, view)
    }

    deinit { close() }

    /// The older version of the tables of its `sluice.db` that opening it changed.
    package var upgradedFrom: Int? { (try? database.imported())?.store.upgradedFrom }

    /// The maintenance of its `sluice.db`; `nil` before that file exists.
    package var upkeep: (any StoreUpkeep)? { (try? database.imported())?.store.upkeep }

    /// The error that keeps the files older than the commits, such as a full disk. The next write
    /// retries first, and fails while the retry fails.
    package var exportFailure: QueueError? { writeSide.exportFailure }

    /// Reads the folder to report problems early. With a writable database, it also completes an
    /// interrupted export and imports changes by the SDK.
    func begin() throws {
        if try database.imported() == nil {
            _ = try view.current()
        } else if !isReadOnly {
            try writeSide.agree()
        } else {
            _ = try source()
        }
    }

    /// Runs `body` on the calling thread, on the current folder or on its database. The reader also
    /// has task names (`TaskNaming`). Throws `damagedStore`.
    package func readBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value {
        let result = Result {
            switch try source() {
            case .database(let store):
                try store.readBlocking { [place] reader in
                    try body(
                        FolderReader(reader, ledger: try TableLedger(of: reader), place: place))
                }
            case .view(let moment):
                try moment.store.readBlocking { [place] reader in
                    try body(FolderReader(reader, ledger: moment.ledger, place: place))
                }
            }
        }
        return try opened.told(result).get()
    }

    /// Runs `body` on the writer's thread and returns when the files have followed; the first time,
    /// makes `sluice.db`. Throws `readOnly`, `storeBusy`, `damagedStore`, `denied`, `diskFull`, and
    /// `notLegal` inside another write.
    package func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value {
        let promise = Promise<Value>()
        try enqueue(body) { promise.resolve($0) }
        return try promise.wait()
    }

    /// `readBlocking` on a thread of the store's.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try reader.enqueue(name) { [self] in
                    continuation.resume(with: Result { try readBlocking(body) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// `writeBlocking` without blocking the caller's thread.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try enqueue(body) { continuation.resume(with: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Observes every commit of Sluice processes and every change of the files by other programs.
    /// In a writable folder, changes by the SDK are imported first.
    package func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        try checkOpen()
        let database = database
        // The thread may end slowly: do not notify an observer that has stopped.
        let isObserved = Protected(true)
        let tell: @Sendable () -> Void = { if isObserved.withLock({ $0 }) { notify() } }
        let takeIn: @Sendable (Set<String>) -> Void = {
            [writer, writeSide, name, isReadOnly] files in
            if isReadOnly { return tell() }
            let agree: @Sendable () -> Void = {
                // The next write reports a failure here, and the next read a damaged inventory.
                try? writeSide.agreeIfNeeded(files)
                tell()
            }
            // A closed store has no observers to notify.
            try? writer.enqueue(name, agree)
        }
        return try FolderWatch(
            place, attach: { try database.imported()?.store.observe(at: throttle, tell) }, takeIn,
            onEnd: { isObserved.withLock { $0 = false } })
    }

    /// Ends its threads after the writes that wait, and its connections; later calls throw.
    package func close() {
        if isClosed.withLock({ closed in
            defer { closed = true }
            return closed
        }) {
            return
        }
        writer.close()
        reader.close()
        database.close()
        atClose()
    }
}

/// Reading and writing.
extension FolderStore {
    private enum Source {
        case database(SQLiteStore)
        case view(FolderView.Moment)
    }

    private func source() throws -> Source {
        try checkOpen()
        guard let imported = try database.imported() else { return .view(try view.current()) }
        if let damage = writeSide.inventoryDamage { throw damage }
        guard isReadOnly,
            let moment = try view.disagreement(with: imported.store, queue: imported.queue)
        else { return .database(imported.store) }
        return .view(moment)
    }

    private func checkOpen() throws(QueueError) {
        if isClosed.withLock({ $0 }) { throw .closedFolder(name) }
        try opened.check()
    }

    private func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value,
        tell: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) throws(QueueError) {
        try checkOpen()
        if isReadOnly { throw .readOnlyStore(name) }
        if writer.isCurrent {
            throw .notLegal(
                "\(name) cannot begin another transaction inside a body",
                fix: "use what the body was given")
        }
        let result = Protected<Result<Value, any Error>?>(nil)
        let ticket = FolderTicket(
            run: { store, projection in
                let made = Result { try Self.run(body, store, projection) }
                result.withLock { $0 = made }
            },
            finish: { [opened] failure in
                let ended = failure.map { .failure($0) } ?? result.withLock { $0 }
                if let ended { tell(opened.told(ended)) }
            })
        tickets.withLock { $0.append(ticket) }
        try writer.enqueue(name) { [tickets, writeSide] in
            let all = tickets.withLock { all in
                defer { all = [] }
                return all
            }
            if !all.isEmpty { writeSide.perform(all) }
        }
    }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value, _ store: SQLiteStore,
        _ projection: Projection
    ) throws -> Value {
        try store.writeBlocking { base in
            let ledger = try TableLedger(of: base)
            let writer = FolderWriter(base, ledger: ledger, projection)
            let value = try body(writer)
            try projection.record(
                writer.touched, repaid: writer.repaid, wishes: writer.wishes, in: base, ledger)
            return value
        }
    }
}

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
