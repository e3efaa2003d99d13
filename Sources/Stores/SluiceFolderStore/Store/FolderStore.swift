package import SluiceModel
import SluicePlatform
import SluiceSQLiteStore
package import SluiceStore

/// A folder of Customer.io's background queue, in exactly the SDK's format (P6).
///
/// Until the first change it is only read, and no byte of it is touched. The first change makes
/// `sluice.db` in it and the tasks come in; from then on each commit also notes what the files have
/// to say, and they follow before the write returns. The SDK knows no lock: while an app runs on
/// the folder, open it for reading only.
package final class FolderStore: QueueStore {
    /// `customer.io folder`.
    package let kind = "customer.io folder"
    /// The path as it was given.
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

    init(
        _ place: FolderPlace, name: String, readOnly: Bool, allowsMissing: Bool,
        _ options: FolderOptions
    ) {
        self.place = place
        self.name = name
        opened = OpenedFolder(name)
        isReadOnly = readOnly
        runFolder = "\(place.databasePath)-run"
        database = FolderDatabase(place, isReadOnly: readOnly, faults: options.databaseFaults)
        view = FolderView(place, options, allowsMissing: allowsMissing)
        writeSide = FolderWriteSide(
            place, opened, options, allowsMissing: allowsMissing, database, view)
    }

    deinit { close() }

    /// What is done for its `sluice.db`; nil while there is none.
    package var upkeep: (any StoreUpkeep)? { (try? database.imported())?.store.upkeep }

    /// Why the files do not yet follow what was committed, as on a full disk; the next write tries
    /// again first, and is refused while that fails.
    package var exportFailure: QueueError? { writeSide.exportFailure }

    /// Looks at the folder, so that what is wrong with it is told at once; where it has a database
    /// that may be written, completes what was interrupted and takes in what the SDK did.
    func begin() throws {
        if try database.imported() == nil {
            _ = try view.current()
        } else if !isReadOnly {
            try writeSide.agree()
        } else {
            _ = try source()
        }
    }

    /// Runs `body` here on the folder as it is now, or on the database behind it; what the body is
    /// given also knows the names of tasks (`TaskNaming`). Throws `damagedStore`.
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

    /// Tells of every commit of our processes, and of every change of the files by any program;
    /// what the SDK did is taken in first where the folder may be written.
    package func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        try checkOpen()
        let database = database
        // Its thread may be slow to end: what nobody observes any more is not told.
        let isObserved = Protected(true)
        let tell: @Sendable () -> Void = { if isObserved.withLock({ $0 }) { notify() } }
        let takeIn: @Sendable (Set<String>) -> Void = {
            [writer, writeSide, name, isReadOnly] files in
            if isReadOnly { return tell() }
            let agree: @Sendable () -> Void = {
                // What fails here is told to who writes next, or reads.
                try? writeSide.agreeIfNeeded(files)
                tell()
            }
            // A store that was closed meanwhile has nobody to tell.
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
                "\(name) was asked for another transaction inside a body",
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
